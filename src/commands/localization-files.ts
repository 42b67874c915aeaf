import path from "node:path";
import { endingsOf, formatNames } from "../formats/format-names.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { filesNamed } from "./files-named.ts";
import { isMadeFixture } from "./write-fixtures.ts";

/**
 * The localization files that arguments name: files, directories (what has a known ending, at any depth) and glob
 * patterns. In the order of the arguments, each once.
 * @throws UsageError for an argument that names none
 */
export async function localizationFiles(cwd: string, names: readonly string[]): Promise<string[]> {
  const files = new Map<string, string>();
  for (const name of names) {
    const found = await filesNamed(
      cwd,
      name,
      formatNames.flatMap(endingsOf).map((ending) => `**/*${ending}`),
    );
    if (found.length === 0) {
      throw new UsageError(
        "no-localization-file",
        `there is no localization file in ${name}`,
        "give localization files, directories of them, or patterns such as 'locales/**/*.json'",
      );
    }
    for (const file of found) files.set(path.resolve(cwd, file), file);
  }
  const all = [...files.values()];
  const sources = all.filter((file) => !isMadeFixture(file));
  // Where there is nothing else, whoever reads it says what it is.
  return sources.length > 0 ? sources : all;
}
