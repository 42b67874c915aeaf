import { open } from "node:fs/promises";
import { journalPath, type ParsedJournal, parseJournal } from "./journal-file.ts";

/** Newest bytes that are read: a journal that was never cleared must not fill the memory. */
const READ_LIMIT_BYTES = 268_435_456;

/**
 * Reads the journal of a directory; one that is not there yet is empty.
 * @throws {JournalVersionError} when it is of a newer major version; the system's error when it cannot be read
 */
export async function readJournal(directory: string): Promise<ParsedJournal> {
  try {
    return parseJournal(await readNewest(journalPath(directory)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { records: [], unreadable: 0, torn: false };
    throw error;
  }
}

/** The end of the file, up to the limit; the line that the limit cuts in two is an unreadable one. */
async function readNewest(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  const length = Math.min(size, READ_LIMIT_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.subarray(0, bytesRead);
}
