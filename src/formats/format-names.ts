import path from "node:path";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** The formats that can be read, by the endings of their files. */
const endings = {
  json: [".json"],
  yaml: [".yaml", ".yml"],
  android: [".xml"],
  strings: [".strings"],
  stringsdict: [".stringsdict"],
  gettext: [".po", ".pot"],
  xliff: [".xlf", ".xliff", ".xlf2"],
  arb: [".arb"],
  properties: [".properties"],
} as const;
export type FormatName = keyof typeof endings;

export const formatNames = Object.keys(endings) as readonly FormatName[];

/** The endings of a format's files, each with its dot. */
export function endingsOf(name: FormatName): readonly string[] {
  return endings[name];
}

/** Every format with its endings, for help and hints: `json (.json), yaml (.yaml, .yml) …` */
const formatList = formatNames.map((name) => `${name} (${endingsOf(name).join(", ")})`).join(", ");

/**
 * The format of a file: the one that the user names, else the one that its ending tells.
 * @throws UsageError where neither is the case
 */
export function formatOf(file: string, type: string | undefined): FormatName {
  if (type !== undefined) {
    const named = formatNames.find((name) => name === type);
    if (named !== undefined) return named;
    throw new UsageError(
      "unknown-format",
      `--type ${type} is not a known format.${didYouMean(type, formatNames)}`,
      `allowed: ${formatNames.join(", ")}`,
    );
  }
  const ending = path.extname(file).toLowerCase();
  const found = formatNames.find((name) => endingsOf(name).includes(ending));
  if (found !== undefined) return found;
  throw new UsageError(
    "unknown-format",
    `${file}: ${ending === "" ? "a name without an ending" : `the ending ${ending}`} does not tell the format`,
    `name it with --type; formats: ${formatList}`,
  );
}
