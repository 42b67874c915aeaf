import { lstat, open } from "node:fs/promises";
import type { LoadedConfig } from "../config/load.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { JournalVersionError, journalPath, LARGEST_JOURNAL_BYTES, olderJournalPath } from "./journal-file.ts";
import { SavedJournal } from "./saved-journal.ts";

/** Bytes read from the end of each file: a journal that something else wrote must not fill the memory. */
const READ_LIMIT_BYTES = 2 * LARGEST_JOURNAL_BYTES;

/** The journal of this configuration, without its unreadable lines; empty if there is none yet. */
export function readOwnJournal({ config: { journal } }: LoadedConfig): Promise<SavedJournal> {
  return readable(journal, () => readDirectory(journal));
}

/**
 * A journal from anywhere.
 * @param path of its directory, or of the file
 * @throws UsageError if there is neither
 */
export function readJournalAt(path: string): Promise<SavedJournal> {
  return readable(path, async () => {
    if ((await lstat(path)).isDirectory()) return readDirectory(path);
    return new SavedJournal([await readNewest(path)]);
  });
}

/** Reads both files in a directory. */
async function readDirectory(journal: string): Promise<SavedJournal> {
  return new SavedJournal([await readNewest(olderJournalPath(journal)), await readNewest(journalPath(journal))]);
}

/** @throws UsageError for what cannot be read */
async function readable(journal: string, read: () => Promise<SavedJournal>): Promise<SavedJournal> {
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

/** The end of the file, up to the limit, or nothing; a line that the limit cuts in two counts as unreadable. */
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
    // Checked before opening, which may block for ever on something that is not a file.
    if (!(await lstat(file)).isFile()) throw new Error("it is not a regular file");
    return await open(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * The error for an id that matches no record, or more than one.
 * @param ids of all records
 */
export function notFound(id: string, ids: readonly string[]): UsageError {
  const beginning = ids.filter((each) => each.startsWith(id));
  if (beginning.length > 1) {
    const hint = `give more characters of the id: ${beginning.slice(0, 5).join(", ")}`;
    return new UsageError("ambiguous-id", `${beginning.length} records begin with ${id}`, hint);
  }
  return new UsageError(
    "unknown-id",
    `the journal has no record ${harmlessLine(id)}`,
    ids.length === 0 ? "it is empty: run a command first" : "`app-sim log` lists the ids",
  );
}
