import type { CheerioAPI } from "cheerio";
import { loadBuffer } from "cheerio";
import type { Answer } from "../app-client/read-answer.ts";
import { headerValue, headerValues } from "../journal/exchange.ts";
import { parseUrl } from "../protocol/url.ts";
import { readPolicies } from "./content-policy.ts";
import type { HtmlPage, Link } from "./html-page.ts";
import { oneLine, type PageElement, type PlacedElement, pageElements, readableText, textIn } from "./page-elements.ts";
import { readForms } from "./read-forms.ts";

/** The deepest nesting of elements that is parsed; browsers themselves stop at 512. */
const DEEPEST = 2000;
/** The most elements of a page that are parsed (hardening S20). */
const MOST_ELEMENTS = 50_000;

/**
 * Parses an HTML page, in the encoding that it declares.
 * @returns null if it has so many elements, or nests them so deeply, that parsing would take long
 */
export function readHtml(answer: Pick<Answer, "headers" | "body">, url: string): HtmlPage | null {
  if (!isReadable(Buffer.from(answer.body))) return null;
  const $ = documentOf(answer);
  const base = baseOf($, url);
  const elements = pageElements($);
  const isShown = shownElements();
  const body = elements.find(({ element }) => element.name === "body")?.element;
  return {
    url,
    forms: readForms(elements, url, base),
    links: linksOf(elements, base),
    refresh: refreshOf($, base),
    hasScripts: $("script, [onsubmit]").length > 0,
    scripts: $("script[src]")
      .toArray()
      .flatMap((element) => addressIn($(element).attr("src"), base)),
    inlineScripts: $("script:not([src])")
      .toArray()
      .map((element) => $(element).text()),
    loneButtons: loneButtonsOf(elements),
    shownButtons: loneButtonsOf(elements.filter(({ element, isDisabled }) => !isDisabled && isShown(element))),
    clickables: elements
      .filter(({ element }) => isForScript(element) && isShown(element))
      .map(({ element }) => oneLine(textIn(element)))
      .filter((text) => text !== ""),
    referrerPolicy: referrerPolicyOf($, answer.headers),
    policies: [
      ...headerValues(answer.headers, "content-security-policy"),
      ...$("meta[http-equiv=Content-Security-Policy i]")
        .toArray()
        .map((element) => $(element).attr("content") ?? ""),
    ].flatMap(readPolicies),
    text: body === undefined ? "" : readableText(body),
  };
}

/** Whether a page has an element that matches the selector. */
export function hasElement(answer: Pick<Answer, "headers" | "body">, selector: string): boolean {
  return isReadable(Buffer.from(answer.body)) && documentOf(answer)(selector).length > 0;
}

/** All values of an attribute in a page. */
export function attributeValues(
  answer: Pick<Answer, "headers" | "body">,
  selector: string,
  attribute: string,
): string[] {
  if (!isReadable(Buffer.from(answer.body))) return [];
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

/** Tells whether neither an element nor any ancestor is hidden, as far as the page shows without its styles. */
function shownElements(): (element: PageElement) => boolean {
  // There may be many elements, each far below the root.
  const known = new Map<unknown, boolean>();
  return (element) => {
    const path: PageElement[] = [];
    let node: PageElement["parent"] | PageElement = element;
    for (; node !== null && !known.has(node); node = node.parent) if ("attribs" in node) path.push(node);
    let isShown = known.get(node) ?? true;
    for (const each of path.reverse()) {
      isShown &&= !isHidden(each);
      known.set(each, isShown);
    }
    return isShown && element.attribs.disabled === undefined;
  };
}

function isHidden({ name, attribs }: PageElement): boolean {
  const { hidden, style = "", class: classes = "", open } = attribs;
  if (hidden !== undefined || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)) return true;
  return /hid(e|den)|invisible|d-none/i.test(classes) || (name === "dialog" && open === undefined);
}

function loneButtonsOf(elements: readonly PlacedElement[]): string[] {
  return elements.flatMap(({ element, form }) => {
    const { type, role, value } = element.attribs;
    const isButton =
      element.name === "button" || (element.name === "input" && type?.toLowerCase() === "button") || role === "button";
    if (!isButton || form !== null || element.attribs.form !== undefined) return [];
    return [oneLine(textIn(element) || value || "")];
  });
}

/** Whether a click on it is handled only by a script. */
function isForScript({ name, attribs: { onclick, href = "#" } }: PageElement): boolean {
  return onclick !== undefined && !formParts.has(name) && /^(#|javascript:)/i.test(href.trim());
}

const formParts: ReadonlySet<string> = new Set(["body", "button", "form", "html", "input", "label", "select"]);

/** Counts elements and open elements approximately: runaway pages exceed the limits by far. */
function isReadable(bytes: Buffer): boolean {
  let depth = 0;
  let drawings = 0;
  let count = 0;
  for (const [tag, , slash = "", name = ""] of bytes.toString("latin1").matchAll(tagOrSkipped)) {
    const kind = name.toLowerCase();
    const step = slash === "/" ? -1 : 1;
    if (step === 1) count += 1;
    if (count > MOST_ELEMENTS) return false;
    if (kind === "svg" || kind === "math") drawings = Math.max(0, drawings + step);
    // Only in SVG can an element close itself.
    if (kind === "" || withoutEnd.has(kind) || (drawings > 0 && tag.endsWith("/>"))) continue;
    depth = Math.max(0, depth + step);
    if (depth > DEEPEST) return false;
  }
  return true;
}

/** Comments and scripts, which contain no tags; otherwise a tag. */
const tagOrSkipped = /<!--.*?(?:-->|$)|<(script|style)\b.*?(?:<\/\1|$)|<(\/?)([a-z][^\s<>/]*)(?:[\s/][^<>]*)?>/gis;

/** Elements that need no end tag. */
const withoutEnd: ReadonlySet<string> = new Set(
  "area base body br col dd dt embed head hr html img input li link meta optgroup option p source tbody td tfoot th thead tr track wbr".split(
    " ",
  ),
);

function baseOf($: CheerioAPI, url: string): string {
  const href = $("base[href]").first().attr("href") ?? "";
  return parseUrl(href, url)?.href ?? url;
}

function linksOf(elements: readonly PlacedElement[], base: string): Link[] {
  // A long text may lead to the same place again and again.
  const addresses = new Map<string, string[]>();
  return elements.flatMap(({ element }) => {
    const href = element.name === "a" ? element.attribs.href : undefined;
    if (href === undefined) return [];
    const found = addresses.get(href) ?? addressIn(href, base);
    addresses.set(href, found);
    return found.map((address) => ({ href: address, text: oneLine(textIn(element)) }));
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

/** The last policy name that a browser knows; the page's own, which is a single name, overrides the header's. */
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
