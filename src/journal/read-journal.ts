import { lstat, open } from "node:fs/promises";
import type { LoadedConfig } from "../config/load.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import {
  isHeader,
  JournalVersionError,
  journalPath,
  LARGEST_JOURNAL_BYTES,
  NEWLINE,
  olderJournalPath,
} from "./journal-file.ts";
import type { JournalRecord } from "./record.ts";
import { recordSchema } from "./record-schema.ts";

/** Newest bytes that are read of each file: a journal that something else wrote must not fill the memory. */
const READ_LIMIT_BYTES = 2 * LARGEST_JOURNAL_BYTES;

export interface ParsedJournal {
  readonly records: readonly JournalRecord[];
  /** Number of lines that are not a record of this version. */
  readonly unreadable: number;
  /** The last line is not complete. */
  readonly torn: boolean;
}

/**
 * Reads a journal: one JSON object per line, the first being `{"type":"journal","version":1}`. That header may
 * be missing (its line was torn) or repeated (two processes created the file at once); blank lines mean nothing.
 * @throws {JournalVersionError} when a header names a newer major version
 */
export function parseJournal(bytes: Uint8Array): ParsedJournal {
  const records: JournalRecord[] = [];
  let unreadable = 0;
  let torn = false;
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    end = newline === -1 ? bytes.length : newline;
    const line = parseLine(bytes.subarray(start, end));
    if (line === "not-json" && newline === -1) torn = true;
    else if (line === "not-json" || line === "not-a-record") unreadable += 1;
    else if (line !== null) records.push(line);
  }
  return { records, unreadable, torn };
}

/** The record of a line; null for a header and a blank line. */
function parseLine(bytes: Uint8Array): JournalRecord | "not-json" | "not-a-record" | null {
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text.trim() === "") return null;
    value = JSON.parse(text);
  } catch {
    return "not-json";
  }
  if (isHeader(value)) return null;
  // As it was written, with members that only a later app-sim knows.
  return recordSchema.safeParse(value).success ? (value as JournalRecord) : "not-a-record";
}

/** The journal of this configuration, without its unreadable lines; empty if there is none yet. */
export function readOwnJournal({ config: { journal } }: LoadedConfig): Promise<ParsedJournal> {
  return readable(journal, () => readDirectory(journal));
}

/**
 * A journal from anywhere.
 * @param path of its directory, or of the file
 * @throws UsageError where there is neither
 */
export function readJournalAt(path: string): Promise<ParsedJournal> {
  return readable(path, async () => {
    if ((await lstat(path)).isDirectory()) return readDirectory(path);
    return parseJournal(await readNewest(path));
  });
}

/** Both files in a directory. */
async function readDirectory(journal: string): Promise<ParsedJournal> {
  const older = parseJournal(await readNewest(olderJournalPath(journal)));
  const { records, unreadable, torn } = parseJournal(await readNewest(journalPath(journal)));
  return {
    records: [...older.records, ...records],
    unreadable: older.unreadable + Number(older.torn) + unreadable,
    torn,
  };
}

/** @throws UsageError for what cannot be read */
async function readable(journal: string, read: () => Promise<ParsedJournal>): Promise<ParsedJournal> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof JournalVersionError)
      throw new UsageError("journal-version", error.message, `the journal is in ${journal}`);
    throw new UsageError(
      "journal-unreadable",
      `the journal in ${journal} cannot be read: ${(error as Error).message}`,
      "name another directory with --journal",
    );
  }
}

/** The end of the file, up to the limit, or nothing; the line that the limit cuts in two counts as unreadable. */
async function readNewest(file: string): Promise<Buffer> {
  await using handle = await openIfThere(file);
  if (handle === null) return Buffer.alloc(0);
  const { size } = await handle.stat();
  const length = Math.min(size, READ_LIMIT_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.subarray(0, bytesRead);
}

async function openIfThere(file: string) {
  try {
    // Looked at before it is opened, which may wait for ever for what is no file.
    if (!(await lstat(file)).isFile()) throw new Error("it is not a regular file");
    return await open(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Why an id names no record, or more than one. */
export function notFound(id: string, records: readonly JournalRecord[]): UsageError {
  const ids = records.map((record) => record.id).filter((each) => each.startsWith(id));
  if (ids.length > 1) {
    const hint = `give more of the id: ${ids.slice(0, 5).join(", ")}`;
    return new UsageError("ambiguous-id", `${ids.length} records begin with ${id}`, hint);
  }
  return new UsageError(
    "unknown-id",
    `the journal has no record ${harmlessLine(id)}`,
    records.length === 0 ? "it is empty: run a command first" : "`app-sim log` lists the ids",
  );
}
