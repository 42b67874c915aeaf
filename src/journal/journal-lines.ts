import { isHeader, NEWLINE } from "./journal-file.ts";
import type { JournalRecord } from "./record.ts";
import { recordSchema } from "./record-schema.ts";

/** A raw line of a journal. */
export interface JournalLine {
  readonly bytes: Uint8Array;
  /** Whether it ends in a line feed. */
  readonly isEnded: boolean;
}

/** The content of a line; null for headers and blank lines, which are ignored. */
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
 * Parses a line.
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
  // As written, including members that only a later app-sim knows.
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
 * Reads a whole journal. Its header may be missing (its line was torn) or repeated (two processes created the file at
 * once); blank lines are ignored.
 * @throws {JournalVersionError} if a header names a newer major version
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

/** Whether a line was being written when its process was killed, or still is. */
export function isTorn({ isEnded }: JournalLine, content: LineContent): boolean {
  return content === "not-json" && !isEnded;
}

const types = recordSchema.options.map(({ shape }) => shape.type.value).join("|");
const beginningOfRecord = new RegExp(`^\\{"type":"(?:${types})","id":"([\\w-]+)"`);
const CLOSING_BRACE = 0x7d;
/** How many bytes to look at: ids and times precede everything that may be long. */
const [ID_BYTES, TIME_BYTES] = [128, 1024];

/** The id in a line that begins and ends as app-sim writes a record; null if the line has to be parsed to know. */
export function idOfLine({ bytes, isEnded }: JournalLine): string | null {
  if (!isEnded || bytes.at(-1) !== CLOSING_BRACE) return null;
  return beginningOfRecord.exec(beginningOf(bytes, ID_BYTES))?.[1] ?? null;
}

const timeMember = /,"(?:startedAt|at)":"([^"\\]*)"/;

/** The time in a line that has an id, in milliseconds since 1970; NaN if the line has to be parsed to know. */
export function timeOfLine({ bytes }: JournalLine): number {
  // In a string, a quotation mark is escaped with a backslash: this match cannot lie inside one.
  return Date.parse(timeMember.exec(beginningOf(bytes, TIME_BYTES))?.[1] ?? "");
}

function beginningOf(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.byteLength)).toString("latin1");
}
