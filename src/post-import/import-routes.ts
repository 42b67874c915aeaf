import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hostedFileRoutes } from "../web/hosted-file-routes.ts";
import type { HostedFiles } from "../web/hosted-files.ts";
import { type Html, html } from "../web/html.ts";
import { layout } from "../web/layout.ts";
import { refuseOtherMethods } from "../web/methods.ts";
import { leadToOneOrigin } from "../web/own-origin.ts";
import type { AddRoutes } from "../web/routes.ts";
import { sendMessage, sendPage } from "../web/send-page.ts";
import type { ImportContext } from "./import-context.ts";
import { type Preview, type Previews, previewPath } from "./run/previews.ts";

/** The files of jobs and the previews of apps (interface 2.3, 2.4). */
export const importRoutes: AddRoutes<ImportContext & { readonly files: HostedFiles }> = (
  server,
  { files, previews },
  { onBug },
) => {
  server.register(async (scope) => hostedFileRoutes(scope, files, onBug));
  server.register(async (scope) => previewRoutes(scope, previews));
};

/**
 * The app's HTML may only be displayed, in our frame or on its own (hardening S13). Sandboxed, it has its own opaque
 * origin, and no scripts, forms or windows; it loads nothing from elsewhere.
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

/** The app's preview of a file (interface 2.4): our page about it, and the app's original HTML. */
function previewRoutes(scope: FastifyInstance, previews: Previews): void {
  leadToOneOrigin(scope);
  const path = previewPath(":id");
  const contentPath = `${path}/content`;

  scope.get(path, (request: PreviewRequest, reply) => {
    const preview = previews.find(request.params.id);
    if (preview === null) return refuseUnknown(request, reply);
    const document = previewPage(preview, `${previewPath(request.params.id)}/content`);
    return sendPage(reply, 200, { document, frameOrigin: scope.ownAddress.url });
  });

  scope.get(contentPath, (request: PreviewRequest, reply) => {
    const preview = previews.find(request.params.id);
    if (preview === null) return refuseUnknown(request, reply);
    const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY };
    return reply.headers(headers).send(preview.html);
  });

  for (const url of [path, contentPath]) refuseOtherMethods(scope, url, ["GET", "HEAD"]);
}

function refuseUnknown(request: PreviewRequest, reply: FastifyReply) {
  return sendMessage(request, reply, 404, {
    title: "Unknown preview",
    reason: "it never existed, or newer ones replaced it",
    hint: "app-sim remembers only the most recent previews, and none after a restart",
    link: { address: "/", text: "Start page" },
  });
}

/** Shows the app's preview of a file (interface 2.4) in a frame without any permissions (hardening S13). */
function previewPage({ file, module }: Preview, address: string): Html {
  const title = `Preview of ${file}`;
  const content = html`<p>The HTML that the module <strong>${module}</strong> of the app made of this file.</p>
<p class="hint">Scripts and forms are disabled, and nothing is loaded: its styles and images must be inline.</p>
<iframe title="${title}" src="${address}" sandbox="" referrerpolicy="no-referrer"></iframe>
<p><a href="${address}">Open it on its own page</a></p>`;
  return layout({ title, content });
}
