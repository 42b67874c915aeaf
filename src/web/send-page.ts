import type { FastifyReply, FastifyRequest } from "fastify";
import type { Problem } from "../protocol/usage-error.ts";
import type { WireAnswer } from "../protocol/wire-answer.ts";
import { type Html, html } from "./html.ts";
import { layout, type Page, reasonAndHint } from "./layout.ts";

/** A message to the sender of a request: what was refused and why, and where to continue. */
export interface Message {
  /** What is wrong, in a few words. */
  readonly title: string;
  readonly reason: string | null;
  readonly hint: string | null;
  readonly problems?: readonly Problem[];
  /** Where to continue. */
  readonly link?: { readonly address: string; readonly text: string };
}

/**
 * The Content-Security-Policy of a page: it may load its own parts, and the one page that it shows in a frame. There is
 * no form-action, because browsers apply it to all redirects after a form, and those of a login may end at an app.
 */
function policy({ frameOrigin, nonce }: Omit<Page, "document">): string {
  const loaded = nonce === undefined ? "'self'" : `'nonce-${nonce}'`;
  // The inspector shows images from apps' answers.
  const images = nonce === undefined ? "'self'" : "'self' data:";
  const own = [`script-src ${loaded}`, `style-src ${loaded}`, `img-src ${images}`, "connect-src 'self'"];
  const frame = `frame-src ${frameOrigin === undefined ? "'none'" : frameSource(frameOrigin)}`;
  return ["default-src 'none'", ...own, frame, "base-uri 'none'", "frame-ancestors 'none'"].join("; ");
}

/** A policy cannot contain an IPv6 address: then only the script checks the origin of the page's messages. */
function frameSource(origin: string): string {
  const { hostname, protocol } = new URL(origin);
  return hostname.startsWith("[") ? protocol : origin;
}

export function pageAnswer(status: number, { document, ...rules }: Page): WireAnswer {
  const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy(rules) };
  return { status, headers, body: document.source };
}

/** The answer for a message: a page for a browser, otherwise JSON. */
export function messageAnswer(request: FastifyRequest, status: number, message: Message): WireAnswer {
  if (wantsPage(request)) return pageAnswer(status, messagePage(message));
  const { title, reason, hint } = message;
  const text = [title, reason].filter(Boolean).join(": ");
  const error = { message: text, code: status, ...(hint === null ? {} : { hint }) };
  return { status, headers: { "content-type": "application/json; charset=utf-8" }, body: JSON.stringify({ error }) };
}

function messagePage({ title, reason, hint, problems = [], link }: Message): Page {
  const content = html`${reasonAndHint(reason, hint)}
${problems.length === 0 ? null : html`<ul>${problems.map(problemItem)}</ul>`}
${link === undefined ? null : html`<p><a class="button" href="${link.address}">${link.text}</a></p>`}`;
  return { document: layout({ title, content }) };
}

function problemItem({ path, message }: Problem): Html {
  return html`<li>${path === "" ? null : html`<code>${path}</code> `}${message}</li>`;
}

export function sendAnswer(reply: FastifyReply, { status, headers, body }: WireAnswer): FastifyReply {
  // fastify would add a content type to an empty text.
  return reply
    .code(status)
    .headers(headers)
    .send(body === "" ? undefined : body);
}

export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return sendAnswer(reply, pageAnswer(status, page));
}

/** Sends a message: as a page to a browser, otherwise as JSON. */
export function sendMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  message: Message,
): FastifyReply {
  return sendAnswer(reply, messageAnswer(request, status, message));
}

/** Whether a browser requests a page. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes("text/html") ?? false;
}
