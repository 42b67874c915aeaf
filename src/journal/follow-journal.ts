import { type FileHandle, open, stat } from "node:fs/promises";
import { journalPath, NEWLINE } from "./journal-file.ts";
import { parseJournal } from "./journal-lines.ts";
import type { JournalRecord } from "./record.ts";

/** How often to check for more: soon enough for a person, and cheap. */
const POLL_MS = 150;
const CHUNK_BYTES = 1024 * 1024;
/** More than a line can have; anything longer is not a line of a journal. */
const LONGEST_LINE_BYTES = 16 * 1024 * 1024;
/** How far before the end of the file to start, so that a line that is being written is read from its beginning. */
const REREAD_BYTES = 2 * 1024 * 1024;

/** Waits, or ends with the signal. */
type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/**
 * The records that are written to a directory's journal from now on, and some that were written shortly before, which a
 * reader of the journal recognizes by their ids. Continues in the new file when the journal is rotated or cleared;
 * lines that app-sim did not write are skipped.
 */
export async function* followJournal(
  directory: string,
  pause: Pause,
  signal: AbortSignal,
): AsyncGenerator<readonly JournalRecord[]> {
  const path = journalPath(directory);
  let file = await openAt(path, REREAD_BYTES);
  try {
    while (!signal.aborted) {
      const records = file === null ? [] : await file.read();
      if (records.length > 0) yield records;
      else if (file === null || !(await file.isAt(path))) {
        const next: TailedFile | null = await openAt(path, Number.POSITIVE_INFINITY);
        if (next !== null) {
          // The old file may have received its last lines between the two checks.
          const last = (await file?.read()) ?? [];
          await file?.close();
          file = next;
          if (last.length > 0) yield last;
          continue;
        }
        await pause(POLL_MS, signal);
      } else await pause(POLL_MS, signal);
    }
  } finally {
    await file?.close();
  }
}

/** Opens the file this many bytes before its end, at the beginning of a line; null if it does not exist. */
async function openAt(path: string, back: number): Promise<TailedFile | null> {
  const facts = await stat(path).catch(() => null);
  if (facts?.isFile() !== true) return null;
  const handle = await open(path).catch(() => null);
  if (handle === null) return null;
  const start = Math.max(0, facts.size - back);
  return new TailedFile(handle, start);
}

/** A growing file, read line by line. */
class TailedFile {
  readonly #handle: FileHandle;
  #at: number;
  #rest: Buffer = Buffer.alloc(0);
  /** The text before the next line feed is the rest of a line that began before the start. */
  #isWithinLine: boolean;

  constructor(handle: FileHandle, start: number) {
    this.#handle = handle;
    this.#at = start;
    this.#isWithinLine = start > 0;
  }

  /** The records of the next complete lines; empty at the end of the file. */
  async read(): Promise<readonly JournalRecord[]> {
    for (;;) {
      const { bytesRead, buffer } = await this.#handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, this.#at);
      if (bytesRead === 0) return [];
      this.#at += bytesRead;
      const bytes = Buffer.concat([this.#rest, buffer.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      this.#rest = Buffer.from(bytes.subarray(end));
      if (this.#rest.length > LONGEST_LINE_BYTES) {
        this.#rest = Buffer.alloc(0);
        this.#isWithinLine = true;
      }
      if (end === 0) continue;
      const start = this.#isWithinLine ? bytes.indexOf(NEWLINE) + 1 : 0;
      this.#isWithinLine = false;
      const { records } = parseJournal(bytes.subarray(start, end));
      if (records.length > 0) return records;
    }
  }

  /** Whether this name still refers to the same file. */
  async isAt(path: string): Promise<boolean> {
    const [own, there] = await Promise.all([this.#handle.stat(), stat(path).catch(() => null)]);
    return there !== null && there.ino === own.ino && there.dev === own.dev;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
