import { readFile } from "node:fs/promises";
import { parseJson } from "../protocol/json.ts";
import type { JsonNote } from "../protocol/json-notes.ts";
import { UsageError } from "../protocol/usage-error.ts";

/**
 * Reads a JSON file that the user named.
 * @param what what the file is, for messages: `fixture`, `manifest` …
 * @throws UsageError when it cannot be read or is not JSON
 */
export async function readJsonFile(file: string, what: string): Promise<unknown> {
  return (await readJsonWithNotes(file, what)).value;
}

/** The same, with what is odd in it: numbers and texts that not every reader takes for the same. */
export async function readJsonWithNotes(
  file: string,
  what: string,
): Promise<{ readonly value: unknown; readonly notes: readonly JsonNote[] }> {
  const bytes = await readUserFile(file, what);
  const parsed = parseJson(bytes);
  if (parsed.ok) return parsed;
  throw new UsageError(
    "not-json",
    `${what} ${file}: ${parsed.reason.replace("the body", "the file")}`,
    "it must be one JSON value in UTF-8",
  );
}

/**
 * Reads a file that the user named.
 * @throws UsageError when it cannot be read
 */
export async function readUserFile(file: string, what: string): Promise<Buffer> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(error, file, what);
  });
}

/** Why a file that the user named cannot be read. */
export function unreadable(error: NodeJS.ErrnoException, file: string, what: string): UsageError {
  const why = { ENOENT: "there is no such file", EISDIR: "it is a directory", EACCES: "permission denied" }[
    error.code ?? ""
  ];
  return new UsageError(
    "file-unreadable",
    `${what} ${file} cannot be read: ${why ?? error.message}`,
    "give the path of a file that exists",
  );
}
