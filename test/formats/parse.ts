import { formatOf } from "../../src/formats/format-names.ts";
import { languageOfPath } from "../../src/formats/language-names.ts";
import { parseFile } from "../../src/formats/parse-file.ts";
import type { ParsedFile } from "../../src/formats/parsed-file.ts";

/** Parses a text as the file of this name; `language` is what the user says of it. */
export function parse(file: string, text: string, language = languageOfPath(file)): Promise<ParsedFile> {
  return parseFile({ file, format: formatOf(file, undefined), text, language });
}

/** Identifiers and texts. */
export async function texts(file: string, text: string): Promise<Record<string, unknown>> {
  const { strings } = await parse(file, text);
  return Object.fromEntries(strings.map((string) => [string.identifier, string.text]));
}
