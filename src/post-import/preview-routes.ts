import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuseOtherMethods } from "../web/methods.ts";
import { leadToOneOrigin } from "../web/own-origin.ts";
import { sendMessage, sendPage } from "../web/send-page.ts";
import { previewPage } from "./preview-page.ts";
import { type Preview, type Previews, previewPath } from "./run/previews.ts";

/**
 * What the app's HTML may do, in a frame of ours or opened alone: be looked at (hardening S13). Sandboxed, it has an
 * origin of its own, and no scripts, forms or windows; but for what it holds within itself, it loads nothing.
 */
const POLICY = [
  "sandbox",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "font-src data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join("; ");

type PreviewRequest = FastifyRequest<{ Params: { id: string } }>;

/** The app's preview of a file (interface 2.4): our page about it, and the HTML as the app gave it. */
export function previewRoutes(scope: FastifyInstance, previews: Previews): void {
  leadToOneOrigin(scope);
  const path = previewPath(":id");
  const contentPath = `${path}/content`;

  scope.get(path, (request: PreviewRequest, reply) => {
    const preview = findPreview(request, reply, previews);
    if (preview === null) return reply;
    const address = `${previewPath(request.params.id)}/content`;
    return sendPage(reply, 200, previewPage(preview, address, new URL(scope.listeningOrigin).origin));
  });

  scope.get(contentPath, (request: PreviewRequest, reply) => {
    const preview = findPreview(request, reply, previews);
    if (preview === null) return reply;
    const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY };
    return reply.headers(headers).send(preview.html);
  });

  for (const url of [path, contentPath]) refuseOtherMethods(scope, url, ["GET", "HEAD"]);
}

/** The preview that a request is about; null: it is not known, and the answer says so. */
function findPreview(request: PreviewRequest, reply: FastifyReply, previews: Previews): Preview | null {
  const preview = previews.find(request.params.id);
  if (preview === null) {
    void sendMessage(request, reply, 404, {
      title: "This preview is not known",
      reason: "it was never made, or later ones took its place",
      hint: "app-sim remembers the last previews; when it is started again, it knows none",
      link: { address: "/", text: "What there is" },
    });
  }
  return preview;
}
