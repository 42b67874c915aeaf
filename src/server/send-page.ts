import type { FastifyReply, FastifyRequest } from "fastify";
import type { Page } from "../pages/layout.ts";
import { type Message, messagePage } from "../pages/message-page.ts";

/**
 * What a page may load: its own parts, and the one page that it shows in a frame. There is no form-action: a browser
 * holds it against the whole chain of redirects that a form leads to, and that of a login may end at an app.
 */
function policy(frameOrigin: string | undefined): string {
  const own = ["script-src", "style-src", "img-src", "connect-src"].map((directive) => `${directive} 'self'`);
  const frame = `frame-src ${frameOrigin === undefined ? "'none'" : frameSource(frameOrigin)}`;
  return ["default-src 'none'", ...own, frame, "base-uri 'none'", "frame-ancestors 'none'"].join("; ");
}

/** A policy cannot name an IPv6 address: then it is the script that holds the page's messages against its origin. */
function frameSource(origin: string): string {
  const { hostname, protocol } = new URL(origin);
  return hostname.startsWith("[") ? protocol : origin;
}

/** Answers with a page. */
export function sendPage(reply: FastifyReply, status: number, { document, frameOrigin }: Page): FastifyReply {
  return reply
    .code(status)
    .headers({ "content-type": "text/html; charset=utf-8", "content-security-policy": policy(frameOrigin) })
    .send(document.source);
}

/** Says that something did not work: as a page to a browser, else as JSON. */
export function sendMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  message: Message,
): FastifyReply {
  if (wantsPage(request)) return sendPage(reply, status, messagePage(message));
  const { title, reason, hint } = message;
  const text = [title, reason].filter(Boolean).join(": ");
  return reply.code(status).send({ error: { message: text, code: status, ...(hint === null ? {} : { hint }) } });
}

/** Whether a person looks at the answer. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes("text/html") ?? false;
}
