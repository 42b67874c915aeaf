import path from "node:path";
import { parseJson } from "../protocol/json.ts";
import type { JsonNote } from "../protocol/json-notes.ts";
import { isHtml, locateJsonSlip, withoutPlace } from "../protocol/json-slip.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { readUserFile } from "./user-file.ts";

/** Size limit of config files and profiles. */
export const CONFIG_LIMIT_BYTES = 1_048_576;

/**
 * Reads a JSON file given by the user.
 * @param what what the file is, for messages: `fixture`, `manifest` …
 * @param limit the most bytes that are read
 * @throws UsageError if it cannot be read, is larger or is not JSON
 */
export async function readJsonFile(file: string, what: string, limit?: number): Promise<unknown> {
  return (await readJsonWithNotes(file, what, limit)).value;
}

/** The same, with notes about numbers and strings that parsers may read differently. */
export async function readJsonWithNotes(
  file: string,
  what: string,
  limit?: number,
): Promise<{ readonly value: unknown; readonly notes: readonly JsonNote[] }> {
  return jsonIn(await readUserFile(file, what, limit), file, what);
}

/**
 * The JSON value of a file's bytes.
 * @param written the file as it was written, if it may have comments and trailing commas: `bytes` has spaces in their
 * place
 * @throws UsageError if they are not JSON
 */
export function jsonIn(
  bytes: Uint8Array,
  file: string,
  what: string,
  written?: Uint8Array,
): { readonly value: unknown; readonly notes: readonly JsonNote[] } {
  const parsed = parseJson(bytes);
  if (parsed.ok) return parsed;
  const { reason, hint } = explainFault(parsed.reason, bytes, written);
  const language = languages[path.extname(file).toLowerCase()];
  const fullHint = language === undefined ? hint : `its name says ${language}, but app-sim reads JSON here; ${hint}`;
  throw new UsageError("not-json", `${what} ${file}: ${reason.replace("the body", "the file")}`, fullHint);
}

/** What is mistaken for JSON, by file extension. */
const languages: Readonly<Record<string, string>> = {
  ".yaml": "YAML",
  ".yml": "YAML",
  ".toml": "TOML",
  ".js": "JavaScript",
  ".cjs": "JavaScript",
  ".mjs": "JavaScript",
  ".ts": "TypeScript",
};

function explainFault(
  reason: string,
  bytes: Uint8Array,
  written: Uint8Array | undefined,
): { readonly reason: string; readonly hint: string } {
  const text = Buffer.from(bytes).toString();
  if (text.startsWith("\ufeff")) return { reason, hint: "save it as UTF-8 without a byte order mark (BOM)" };
  const slip = locateJsonSlip(bytes, written && Buffer.from(written).toString());
  if (slip === null) return { reason, hint: "it must be one JSON value in UTF-8" };
  return isHtml(text)
    ? { reason: "the body is an HTML page, not JSON", hint: "was a web page saved instead? Give the JSON itself" }
    : { reason: withoutPlace(reason), hint: slip };
}
