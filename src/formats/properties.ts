import { Comment, Pair, parseLines } from "dot-properties";
import { invalidFile, lineAt, quoted } from "./invalid-file.ts";
import type { ParsedFile, ParsedString, SourceText } from "./parsed-file.ts";

/**
 * Java's .properties; comments that stand directly before a key are its context.
 * @throws UsageError with the line for an escape that Java refuses
 */
export function parseProperties(source: SourceText): ParsedFile {
  const strings: ParsedString[] = [];
  let comments: string[] = [];
  for (const line of parseLines(source.text, true)) {
    if (line instanceof Comment) {
      comments.push(line.comment.replace(/^[#!]+\s*/, ""));
      continue;
    }
    if (line instanceof Pair) {
      refuseBadEscape(source, line);
      const context = comments.join("\n").trim();
      strings.push({ identifier: line.key, text: line.value, ...(context === "" ? {} : { context }) });
    }
    comments = [];
  }
  return { sourceLanguage: null, strings, translations: [], leftOut: [] };
}

/** `\u` and four digits, the beginning of such, or another escape. */
const escapes = /\\(?:u[0-9a-fA-F]{4}|(?<bad>u[0-9a-fA-F]{0,3})|[\s\S])/g;

/** The package takes `\u12` for `u12`, in silence. */
function refuseBadEscape(source: SourceText, { range: [start, , , end] = [0, 0, 0, 0] }: Pair): void {
  const bad = [...source.text.slice(start, end).matchAll(escapes)].find(({ groups }) => groups?.bad !== undefined);
  if (bad === undefined) return;
  throw invalidFile(
    source,
    lineAt(source.text, start + bad.index),
    `expected four hexadecimal digits after \\u, found ${quoted(bad[0])}`,
  );
}
