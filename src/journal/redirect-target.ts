import { parseUrl } from "../protocol/url.ts";
import { type Exchange, headerValue } from "./exchange.ts";

/** Statuses on which a browser goes to another address (RFC 9110, 15.4). */
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** Where an answer redirects the browser, as a URL and as written in the header; null if it does not. */
export function redirectTarget({ request, response }: Exchange): { readonly url: URL; readonly raw: string } | null {
  if (response === null || !redirects.includes(response.status)) return null;
  const location = headerValue(response.headers, "location");
  if (location === undefined) return null;
  // Browsers decode the bytes of this header as UTF-8.
  const url = parseUrl(Buffer.from(location, "latin1").toString(), request.url);
  return url === null ? null : { url, raw: location };
}
