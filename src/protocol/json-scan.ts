/** Deep enough for every real payload, shallow enough that no recursive reader of ours overflows (hardening S24). */
const DEPTH_LIMIT = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const MINUS = 0x2d;
const SMALL_E = 0x65;
const ASCII_CASE_BIT = 0x20;

/** What a look at the marks outside of strings tells; the text may turn out to be no JSON at all. */
export interface JsonMarks {
  /** Members of all objects, as they are written: a key that stands twice counts twice. */
  readonly members: number;
  /** Whether a number has an exponent below zero. */
  readonly hasNegativeExponent: boolean;
}

/** Counts the marks of a JSON text; null when it is nested too deep to be read. */
export function countMarks(text: string): JsonMarks | null {
  let depth = 0;
  let members = 0;
  let hasNegativeExponent = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x7b: // {
      case 0x5b: // [
        depth += 1;
        if (depth > DEPTH_LIMIT) return null;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1;
        break;
      case COLON:
        members += 1;
        break;
      case MINUS:
        if ((text.charCodeAt(at - 1) | ASCII_CASE_BIT) === SMALL_E) hasNegativeExponent = true;
        break;
    }
  }
  return { members, hasNegativeExponent };
}

/** Index of the quote that ends the string whose first quote is at `start`; the length of the text if none does. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** An odd number of backslashes before it: of two, the first makes the second a plain one. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

/** In words, for a message. */
export const tooDeep = `is nested deeper than ${DEPTH_LIMIT} levels`;
