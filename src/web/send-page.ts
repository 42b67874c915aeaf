import type { FastifyReply, FastifyRequest } from "fastify";
import type { WireAnswer } from "../protocol/wire-answer.ts";
import type { Page } from "./layout.ts";
import { type Message, messagePage } from "./message-page.ts";

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

/** An answer that is a page. */
export function pageAnswer(status: number, { document, frameOrigin }: Page): WireAnswer {
  const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy(frameOrigin) };
  return { status, headers, body: document.source };
}

/** An answer that says that something did not work: as a page to a browser, else as JSON. */
export function messageAnswer(request: FastifyRequest, status: number, message: Message): WireAnswer {
  if (wantsPage(request)) return pageAnswer(status, messagePage(message));
  const { title, reason, hint } = message;
  const text = [title, reason].filter(Boolean).join(": ");
  const error = { message: text, code: status, ...(hint === null ? {} : { hint }) };
  return { status, headers: { "content-type": "application/json; charset=utf-8" }, body: JSON.stringify({ error }) };
}

/** Sends an answer as it is. */
export function sendAnswer(reply: FastifyReply, { status, headers, body }: WireAnswer): FastifyReply {
  // An empty text would be given a content type.
  return reply
    .code(status)
    .headers(headers)
    .send(body === "" ? undefined : body);
}

/** Answers with a page. */
export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return sendAnswer(reply, pageAnswer(status, page));
}

/** Says that something did not work: as a page to a browser, else as JSON. */
export function sendMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  message: Message,
): FastifyReply {
  return sendAnswer(reply, messageAnswer(request, status, message));
}

/** Whether a person looks at the answer. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes("text/html") ?? false;
}
