import { isHeader, NEWLINE } from "./journal-file.ts";
import type { JournalRecord } from "./record.ts";
import { recordSchema } from "./record-schema.ts";

/** A line of a journal, as it stands there. */
export interface JournalLine {
  readonly bytes: Uint8Array;
  /** Whether a line feed ends it. */
  readonly isEnded: boolean;
}

/** What a line holds; null for a header and a blank line, which mean nothing. */
export type LineContent = JournalRecord | "not-json" | "not-a-record" | null;

/** The lines of a journal: one JSON object per line, the first being `{"type":"journal","version":1}`. */
export function* journalLines(bytes: Uint8Array): Generator<JournalLine> {
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    end = newline === -1 ? bytes.length : newline;
    yield { bytes: bytes.subarray(start, end), isEnded: newline !== -1 };
  }
}

/**
 * What a line holds.
 * @throws {JournalVersionError} for a header of a newer major version
 */
export function parseJournalLine({ bytes }: JournalLine): LineContent {
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

export interface ParsedJournal {
  readonly records: readonly JournalRecord[];
  /** Number of lines that are not a record of this version. */
  readonly unreadable: number;
  /** The last line is not complete. */
  readonly torn: boolean;
}

/**
 * Reads all of a journal. Its header may be missing (its line was torn) or repeated (two processes created the file at
 * once); blank lines mean nothing.
 * @throws {JournalVersionError} when a header names a newer major version
 */
export function parseJournal(bytes: Uint8Array): ParsedJournal {
  const records: JournalRecord[] = [];
  let unreadable = 0;
  let torn = false;
  for (const line of journalLines(bytes)) {
    const content = parseJournalLine(line);
    if (isTorn(line, content)) torn = true;
    else if (typeof content === "string") unreadable += 1;
    else if (content !== null) records.push(content);
  }
  return { records, unreadable, torn };
}

/** Whether a line is one that was being written when its process was killed, or that is being written still. */
export function isTorn({ isEnded }: JournalLine, content: LineContent): boolean {
  return content === "not-json" && !isEnded;
}

const types = recordSchema.options.map(({ shape }) => shape.type.value).join("|");
const beginningOfRecord = new RegExp(`^\\{"type":"(?:${types})","id":"([\\w-]+)"`);
const CLOSING_BRACE = 0x7d;
/** What stands before everything that may be long. */
const [ID_BYTES, TIME_BYTES] = [128, 1024];

/** The id in a line that begins and ends as app-sim writes a record; null where only parsing it tells what it is. */
export function idOfLine({ bytes, isEnded }: JournalLine): string | null {
  if (!isEnded || bytes.at(-1) !== CLOSING_BRACE) return null;
  return beginningOfRecord.exec(beginningOf(bytes, ID_BYTES))?.[1] ?? null;
}

const timeMember = /,"(?:startedAt|at)":"([^"\\]*)"/;

/** The time in a line that has an id, in milliseconds since 1970; NaN where only parsing it tells. */
export function timeOfLine({ bytes }: JournalLine): number {
  // A quotation mark within a text has a backslash before it: one that follows a comma ends no text, and is in none.
  return Date.parse(timeMember.exec(beginningOf(bytes, TIME_BYTES))?.[1] ?? "");
}

function beginningOf(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.byteLength)).toString("latin1");
}
