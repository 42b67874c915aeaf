import { clip, harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { SourceText } from "./parsed-file.ts";

const QUOTED_CHARACTERS = 60;

/**
 * A file that is not what its format wants.
 * @param line from 1; null where the parser does not know it
 * @param what such as `expected an object of keys and texts`
 */
export function invalidFile(
  { file, format }: Pick<SourceText, "file" | "format">,
  line: number | null,
  what: string,
): UsageError {
  return new UsageError(
    "file-invalid",
    `${file}${line === null ? "" : `, line ${line}`}: cannot be read as ${format}: ${harmlessLine(what)}`,
    "mend the file, or name its format with --type if it is another",
  );
}

/** What stands in the file, short enough for a message. */
export function quoted(text: string): string {
  return `"${clip(harmlessLine(text), QUOTED_CHARACTERS)}"`;
}

/** The line, from 1, that holds this offset of the text. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
