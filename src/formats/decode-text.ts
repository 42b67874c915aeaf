import type { FormatName } from "./format-names.ts";
import { invalidFile, quoted } from "./invalid-file.ts";

/** Enough for a declaration in the file's first lines. */
const HEAD_BYTES = 4096;

/** How a file says its own encoding, where its format lets it. */
const declarations: Partial<Readonly<Record<FormatName, RegExp>>> = {
  android: /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/,
  xliff: /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/,
  stringsdict: /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/,
  gettext: /Content-Type:[^\n]*charset=([\w.:-]+)/i,
};

/**
 * The text of a localization file, without byte order mark and with line feeds only: UTF-8, UTF-16 where it begins
 * with its mark or like it, what the file declares, and for .properties that are no UTF-8 Latin-1, as Java had it.
 * @throws UsageError when the bytes are not in that encoding
 */
export function decodeText(bytes: Uint8Array, file: string, format: FormatName): string {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  if (head.startsWith("bplist")) {
    throw invalidFile({ file, format }, null, "it is a compiled property list; plutil -convert xml1 makes text of it");
  }
  const encoding = encodingByMark(bytes) ?? declaredEncoding(head, format) ?? "utf-8";
  const text = decode(bytes, encoding) ?? (format === "properties" ? decode(bytes, "latin1") : null);
  if (text === null) throw invalidFile({ file, format }, null, `it is not in the encoding ${quoted(encoding)}`);
  return text.replaceAll(/\r\n?/g, "\n");
}

function encodingByMark(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xef && second === 0xbb) return "utf-8";
  // Every format here begins with an ASCII character: in UTF-16 the other half of it is 0.
  if (first !== 0 && second === 0) return "utf-16le";
  return first === 0 && second !== 0 ? "utf-16be" : null;
}

function declaredEncoding(head: string, format: FormatName): string | null {
  const [, declared] = declarations[format]?.exec(head) ?? [];
  // A template's placeholder; and what is no UTF-16 by its bytes cannot be by its declaration.
  return declared === undefined || declared === "CHARSET" || /^utf-?16/i.test(declared) ? null : declared;
}

function decode(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
