import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { withCommas } from "../protocol/with-commas.ts";
import { makeDirectory } from "./make-directory.ts";
import type { JournalRecord } from "./record.ts";

const VERSION = 1;
export const NEWLINE = 0x0a;
/** A larger journal is rotated. At most this much is read of the two files. */
export const LARGEST_JOURNAL_BYTES = 134_217_728;
/** A longer first line is not a header. */
const HEADER_BYTES = 4096;

/** A journal on disk, open for appending. */
export interface JournalFile {
  /** Adds one line. A failing disk is reported, not thrown: see {@link openJournalFile}. */
  append(record: JournalRecord): void;
  close(): void;
}

/** The journal was written by a later app-sim in a format that this one does not know. */
export class JournalVersionError extends Error {
  override readonly name = "JournalVersionError";
  readonly understood = VERSION;
  readonly found: number;

  constructor(found: number) {
    super(
      `this journal has version ${found}, this app-sim understands version ${VERSION}: ` +
        "update app-sim, or move the journal away to begin a new one",
    );
    this.found = found;
  }
}

const HEADER = { type: "journal", version: VERSION };

/** For appending; never through a symbolic link, and without blocking on anything but a file. */
const OPEN_FLAGS =
  constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The file with the journal's name is something else, and is left as it is. */
class NotAJournalError extends Error {
  override readonly name = "NotAJournalError";
}

/** The journal's path in a directory such as `.app-sim`. */
export function journalPath(directory: string): string {
  return join(directory, "journal.ndjson");
}

/** The path of the previous journal, from before the last rotation. */
export function olderJournalPath(directory: string): string {
  return join(directory, "journal.1.ndjson");
}

/** Removes the journal and the previous one. A process that has it open begins a new one with its next record. */
export function clearJournal(directory: string): void {
  for (const path of [journalPath(directory), olderJournalPath(directory)]) rmSync(path, { force: true });
}

/**
 * Whether a parsed line is a header.
 * @throws {JournalVersionError} for one of a newer major version
 */
export function isHeader(line: unknown): boolean {
  const { type, version } = (line ?? {}) as { readonly type?: unknown; readonly version?: unknown };
  if (type !== "journal" || typeof version !== "number") return false;
  if (version >= VERSION + 1) throw new JournalVersionError(version);
  return true;
}

/**
 * Opens the journal in a directory and creates both if necessary: the directory with mode 0700 and, if it is empty, a
 * `.gitignore` of `*`, because the journal holds secrets; the file with mode 0600. Every append is one write of one
 * complete line at the end of the file, so several processes may share it, and one that is killed loses at most the
 * line it was writing.
 *
 * If the disk fails (full, read-only, not a directory), or something else has the journal's name, `onTrouble` gets one
 * message and later appends do nothing: the command continues without the file. A full journal is rotated: it replaces
 * the previous one; `onTrouble` gets one message about that as well.
 * @param largest size in bytes from which a journal is full
 * @throws {JournalVersionError} if the existing file is of a newer major version; it is left untouched
 */
export function openJournalFile(
  directory: string,
  onTrouble: (message: string) => void,
  largest = LARGEST_JOURNAL_BYTES,
): JournalFile {
  let descriptor: number | null = null;
  let wasFull = false;
  let inTrouble = false;
  const unlessDiskFails = (work: () => void) => {
    try {
      work();
    } catch (error) {
      const isOther = error instanceof NotAJournalError;
      if (!isOther && !(error instanceof Error && "syscall" in error)) throw error;
      if (inTrouble) return;
      inTrouble = true;
      const code = "code" in error ? error.code : null;
      const isLink = code === "ELOOP";
      const why = isLink ? "it is a symbolic link, which app-sim does not follow" : error.message;
      const remedy =
        isLink || isOther
          ? "move it away or choose another directory"
          : code === "ENOSPC" || code === "EDQUOT"
            ? "free disk space or choose another directory with --journal DIR"
            : "choose a writable directory with --journal DIR";
      onTrouble(
        `cannot write the journal ${journalPath(directory)} (${why}): continuing without it, ` +
          `nothing is saved from now on; ${remedy}, then start again`,
      );
    }
  };

  unlessDiskFails(() => {
    descriptor = openForAppending(directory);
  });
  const current = (open: number): number => {
    const isFull = fstatSync(open).size >= largest;
    if (!isFull && isJournalOf(open, directory)) return open;
    closeSync(open);
    descriptor = null;
    // Another process may have rotated or cleared the journal already.
    if (isFull && sizeOf(journalPath(directory)) >= largest) {
      renameSync(journalPath(directory), olderJournalPath(directory));
      if (!wasFull) onTrouble(fullText(directory, largest));
      wasFull = true;
    }
    return openForAppending(directory);
  };
  return {
    append(record) {
      const open = descriptor;
      if (open === null || inTrouble) return;
      unlessDiskFails(() => {
        descriptor = current(open);
        appendLine(descriptor, record);
      });
    },
    close() {
      const open = descriptor;
      descriptor = null;
      if (open !== null) unlessDiskFails(() => closeSync(open));
    },
  };
}

/** Whether the open file is still the one at the journal's path. */
function isJournalOf(descriptor: number, directory: string): boolean {
  const [open, there] = [fstatSync(descriptor), statSync(journalPath(directory), { throwIfNoEntry: false })];
  return there !== undefined && there.ino === open.ino && there.dev === open.dev;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function fullText(directory: string, largest: number): string {
  return (
    `the journal is larger than ${withCommas(largest)} bytes: it continues in a new file, ` +
    `the records so far are in ${olderJournalPath(directory)}, which replaced the previous ones; ` +
    "`app-sim log --clear` empties it"
  );
}

/** Passes all bytes to a writer such as `writeSync`, which may accept only some of them at a time. */
export function writeWhole(bytes: Uint8Array, write: (rest: Uint8Array) => number): void {
  let rest = bytes;
  while (rest.length > 0) rest = rest.subarray(write(rest));
}

function openForAppending(directory: string): number {
  makeDirectory(directory);
  // A non-empty directory may be the user's own, where ignoring everything would do harm.
  if (readdirSync(directory).length === 0) writeFileSync(join(directory, ".gitignore"), "*\n");
  const descriptor = openSync(journalPath(directory), OPEN_FLAGS, 0o600);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) throw new NotAJournalError("it is not a regular file");
    if (facts.size === 0) appendLine(descriptor, HEADER);
    else requireJournal(readFirstLine(descriptor));
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

function readFirstLine(descriptor: number): string {
  return readAt(descriptor, 0, HEADER_BYTES).toString().split("\n", 1)[0] ?? "";
}

/** Refuses any file but a journal: a folder from elsewhere may hold a link, or a script, of this name. */
function requireJournal(line: string): void {
  // The header of a process that was killed while writing it.
  if (JSON.stringify(HEADER).startsWith(line)) return;
  let header: unknown = null;
  try {
    header = JSON.parse(line);
  } catch {
    // Not JSON, so not a journal.
  }
  if (!isHeader(header)) throw new NotAJournalError("it is not an app-sim journal");
}

function appendLine(descriptor: number, value: object): void {
  // Checked before every append, not only the first: another process may have been killed since.
  const { size } = fstatSync(descriptor);
  const isTorn = size > 0 && readAt(descriptor, size - 1, 1)[0] !== NEWLINE;
  const line = Buffer.from(`${isTorn ? "\n" : ""}${JSON.stringify(value)}\n`);
  writeWhole(line, (rest) => writeSync(descriptor, rest));
}

function readAt(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(descriptor, buffer, 0, length, position));
}
