import secureJson from "secure-json-parse";
import { harmlessLine } from "./harmless.ts";
import { inspectJson, type JsonNote } from "./json-notes.ts";
import { countMarks, tooDeep } from "./json-scan.ts";

export type ParsedJson =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** At most 20, then one that counts the rest. */
      readonly notes: readonly JsonNote[];
    }
  | { readonly ok: false; readonly reason: string };

/**
 * The one JSON parser for bytes from outside: strict UTF-8 (RFC 8259 8.1), no byte order mark, no `__proto__` or
 * `constructor.prototype` keys, no duplicate keys, bounded depth. The reason of a failure is one line. What is allowed
 * but unwise is a note with its path (hardening R17, R18).
 * @param what names the bytes in reasons and notes
 */
export function parseJson(bytes: Uint8Array, what = "the body"): ParsedJson {
  if (bytes.length === 0) return { ok: false, reason: `${what} is empty` };
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { ok: false, reason: `${what} begins with a byte order mark, which JSON does not allow (RFC 8259 8.1)` };
  }
  const text = decodeUtf8(bytes);
  if (text === null) {
    const offset = firstBadByte(bytes);
    const fault = offset === bytes.length ? "it ends in the middle of a character" : `invalid byte at offset ${offset}`;
    return { ok: false, reason: `${what} is not UTF-8: ${fault}` };
  }
  const marks = countMarks(text);
  if (marks === null) return { ok: false, reason: `${what} ${tooDeep}` };
  let value: unknown;
  try {
    value = secureJson.parse(text);
  } catch (error) {
    const reason = `${what} is not valid JSON: ${faultText(error as Error, text)}`;
    return { ok: false, reason };
  }
  const held = countHeld(value, { keys: 0, hasUnsafeNumber: false });
  // If a key occurs twice, the parsed value has it only once.
  const isPlain = held.keys === marks.members && !held.hasUnsafeNumber && !marks.hasNegativeExponent;
  if (isPlain && !surrogateEscape.test(text)) return { ok: true, value, notes: [] };
  const { repeatedKey, notes } = inspectJson(text, what);
  return repeatedKey === null ? { ok: true, value, notes } : { ok: false, reason: `${what} ${repeatedKey}` };
}

/** A note as one line. */
export function noteText({ path, message }: JsonNote): string {
  return path === "" ? message : `${path} ${message}`;
}

/** Strict UTF-8 lets a surrogate through only as an escape, even if it is one of a pair. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

interface Held {
  keys: number;
  hasUnsafeNumber: boolean;
}

function countHeld(value: unknown, held: Held): Held {
  if (typeof value === "number") {
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) held.hasUnsafeNumber = true;
  } else if (Array.isArray(value)) for (const item of value) countHeld(item, held);
  else if (typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) {
      held.keys += 1;
      countHeld((value as Record<string, unknown>)[key], held);
    }
  }
  return held;
}

/** The message of JSON.parse, without what is already said; newer Nodes name line and column themselves. */
function faultText(error: Error, text: string): string {
  const message = harmlessLine(error.message).replace(/, (\S.*) is not valid JSON$/, " in $1");
  const position = /at position (\d+)$/.exec(message)?.[1];
  if (position === undefined) return message;
  const before = text.slice(0, Number(position)).split("\n");
  return `${message} (line ${before.length} column ${(before.at(-1)?.length ?? 0) + 1})`;
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Bisects for the longest prefix that is valid so far as UTF-8: called only once decoding the whole has failed. Returns
 * the length if only the end is missing.
 */
function firstBadByte(bytes: Uint8Array): number {
  const decodes = (length: number) => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
