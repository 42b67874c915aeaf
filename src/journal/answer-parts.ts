import { mediaType } from "../protocol/media-type.ts";
import { type Exchange, headerValue } from "./exchange.ts";
import { bodyText } from "./journal.ts";
import { readableBody } from "./readable-body.ts";
import { redirectTarget } from "./redirect-target.ts";

/** A part of an app's answer. */
export interface AnswerPart {
  readonly kind: "body" | "address" | "cookie" | "header";
  /** Completes a phrase that begins with "the app's". */
  readonly place: string;
  readonly text: string;
}

/** All parts of an answer that may contain a secret (hardening C12, G19); the address is the redirect target. */
export function answerParts(exchange: Exchange): AnswerPart[] {
  const { response } = exchange;
  if (response === null) return [];
  const address = redirectTarget(exchange)?.url.href;
  const isPage = mediaType(headerValue(response.headers, "content-type")) === "text/html";
  return [
    { kind: "body", place: isPage ? "page" : "answer", text: answerText(exchange) },
    ...(address === undefined ? [] : [{ kind: "address", place: "redirect to an address", text: address } as const]),
    ...response.headers.flatMap(([name, text]): AnswerPart[] => {
      if (/^location$/i.test(name)) return [];
      return [/^set-cookie$/i.test(name) ? { kind: "cookie", place: "cookie", text } : header(name, text)];
    }),
  ];
}

/** The decoded body of an answer, as far as the journal has it; "" if there was no answer. */
export function answerText({ response }: Exchange): string {
  return response === null ? "" : bodyText(readableBody(response.headers, response.body));
}

function header(name: string, text: string): AnswerPart {
  return { kind: "header", place: `header ${name}`, text };
}

/** Scripts cannot read such a cookie: an app may keep its tokens there. */
export function isHttpOnly(cookie: string): boolean {
  return /;\s*httponly\b/i.test(cookie);
}
