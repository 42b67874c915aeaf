import type { CheerioAPI } from "cheerio";
import type { Answer } from "../app-client/read-answer.ts";
import { headerValue } from "../journal/exchange.ts";
import { parseUrl } from "../protocol/url.ts";
import type { HtmlForm } from "./html-form.ts";
import { readForms } from "./read-forms.ts";

/** A page of the app, as a browser without scripts sees it. */
export interface HtmlPage {
  readonly url: string;
  readonly forms: readonly HtmlForm[];
  /** Full addresses of its links. */
  readonly links: readonly string[];
  /** Full address of the page that it goes on to by itself; null: it does not. */
  readonly refresh: string | null;
  readonly hasScripts: boolean;
  /** What a person reads on it, in one line. */
  readonly text: string;
  /** How much of its address it lets others see (Referrer Policy); "" where it does not say. */
  readonly referrerPolicy: string;
}

/** Elements in elements that are worth reading; browsers themselves stop at 512. */
const DEEPEST = 2000;

/**
 * Reads an HTML page, in the encoding that it says it has.
 * @returns null where it is so deeply nested that it would take long to read
 */
export async function readHtmlPage({ headers, body }: Answer, url: string): Promise<HtmlPage | null> {
  // Loaded here, because most runs read no page.
  const { loadBuffer } = await import("cheerio");
  const bytes = Buffer.from(body);
  if (depthOf(bytes.toString("latin1")) > DEEPEST) return null;
  const charset = /charset="?([\w-]+)/i.exec(headerValue(headers, "content-type") ?? "")?.[1];
  const encoding = charset === undefined ? {} : { transportLayerEncodingLabel: charset };
  const $ = loadBuffer(bytes, { scriptingEnabled: false, encoding });
  const base = baseOf($, url);
  return {
    url,
    forms: readForms($, url, base),
    links: linksOf($, base),
    refresh: refreshOf($, base),
    hasScripts: $("script").length > 0,
    referrerPolicy: referrerPolicyOf($, headers),
    text: textOf($),
  };
}

/** The most elements that are open at once, about: a page that runs away is worse by far. */
function depthOf(html: string): number {
  let depth = 0;
  let deepest = 0;
  let drawings = 0;
  for (const [tag, , slash = "", name = ""] of html.matchAll(tagOrSkipped)) {
    const kind = name.toLowerCase();
    const step = slash === "/" ? -1 : 1;
    if (kind === "svg" || kind === "math") drawings = Math.max(0, drawings + step);
    // Only in drawings an element can close itself.
    if (kind === "" || withoutEnd.has(kind) || (drawings > 0 && tag.endsWith("/>"))) continue;
    depth = Math.max(0, depth + step);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Comments and scripts, in which tags are none; else a tag. */
const tagOrSkipped = /<!--.*?(?:-->|$)|<(script|style)\b.*?(?:<\/\1|$)|<(\/?)([a-z][^\s<>/]*)(?:[\s/][^<>]*)?>/gis;

/** Elements that need no end. */
const withoutEnd: ReadonlySet<string> = new Set(
  "area base body br col dd dt embed head hr html img input li link meta optgroup option p source tbody td tfoot th thead tr track wbr".split(
    " ",
  ),
);

function baseOf($: CheerioAPI, url: string): string {
  const href = $("base[href]").first().attr("href") ?? "";
  return parseUrl(href, url)?.href ?? url;
}

function linksOf($: CheerioAPI, base: string): string[] {
  return $("a[href]")
    .toArray()
    .flatMap((element) => addressIn($(element).attr("href"), base));
}

function refreshOf($: CheerioAPI, base: string): string | null {
  const refreshes = $("meta[http-equiv]")
    .toArray()
    .filter((element) => $(element).attr("http-equiv")?.toLowerCase() === "refresh")
    .map((element) => /^[\d.\s]*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec($(element).attr("content") ?? "")?.[1]);
  return refreshes.flatMap((href) => addressIn(href, base))[0] ?? null;
}

function addressIn(href: string | undefined, base: string): string[] {
  const url = href === undefined ? null : parseUrl(href, base);
  return url === null ? [] : [url.href];
}

/** The last name that a browser knows; the page's own word, which is one name, beats the header's. */
function referrerPolicyOf($: CheerioAPI, headers: Answer["headers"]): string {
  const lists = headers.flatMap(([name, value]) => (name.toLowerCase() === "referrer-policy" ? value.split(",") : []));
  const metas = $("meta[name=referrer]")
    .toArray()
    .map((element) => $(element).attr("content") ?? "");
  const names = [...lists, ...metas].map((name) => name.trim().toLowerCase());
  return names.findLast((name) => referrerPolicies.has(name)) ?? "";
}

const referrerPolicies: ReadonlySet<string> = new Set([
  "no-referrer",
  "no-referrer-when-downgrade",
  "origin",
  "origin-when-cross-origin",
  "same-origin",
  "strict-origin",
  "strict-origin-when-cross-origin",
  "unsafe-url",
]);

/** Changes the page: for the end. */
function textOf($: CheerioAPI): string {
  $("script, style, template, select, textarea, [hidden]").remove();
  // Words of neighbouring elements are not one word.
  $("body *").not("a, b, code, em, i, small, span, strong").after(" ");
  return $("body").text().replaceAll(/\s+/g, " ").trim();
}
