import { closeSync, fstatSync, openSync, readdirSync, readSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "./make-directory.ts";
import type { JournalRecord } from "./record.ts";
import { isHeader, isRecord } from "./record-shape.ts";

const VERSION = 1;
const NEWLINE = 0x0a;
/** A header is far shorter: a first line that is longer than this is none. */
const HEADER_BYTES = 4096;

/** What the bytes of a journal hold. */
export interface ParsedJournal {
  readonly records: readonly JournalRecord[];
  /** Lines that are no record of this version. */
  readonly unreadable: number;
  /** The last line was not written to its end. */
  readonly torn: boolean;
}

/** A journal on disk, open for appending. */
export interface JournalFile {
  readonly path: string;
  /** Adds one line. A failing disk is reported, not thrown: see {@link openJournalFile}. */
  append(record: JournalRecord): void;
  close(): void;
}

/** The journal was written by a later app-sim in a form that this one does not know. */
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

/** The journal's path in a directory such as `.app-sim`. */
export function journalPath(directory: string): string {
  return join(directory, "journal.ndjson");
}

/**
 * Reads a journal: one JSON object per line, the first being `{"type":"journal","version":1}`. That header may
 * be missing (its line was torn) or repeated (two processes began the file at once); blank lines mean nothing.
 * @throws {JournalVersionError} when a header names a newer major version
 */
export function parseJournal(bytes: Uint8Array): ParsedJournal {
  const records: JournalRecord[] = [];
  let unreadable = 0;
  let torn = false;
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const line = readLine(bytes.subarray(start, end));
    if (line.kind === "record") records.push(line.record);
    else if (line.kind === "not-json" && newline === -1) torn = true;
    else if (line.kind === "not-json" || line.kind === "not-a-record") unreadable += 1;
    start = end + 1;
  }
  return { records, unreadable, torn };
}

/**
 * Opens the journal in a directory and makes both if need be: the directory with mode 0700 and, if it is empty,
 * a `.gitignore` of `*`, because the journal holds secrets; the file with mode 0600. Every append is one write
 * of one whole line at the end of the file, so several processes may share it, and one that is killed loses at
 * most the line it was writing.
 *
 * When the disk refuses (full, read-only, not a directory), `onTrouble` gets one message and later appends do
 * nothing: the command goes on without the file.
 * @throws {JournalVersionError} when the file there is of a newer major version; it is left untouched
 */
export function openJournalFile(directory: string, onTrouble: (message: string) => void): JournalFile {
  const path = journalPath(directory);
  let descriptor: number | null = null;
  let inTrouble = false;

  function unlessDiskFails(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      if (!inTrouble) onTrouble(troubleMessage(path, error));
      inTrouble = true;
    }
  }

  unlessDiskFails(() => {
    descriptor = openForAppending(directory, path);
  });
  return {
    path,
    append(record) {
      if (descriptor === null || inTrouble) return;
      const open = descriptor;
      unlessDiskFails(() => appendLine(open, record));
    },
    close() {
      if (descriptor === null) return;
      const open = descriptor;
      descriptor = null;
      unlessDiskFails(() => closeSync(open));
    },
  };
}

/** Hands over all bytes to a writer such as `writeSync` that may take only some of them at a time. */
export function writeWhole(bytes: Uint8Array, write: (rest: Uint8Array) => number): void {
  let rest = bytes;
  while (rest.length > 0) rest = rest.subarray(write(rest));
}

function openForAppending(directory: string, path: string): number {
  makeDirectory(directory);
  // A directory with something in it may be the user's own, where ignoring everything would do harm.
  if (readdirSync(directory).length === 0) writeFileSync(join(directory, ".gitignore"), "*\n");
  const descriptor = openSync(path, "a+", 0o600);
  try {
    if (fstatSync(descriptor).size === 0) appendLine(descriptor, { type: "journal", version: VERSION });
    else refuseNewerVersion(descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

function refuseNewerVersion(descriptor: number): void {
  const head = readAt(descriptor, 0, HEADER_BYTES);
  const newline = head.indexOf(NEWLINE);
  parseJournal(newline === -1 ? head : head.subarray(0, newline));
}

function appendLine(descriptor: number, value: object): void {
  // Looked at before every append, not only at the first: another process may have been killed since.
  const separator = endsTorn(descriptor) ? "\n" : "";
  const line = Buffer.from(`${separator}${JSON.stringify(value)}\n`);
  writeWhole(line, (rest) => writeSync(descriptor, rest));
}

function endsTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  return size > 0 && readAt(descriptor, size - 1, 1)[0] !== NEWLINE;
}

function readAt(descriptor: number, position: number, length: number): Uint8Array {
  const buffer = new Uint8Array(length);
  return buffer.subarray(0, readSync(descriptor, buffer, 0, length, position));
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

function troubleMessage(path: string, error: Error): string {
  return (
    `cannot write the journal ${path} (${error.message}): going on without it, what happens from now on is not saved; ` +
    "free disk space or choose a writable directory, then start again"
  );
}

type Line =
  | { readonly kind: "blank" | "header" | "not-json" | "not-a-record" }
  | { readonly kind: "record"; readonly record: JournalRecord };

function readLine(bytes: Uint8Array): Line {
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text.trim() === "") return { kind: "blank" };
    value = JSON.parse(text);
  } catch {
    return { kind: "not-json" };
  }
  if (isHeader(value)) {
    if (value.version >= VERSION + 1) throw new JournalVersionError(value.version);
    return { kind: "header" };
  }
  return isRecord(value) ? { kind: "record", record: value } : { kind: "not-a-record" };
}
