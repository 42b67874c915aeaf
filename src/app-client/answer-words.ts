import { type HeaderLines, headerValue } from "../journal/exchange.ts";
import { parseJson } from "../protocol/json.ts";
import type { Answer } from "./read-answer.ts";

/** Frameworks put the reason of a refusal at the beginning of their pages. */
const READ_BYTES = 16_384;
const PASSAGES = 8;
/** All the text of a page this short is its message, whatever elements it is in. */
const SHORT_PAGE = 500;

/** The prose in an answer, for a search: strings in JSON, the first passages of a page, or all of a short text. */
export function answerWords({ headers, body }: Answer): string {
  const text = Buffer.from(body.subarray(0, READ_BYTES)).toString("utf8").trim();
  const challenge = headerValue(headers, "www-authenticate") ?? "";
  return [...(text.startsWith("<") ? pageTexts(text) : wordsIn(body, text)), challenge].join("\n");
}

function wordsIn(body: Uint8Array, text: string): string[] {
  const parsed = body.length <= READ_BYTES ? parseJson(body) : null;
  return parsed?.ok === true && typeof parsed.value === "object" ? textsIn(parsed.value) : [text];
}

/** Titles, headings, paragraphs and the first line of preformatted text; for a short page, all of its text. */
function pageTexts(html: string): string[] {
  const passages = html.matchAll(/<(?:title|h1|p|pre)\b[^<>]{0,200}>([^<]{1,500})/gi);
  const words = [...passages].slice(0, PASSAGES).map(([, passage = ""]) => passage);
  const bare = html.length > SHORT_PAGE ? [] : html.split(/<[^<>]*>/).filter((text) => !words.includes(text));
  return [...words, ...bare.filter((text) => text.trim() !== "").slice(0, PASSAGES)].map(withQuotes);
}

/** Frameworks escape quotes in error messages. */
function withQuotes(html: string): string {
  return html.replaceAll("&quot;", '"').replaceAll(/&#(?:39|x27);/g, "'");
}

/** The strings in a JSON value; the verdict of a guard counts as one. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const { success } = value as { readonly success?: unknown };
  return [
    ...Object.values(value).flatMap(textsIn),
    ...(typeof success === "boolean" ? [JSON.stringify({ success })] : []),
  ];
}

/** Whether an answer sets a cookie whose name matches. */
export function setsCookie(headers: HeaderLines, name: RegExp): boolean {
  return headers.some(
    ([line, value]) => line.toLowerCase() === "set-cookie" && name.test(value.split("=", 1)[0] ?? ""),
  );
}
