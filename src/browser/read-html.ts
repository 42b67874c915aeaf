import type { CheerioAPI } from "cheerio";
import { loadBuffer } from "cheerio";
import type { Answer } from "../app-client/read-answer.ts";
import { headerValue } from "../journal/exchange.ts";
import { parseUrl } from "../protocol/url.ts";
import type { HtmlPage, Link } from "./html-page.ts";
import { readForms } from "./read-forms.ts";

/** Elements in elements that are worth reading; browsers themselves stop at 512. */
const DEEPEST = 2000;

/**
 * Reads an HTML page, in the encoding that it says it has.
 * @returns null where it is so deeply nested that it would take long to read
 */
export function readHtml({ headers, body }: Pick<Answer, "headers" | "body">, url: string): HtmlPage | null {
  const bytes = Buffer.from(body);
  if (depthOf(bytes.toString("latin1")) > DEEPEST) return null;
  const $ = documentOf({ headers, body });
  const base = baseOf($, url);
  return {
    url,
    forms: readForms($, url, base),
    links: linksOf($, base),
    refresh: refreshOf($, base),
    hasScripts: $("script").length > 0,
    scripts: $("script[src]")
      .toArray()
      .flatMap((element) => addressIn($(element).attr("src"), base)),
    inlineScripts: $("script:not([src])")
      .toArray()
      .map((element) => $(element).text()),
    loneButtons: loneButtonsOf($),
    referrerPolicy: referrerPolicyOf($, headers),
    text: textOf($),
  };
}

/** Whether a page has an element, or one with an attribute, that fits the selector. */
export function hasElement(answer: Pick<Answer, "headers" | "body">, selector: string): boolean {
  return depthOf(Buffer.from(answer.body).toString("latin1")) <= DEEPEST && documentOf(answer)(selector).length > 0;
}

/** The values of an attribute, wherever it stands in a page. */
export function attributeValues(
  answer: Pick<Answer, "headers" | "body">,
  selector: string,
  attribute: string,
): string[] {
  const $ = documentOf(answer);
  return $(selector)
    .toArray()
    .flatMap((element) => $(element).attr(attribute) ?? []);
}

function documentOf({ headers, body }: Pick<Answer, "headers" | "body">): CheerioAPI {
  const charset = /charset="?([\w-]+)/i.exec(headerValue(headers, "content-type") ?? "")?.[1];
  const encoding = charset === undefined ? {} : { transportLayerEncodingLabel: charset };
  return loadBuffer(Buffer.from(body), { scriptingEnabled: false, encoding });
}

function loneButtonsOf($: CheerioAPI): string[] {
  return $("button, input[type=button], [role=button]")
    .toArray()
    .filter((element) => $(element).closest("form").length === 0 && $(element).attr("form") === undefined)
    .map((element) => ($(element).text() || $(element).attr("value") || "").replaceAll(/\s+/g, " ").trim());
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

function linksOf($: CheerioAPI, base: string): Link[] {
  return $("a[href]")
    .toArray()
    .flatMap((element) => {
      const text = $(element).text().replaceAll(/\s+/g, " ").trim();
      return addressIn($(element).attr("href"), base).map((href) => ({ href, text }));
    });
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
