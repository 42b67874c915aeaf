import { isUtf8 } from "node:buffer";
import { clip, harmlessLine } from "./harmless.ts";

/** How much of a line is shown. */
const SHOWN_CHARACTERS = 80;

const usualSlips = "JSON has no comments, no comma after the last member, and all names in double quotes";
/** The same of a file that may have both. */
const usualSlipsBesideComments = "JSON has commas between its members, and all names in double quotes";

/** A secret in a line: its value, whose quotes may be what is wrong. */
const secretValue = /((?:secret|password|token)\w*["']?\s*[:=]\s*)(?:"[^"]*"?|'[^']*'?|[^,}\]]+)/gi;

/**
 * Where a text is no JSON, and how to mend it, on one line: its line and column, what stands there without secrets, and
 * which of the usual slips it is; null: it is JSON, or no text in UTF-8 to begin with.
 * @param mayHaveComments whether this text may have comments, of which there are blanks by now
 */
export function mendJson(bytes: Uint8Array, mayHaveComments = false): string | null {
  const text = Buffer.from(bytes).toString();
  if (text === "" || text.startsWith("\ufeff") || !isUtf8(bytes)) return null;
  const message = faultOf(text);
  if (message === null) return null;
  const at = faultIn(text, message);
  const before = text.slice(0, at).trimEnd();
  const isComma = before.endsWith(",") && /[}\]]/.test(text.charAt(at));
  // The comma is what has to be changed, and at the end of a text its last character.
  const place = isComma || at >= text.length ? Math.max(0, before.length - 1) : at;
  const start = text.lastIndexOf("\n", place - 1) + 1;
  const end = text.indexOf("\n", place);
  const shown = excerpt(text.slice(start, end === -1 ? text.length : end), place - start);
  const where = `line ${text.slice(0, start).split("\n").length} column ${place - start + 1}`;
  const slip = isComma
    ? "JSON has no comma after the last member, take it out"
    : slipAt(text.slice(at), before, { text, message, mayHaveComments });
  return `${where}${shown === "" ? "" : `, in \`${shown}\``}: ${slip}`;
}

/** A reason of the JSON parser without the place, which {@link mendJson} names. */
export function withoutPlace(reason: string): string {
  return reason.replace(/ at position \d+/, "").replace(/ \(line \d+ column \d+\)/, "");
}

/** What is said of a value that is a text with an object or array of JSON in it; null: it is something else. */
export function madeTwice(value: unknown): string | null {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value) || faultOf(value) !== null) return null;
  return "it is a text that holds JSON: was it stringified twice, as by res.json(JSON.stringify(value))? Send the value itself";
}

/** Whether a text that should be JSON is a page. */
export function isHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body)\b/i.test(text);
}

/** Whether each line of a text is an object or array of its own; their number is not looked at beyond a few. */
function isLinesOfJson(text: string): boolean {
  const lines = text.split(/\r?\n/, LOOKED_LINES).filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every((line) => /^\s*[[{]/.test(line) && faultOf(line) === null);
}

const LOOKED_LINES = 5;

/** The part of a line around a place; all of its beginning where what is hidden moved the place. */
function excerpt(line: string, at: number): string {
  const hidden = line.replace(secretValue, (_, name: string) => `${name}…`);
  const from = hidden === line ? Math.max(0, at - SHOWN_CHARACTERS / 2) : 0;
  return `${from > 0 ? "…" : ""}${clip(harmlessLine(hidden.slice(from).trim()), SHOWN_CHARACTERS)}`;
}

/** How the advice ends where nothing but the end is missing. */
export const ENDS_EARLY = "the text ends there, before its JSON does: is a quote, a } or a ] missing?";

/** @param message what JSON.parse says of the whole text */
function slipAt(
  rest: string,
  before: string,
  {
    text,
    message,
    mayHaveComments,
  }: { readonly text: string; readonly message: string; readonly mayHaveComments: boolean },
): string {
  if (rest === "") return ENDS_EARLY;
  if (/^(?:\/[/*]|#|<!--)/.test(rest)) {
    return mayHaveComments ? "a comment is written // … or /* … */" : "JSON has no comments, take it out";
  }
  if (/^['‘’“”`]/.test(rest)) return 'names and texts stand in plain double quotes: "…"';
  if (message.includes("control character")) {
    return "within a text, a line break is written \\n and a tab \\t: is its last quote missing?";
  }
  if (message.includes("escape")) return "a backslash in a text is written twice: \\\\";
  if (message.includes("after JSON")) {
    return isLinesOfJson(text)
      ? "each of its lines is JSON of its own (NDJSON): one value is wanted, with all of them in it"
      : "the JSON has ended before it: is there a } or ] too many?";
  }
  if (message.includes("Expected ':'")) return "a colon is missing between the name and its value";
  if (before.endsWith(",") && rest.startsWith(",")) return "one comma is too many";
  if (before.endsWith(":") && /^[,}\]]/.test(rest)) return "the value is missing";
  if (/^["{[\w-]/.test(rest) && /["}\]\d]$/.test(before)) return "is a comma missing before it?";
  if (/[:[,]\s*$/.test(before) && /^(?:True|False|None)\b/.test(rest))
    return "JSON writes true, false and null so, in small letters";
  if (/[{,]$/.test(before) && /^[\w$]/.test(rest)) return "the name has to stand in double quotes";
  if (/[:[,]\s*[A-Za-z]+$/.test(before) || (/[:[]$/.test(before) && /^[A-Za-z]/.test(rest))) {
    return "a text has to stand in double quotes; without them there are only numbers, true, false and null";
  }
  return mayHaveComments ? usualSlipsBesideComments : usualSlips;
}

/** The index of the first character that cannot stand where it does; the length of a text that ends too early. */
function faultIn(text: string, message: string): number {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  if (!isUnexpected(message)) return text.length;
  // Of an unexpected token the engine names no place: it is the last character of the shortest beginning that has it.
  let good = 0;
  let bad = text.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isUnexpected(faultOf(text.slice(0, middle)) ?? "")) bad = middle;
    else good = middle;
  }
  return good;
}

function isUnexpected(message: string): boolean {
  return /^Unexpected token|is not valid JSON$/.test(message);
}

function faultOf(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
