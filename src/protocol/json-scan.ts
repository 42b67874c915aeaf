/** Deep enough for every real payload, shallow enough that no recursive reader of ours overflows (hardening S24). */
const DEPTH_LIMIT = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const MINUS = 0x2d;
const SMALL_E = 0x65;
const ASCII_CASE_BIT = 0x20;

/** Counts and marks outside of strings; the text may still turn out not to be JSON. */
export interface JsonMarks {
  /** Members of all objects as written: a key that occurs twice counts twice. */
  readonly members: number;
  /** Whether a number has an exponent below zero. */
  readonly hasNegativeExponent: boolean;
}

/** Counts the marks of a JSON text; null if it is nested too deeply to be read. */
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

/**
 * Index of the closing quote of the string whose opening quote is at `start`; the length of the text if there is none.
 */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes precedes it: of each pair, the first escapes the second. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

/** In words, for a message. */
export const tooDeep = `is nested deeper than ${DEPTH_LIMIT} levels`;
