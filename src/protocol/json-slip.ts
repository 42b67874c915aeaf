import { isUtf8 } from "node:buffer";
import { clip, harmlessLine } from "./harmless.ts";

/** How much of a line is shown. */
const SHOWN_CHARACTERS = 80;

const usualSlips = "JSON has no comments, no comma after the last member, and all names in double quotes";
/** The same for a file that may have comments and trailing commas. */
const usualSlipsBesideComments = "JSON has commas between its members, and all names in double quotes";

/** A secret in a line: its value, whose quotes may be what is wrong. */
const secretValue = /((?:secret|password|token)\w*["']?\s*[:=]\s*)(?:"[^"]*"?|'[^']*'?|[^,}\]]+)/gi;

/**
 * Where a text is not valid JSON, and how to fix it, on one line: line and column, an excerpt without secrets, and
 * which common mistake it is; null if it is valid, or not UTF-8.
 * @param written the text as it was written, if comments and trailing commas are allowed in it; in `bytes`, spaces
 * replace them
 */
export function locateJsonSlip(bytes: Uint8Array, written?: string): string | null {
  const text = Buffer.from(bytes).toString();
  if (text === "" || text.startsWith("\ufeff") || !isUtf8(bytes)) return null;
  const message = faultOf(text);
  if (message === null) return null;
  const at = faultIn(text, message);
  const before = text.slice(0, at).trimEnd();
  const isComma = before.endsWith(",") && /[}\]]/.test(text.charAt(at));
  // Point at the comma that has to go; at the end of a text, at its last character.
  const place = isComma || at >= text.length ? Math.max(0, before.length - 1) : at;
  const start = text.lastIndexOf("\n", place - 1) + 1;
  const end = text.indexOf("\n", place);
  const shown = excerpt((written ?? text).slice(start, end === -1 ? text.length : end), place - start);
  const where = `line ${text.slice(0, start).split("\n").length} column ${place - start + 1}`;
  const slip = isComma
    ? "JSON allows no comma after the last member: remove it"
    : slipAt(text.slice(at), before, { text, message, mayHaveComments: written !== undefined });
  return `${where}${shown === "" ? "" : `, in \`${shown}\``}: ${slip}`;
}

/** A JSON parser's message without the position, which {@link locateJsonSlip} names. */
export function withoutPlace(reason: string): string {
  return reason.replace(/ at position \d+/, "").replace(/ \(line \d+ column \d+\)/, "");
}

/** What to say about a string that itself holds a JSON object or array; null if it is something else. */
export function madeTwice(value: unknown): string | null {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value) || faultOf(value) !== null) return null;
  return "it is a string of JSON: was it stringified twice, as by res.json(JSON.stringify(value))? Send the value itself";
}

/** Whether a text that should be JSON is an HTML page. */
export function isHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body)\b/i.test(text);
}

/** Whether each line of a text is an object or array of its own; only the first lines are checked. */
function isLinesOfJson(text: string): boolean {
  const lines = text.split(/\r?\n/, LOOKED_LINES).filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every((line) => /^\s*[[{]/.test(line) && faultOf(line) === null);
}

const LOOKED_LINES = 5;

/** The part of a line around a position; the start of the line if hiding secrets moved the position. */
function excerpt(line: string, at: number): string {
  const hidden = line.replace(secretValue, (_, name: string) => `${name}…`);
  const from = hidden === line ? Math.max(0, at - SHOWN_CHARACTERS / 2) : 0;
  return `${from > 0 ? "…" : ""}${clip(harmlessLine(hidden.slice(from).trim()), SHOWN_CHARACTERS)}`;
}

/** The advice if only the end is missing. */
export const ENDS_EARLY = "the text ends in the middle of the JSON: is a quote, a } or a ] missing?";

/** @param message what JSON.parse says about the whole text */
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
    return mayHaveComments ? "a comment is written // … or /* … */" : "JSON has no comments: remove it";
  }
  if (/^['‘’“”`]/.test(rest)) return 'names and strings need plain double quotes: "…"';
  if (message.includes("control character")) {
    return "in a string, a line break is written \\n and a tab \\t: is the closing quote missing?";
  }
  if (message.includes("escape")) return "a backslash in a string is written twice: \\\\";
  if (message.includes("after JSON")) {
    return isLinesOfJson(text)
      ? "each line is a JSON value of its own (NDJSON), but a single value is expected: put them into one"
      : "the JSON ends before it: is there a } or ] too many?";
  }
  if (message.includes("Expected ':'")) return "a colon is missing between the name and its value";
  if (before.endsWith(",") && rest.startsWith(",")) return "there is one comma too many";
  if (before.endsWith(":") && /^[,}\]]/.test(rest)) return "the value is missing";
  if (/^["{[\w-]/.test(rest) && /["}\]\d]$/.test(before)) return "is a comma missing before it?";
  if (/[:[,]\s*$/.test(before) && /^(?:True|False|None)\b/.test(rest))
    return "JSON writes true, false and null in lower case";
  if (/[{,]$/.test(before) && /^[\w$]/.test(rest)) return "the name needs double quotes";
  if (/[:[,]\s*[A-Za-z]+$/.test(before) || (/[:[]$/.test(before) && /^[A-Za-z]/.test(rest))) {
    return "a string needs double quotes; only numbers, true, false and null have none";
  }
  return mayHaveComments ? usualSlipsBesideComments : usualSlips;
}

/** A text may be megabytes of white space. */
const START_CHARACTERS = 200;

/** What is around a value that is code, or the default text of an object, instead of JSON; null for anything else. */
export function aroundJson(text: string): string | null {
  const start = text.slice(0, START_CHARACTERS);
  if (/^\s*\[object \w+\]\s*$/.test(start))
    return "an object became text without JSON: send JSON.stringify(value), in Express res.json(value)";
  const [code] = /^\s*(?:module\.exports\s*=|export\s+default\b)/.exec(start) ?? [];
  return code === undefined ? null : `JSON is only the value: leave out ${code.trim()}`;
}

/** The index of the first character that is not allowed; the length of a text that ends too early. */
function faultIn(text: string, message: string): number {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  if (!isUnexpected(message)) return text.length;
  // The engine gives no position for an unexpected token: it is the last character of the shortest prefix that has this
  // error.
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
