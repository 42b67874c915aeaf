import { type FileHandle, open, stat } from "node:fs/promises";
import { journalPath, NEWLINE } from "./journal-file.ts";
import { parseJournal } from "./journal-lines.ts";
import type { JournalRecord } from "./record.ts";

/** How often it is looked whether there is more: soon enough for a person, and cheap. */
const LOOK_EVERY_MS = 150;
const CHUNK_BYTES = 1024 * 1024;
/** More than a line can have; what is longer is no line of a journal. */
const LONGEST_LINE_BYTES = 16 * 1024 * 1024;
/** Before the end of the file, so that a line that is being written is read from its beginning. */
const BACK_BYTES = 2 * 1024 * 1024;

/** Waits, or ends with the signal. */
type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/**
 * The records that are written into the journal of a directory from now on, and some that were written shortly before:
 * whoever has read the journal knows these by their ids. It goes on in the new file when the journal made room for one,
 * or was cleared; a line that no app-sim wrote is skipped.
 */
export async function* followJournal(
  directory: string,
  pause: Pause,
  signal: AbortSignal,
): AsyncGenerator<readonly JournalRecord[]> {
  const path = journalPath(directory);
  let file = await openAt(path, BACK_BYTES);
  try {
    while (!signal.aborted) {
      const records = file === null ? [] : await file.read();
      if (records.length > 0) yield records;
      else if (file === null || !(await file.isAt(path))) {
        const next: TailedFile | null = await openAt(path, Number.POSITIVE_INFINITY);
        if (next !== null) {
          // Between the two looks the old one may have got its last lines.
          const last = (await file?.read()) ?? [];
          await file?.close();
          file = next;
          if (last.length > 0) yield last;
          continue;
        }
        await pause(LOOK_EVERY_MS, signal);
      } else await pause(LOOK_EVERY_MS, signal);
    }
  } finally {
    await file?.close();
  }
}

/** Opens the file so many bytes before its end, at the beginning of a line; null where there is none. */
async function openAt(path: string, back: number): Promise<TailedFile | null> {
  const facts = await stat(path).catch(() => null);
  if (facts?.isFile() !== true) return null;
  const handle = await open(path).catch(() => null);
  if (handle === null) return null;
  const start = Math.max(0, facts.size - back);
  return new TailedFile(handle, start);
}

/** A file that grows, read line by line. */
class TailedFile {
  readonly #handle: FileHandle;
  #at: number;
  #rest: Buffer = Buffer.alloc(0);
  /** What stands before the next line feed is the end of a line that began before the start. */
  #isWithinLine: boolean;

  constructor(handle: FileHandle, start: number) {
    this.#handle = handle;
    this.#at = start;
    this.#isWithinLine = start > 0;
  }

  /** The records of the next whole lines; none at the end of what is there. */
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

  /** Whether it is still the file of this name. */
  async isAt(path: string): Promise<boolean> {
    const [own, there] = await Promise.all([this.#handle.stat(), stat(path).catch(() => null)]);
    return there !== null && there.ino === own.ino && there.dev === own.dev;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
