import secureJson from "secure-json-parse";
import { harmlessLine } from "./harmless.ts";
import { jsonHazard } from "./json-scan.ts";

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/**
 * The one JSON parser for bytes from outside: strict UTF-8 (RFC 8259 8.1), no byte order mark, no
 * `__proto__` or `constructor.prototype` keys, no key twice, bounded depth. The reason of a failure is one line.
 */
export function parseJson(bytes: Uint8Array): ParsedJson {
  if (bytes.length === 0) return { ok: false, reason: "the body is empty" };
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { ok: false, reason: "the body begins with a byte order mark, which JSON does not allow (RFC 8259 8.1)" };
  }
  const text = decodeUtf8(bytes);
  if (text === null) {
    const offset = firstBadByte(bytes);
    const what = offset === bytes.length ? "it ends within a character" : `a bad byte at offset ${offset}`;
    return { ok: false, reason: `the body is not UTF-8: ${what}` };
  }
  const hazard = jsonHazard(text);
  if (hazard !== null) return { ok: false, reason: `the body ${hazard}` };
  try {
    return { ok: true, value: secureJson.parse(text) };
  } catch (error) {
    return {
      ok: false,
      reason: `the body is not valid JSON: ${withLine(harmlessLine((error as Error).message), text)}`,
    };
  }
}

/** Newer Nodes name line and column themselves. */
function withLine(message: string, text: string): string {
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
 * Bisects for the longest prefix that can go on as UTF-8: called only once a decode of the whole has failed.
 * The length where only the end is missing.
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
