import { stat } from "node:fs/promises";
import path from "node:path";
import { readUserFile } from "../config/json-file.ts";
import { decodeText } from "../formats/decode-text.ts";
import { type FormatName, formatOf } from "../formats/format-names.ts";
import { languageOfPath } from "../formats/language-names.ts";
import { parseFile } from "../formats/parse-file.ts";
import type { ParsedFile } from "../formats/parsed-file.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** Far more than a localization file has; the parsers hold a file several times over. */
const FILE_LIMIT_BYTES = 16 * 1024 * 1024;

/** A localization file taken apart, and the format that it has. */
export interface ReadFile extends ParsedFile {
  readonly format: FormatName;
}

/**
 * Reads a localization file that the user named.
 * @param type the format that the user names, `language` the language; else ending and path tell them
 * @throws UsageError when it cannot be read, or is not what its format wants
 */
export async function readLocalization(
  file: string,
  {
    cwd,
    type,
    language,
  }: { readonly cwd: string; readonly type: string | undefined; readonly language: string | null },
): Promise<ReadFile> {
  const format = formatOf(file, type);
  const place = path.resolve(cwd, file);
  const { size = 0, isFile } = await fileFacts(place);
  if (!isFile || size > FILE_LIMIT_BYTES) {
    const what = isFile ? `is larger than ${FILE_LIMIT_BYTES / 1024 / 1024} MiB` : "is no ordinary file";
    throw new UsageError("file-unreadable", `${file} ${what}`, "give a localization file, or a part of it");
  }
  const text = decodeText(await readUserFile(place, "file"), file, format);
  return { format, ...(await parseFile({ file, format, text, language: language ?? languageOfPath(place) })) };
}

/** A file that is not there is told of when it is read. */
async function fileFacts(place: string): Promise<{ readonly size?: number; readonly isFile: boolean }> {
  try {
    const facts = await stat(place);
    return { size: facts.size, isFile: facts.isFile() || facts.isDirectory() };
  } catch {
    return { isFile: true };
  }
}
