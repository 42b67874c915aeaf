import type { Answer } from "../app-client/read-answer.ts";
import { headerValue } from "../journal/exchange.ts";
import { parseUrl } from "../protocol/url.ts";
import type { PageRequest } from "./form-request.ts";

/** How many redirects a browser follows before it gives up. */
export const MOST_REDIRECTS = 10;

/** The request that a redirect asks for, as a browser makes it; null: the answer is not a redirect. */
export function redirectOf(
  answer: Answer,
  { method, url, body, contentType }: PageRequest,
): PageRequest | "invalid" | null {
  const { status } = answer;
  const location = headerValue(answer.headers, "location");
  if (![301, 302, 303, 307, 308].includes(status)) return null;
  if (location === undefined) return "invalid";
  // Browsers read the bytes of this header as UTF-8.
  const target = Buffer.from(location, "latin1").toString();
  const href = parseUrl(target, url)?.href;
  if (href === undefined) return "invalid";
  const isKept = method === "GET" || status === 307 || status === 308;
  return isKept
    ? { method, url: href, body, contentType }
    : { method: "GET", url: href, body: new Uint8Array(), contentType: null };
}
