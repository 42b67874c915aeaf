import type { HeaderLines } from "../journal/exchange.ts";
import type { PageRequest } from "./form-request.ts";
import type { HtmlPage } from "./html-page.ts";

/**
 * The header lines of a request that a browser makes for a page.
 * @param from the page that leads there; null: an address that sends no referrer, such as the platform
 * @param cookies for the Cookie header; may be empty
 */
export function pageHeaders(
  { method, url, contentType }: PageRequest,
  from: HtmlPage | null,
  platform: string,
  cookies: string,
): HeaderLines {
  const referrer = from === null ? null : referrerOf(from, new URL(url));
  const given: [name: string, value: string | null][] = [
    ["User-Agent", "app-sim"],
    ["Accept", "text/html,application/xhtml+xml,*/*;q=0.8"],
    ["Accept-Language", "en"],
    ["Accept-Encoding", "identity"],
    ["Origin", method === "POST" && from !== null ? originOf(from, new URL(url)) : null],
    ["Content-Type", contentType],
    ["Referer", referrer],
    ["Cookie", cookies === "" ? null : cookies],
    ["Upgrade-Insecure-Requests", "1"],
    ["Sec-Fetch-Site", siteOf(new URL(from?.url ?? platform), new URL(url))],
    ["Sec-Fetch-Mode", "navigate"],
    ["Sec-Fetch-User", "?1"],
    ["Sec-Fetch-Dest", "document"],
  ];
  return given.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

/** A page that hides its address there hides its origin too (Fetch standard, "append a request Origin header"). */
function originOf({ url, referrerPolicy }: HtmlPage, to: URL): string {
  const { origin } = new URL(url);
  const isHidden = referrerPolicy === "no-referrer" || (referrerPolicy === "same-origin" && origin !== to.origin);
  return isHidden ? "null" : origin;
}

/** As much of the page's address as its policy lets be seen there (Referrer Policy, 8.3). */
function referrerOf({ url, referrerPolicy }: HtmlPage, to: URL): string | null {
  const from = new URL(url);
  from.hash = "";
  const isSame = from.origin === to.origin;
  const isDowngrade = from.protocol === "https:" && to.protocol === "http:";
  switch (referrerPolicy) {
    case "no-referrer":
      return null;
    case "unsafe-url":
      return from.href;
    case "no-referrer-when-downgrade":
      return isDowngrade ? null : from.href;
    case "same-origin":
      return isSame ? from.href : null;
    case "origin":
      return `${from.origin}/`;
    case "strict-origin":
      return isDowngrade ? null : `${from.origin}/`;
    case "origin-when-cross-origin":
      return isSame ? from.href : `${from.origin}/`;
    default:
      if (isSame) return from.href;
      return isDowngrade ? null : `${from.origin}/`;
  }
}

/** On one host every port is of the same site. */
function siteOf(from: URL, to: URL): "same-origin" | "same-site" | "cross-site" {
  if (from.origin === to.origin) return "same-origin";
  return from.protocol === to.protocol && from.hostname === to.hostname ? "same-site" : "cross-site";
}
