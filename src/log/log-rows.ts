import type { Exchange } from "../journal/exchange.ts";
import { type JournalRecord, timeOfRecord, type VerificationRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import { outcomeText } from "../output/exchange-text.ts";
import { foreignText } from "../output/foreign-text.ts";
import { columnsOf, pad, truncate } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { withoutQuery } from "../protocol/url.ts";
import {
  decisionText,
  decisionTone,
  type EventTone,
  loadTones,
  loadWords,
  loginTones,
  verificationTones,
} from "./event-words.ts";

/** No line shows more than this of a reason or an address, so it is cut before it is measured. */
const TEXT_CHARACTERS = 400;

/** A record as the cells of a line, redacted and harmless. */
export interface LogRow {
  readonly id: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly what: string;
  readonly result: string;
  readonly tone: EventTone | null;
  readonly ms: string;
  /** The method and path, or the reason. */
  readonly where: string;
  /** Only the path, without its query string; null if there is none. */
  readonly path: string | null;
}

/** The line of a record. */
export function logRow(record: JournalRecord, redactor: Redactor): LogRow {
  if (record.type === "exchange") return exchangeRow(redactor.exchange(record));
  return rowOf(record, cellsOf(record, redactor));
}

/** The line of an exchange that is already redacted. */
export function exchangeRow(shown: Exchange): LogRow {
  const { purpose, module, outcome, response, timings, request } = shown;
  const isAnswered = outcome.kind === "answered" && response !== null;
  return rowOf(shown, {
    what: module === null ? purpose : `${purpose} ${module}`,
    result: isAnswered ? String(response.status) : outcomeText(outcome),
    tone: isAnswered ? statusTone(response.status) : "bad",
    ms: String(timings.totalMs),
    where: `${request.method} ${pathOfUrl(request.url)}`,
    path: withoutQuery(pathOfUrl(request.url)),
  });
}

function rowOf(record: JournalRecord, { what, result, tone, ms = "", where, path = null }: Cells): LogRow {
  const cell = (text: string) => harmlessLine(clip(text, TEXT_CHARACTERS));
  const [id, at] = [cell(record.id), timeOfRecord(record)];
  const shownPath = path === null ? null : cell(path);
  return { id, at, what: cell(what), result: cell(result), tone, ms, where: cell(where), path: shownPath };
}

type Cells = Pick<LogRow, "what" | "result" | "tone" | "where"> & {
  readonly ms?: string;
  readonly path?: string | null;
};

function cellsOf(record: Exclude<JournalRecord, Exchange>, redactor: Redactor): Cells {
  if (record.type === "login") {
    const { user, outcome, reason } = record;
    const where = redactor.text(reason ?? "");
    return { what: `login as ${user.role}`, result: outcome, tone: loginTones[outcome], where };
  }
  if (record.type === "oauth") {
    const { step, outcome, error } = record;
    const where = redactor.text(decisionText(record));
    return { what: `oauth ${step}`, result: error ?? outcome, tone: decisionTone(record), where };
  }
  if (record.type === "verification") {
    const { outcome } = record;
    return { what: "verify", result: outcome, tone: verificationTones[outcome], where: checkCounts(record) };
  }
  if (record.type === "load") {
    const { outcome } = record;
    return { what: "load", result: outcome, tone: loadTones[outcome], where: loadWords(record) };
  }
  return { what: "foreign pages", result: "403", tone: "caution", where: redactor.text(foreignText(record)) };
}

function statusTone(status: number): LogRow["tone"] {
  if (status >= 500) return "bad";
  if (status >= 400) return "caution";
  return status >= 200 && status < 300 ? "good" : null;
}

/** The host is always the app or the platform: the path tells exchanges apart. */
function pathOfUrl(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
  return path === "" ? "/" : path;
}

/** How many checks ended with each result. */
export function checkCounts({ checks }: VerificationRecord): string {
  const counts = new Map<string, number>();
  for (const { result } of checks) counts.set(result, (counts.get(result) ?? 0) + 1);
  return [...counts].map(([result, count]) => `${count} ${result}`).join(", ");
}

/** Widths of the columns of a list; 0: the column is omitted. */
export interface LogColumns {
  readonly id: number;
  readonly when: number;
  readonly what: number;
  readonly result: number;
  readonly ms: number;
  readonly where: number;
}

const heads = { id: "ID", when: "WHEN (UTC)", what: "WHAT", result: "RESULT", ms: "MS", where: "WHERE" };
const GAP = "  ";
/** A path cut shorter than this says nothing: then the duration is omitted instead, and then the time. */
const MIN_WHERE = 12;
/** Kind and result are cut to these widths in the narrowest terminals. */
const NARROWEST = { what: 8, result: 6 };
/** Rows that come later are seldom wider than these. */
const COMING = { what: 18, result: 8, ms: 7 };

/**
 * Columns as wide as the widest cell, within the width of the terminal.
 * @param isGoingOn whether more rows will come
 */
export function logColumns(rows: readonly LogRow[], width: number, isGoingOn = false): LogColumns {
  const most = (of: (row: LogRow) => string, head: string) =>
    Math.max(columnsOf(head), ...rows.map((row) => columnsOf(of(row))));
  const newest = rows.at(-1)?.at ?? "";
  const coming = isGoingOn ? COMING : { what: 0, result: 0, ms: 0 };
  const columns = {
    id: Math.min(
      most(({ id }) => id, heads.id),
      share(width, 0.3),
    ),
    when: most(({ at }) => whenText(at, newest), heads.when),
    what: Math.min(
      Math.max(
        coming.what,
        most(({ what }) => what, heads.what),
      ),
      share(width, 0.3),
    ),
    result: Math.min(
      Math.max(
        coming.result,
        most(({ result }) => result, heads.result),
      ),
      share(width, 0.25),
    ),
    ms: Math.max(
      coming.ms,
      most(({ ms }) => ms, heads.ms),
    ),
  };
  const without = (left: Partial<typeof columns>): LogColumns => {
    const kept = { ...columns, ...left };
    return { ...kept, where: roomBeside(Object.values(kept), width) };
  };
  const untimed = { ms: 0, when: 0 };
  const fitting = [without({}), without({ ms: 0 }), without(untimed)].find(({ where }) => where >= MIN_WHERE);
  if (fitting !== undefined) return fitting;
  const { what, result } = columns;
  return without({
    ...untimed,
    what: Math.min(what, NARROWEST.what),
    result: Math.min(result, NARROWEST.result),
  });
}

function roomBeside(columns: readonly number[], width: number): number {
  const taken = columns.reduce((sum, each) => sum + (each === 0 ? 0 : each + GAP.length), 0);
  return Math.max(0, width - taken);
}

function share(width: number, part: number): number {
  return Number.isFinite(width) ? Math.floor(width * part) : width;
}

/** The column headings on one line. */
export function logHeads(columns: LogColumns, paint: Paint): string {
  return paint.quiet(cellsLine(heads, columns));
}

/**
 * A record on one line of at most the terminal's width.
 * @param newest time of the newest record; dates are shown only if they differ from its
 */
export function logLine(row: LogRow, columns: LogColumns, newest: string, paint: Paint): string {
  const { tone } = row;
  return cellsLine({ ...row, where: whereText(row, columns.where), when: whenText(row.at, newest) }, columns, {
    when: paint.quiet,
    ms: paint.quiet,
    ...(tone === null ? {} : { result: paint[tone] }),
  });
}

/**
 * The end of a path says most: if there is little room, the query string is dropped first, then the method, then the
 * path's start.
 */
function whereText({ where, path }: LogRow, room: number): string {
  return path === null || columnsOf(withoutQuery(where)) <= room ? where : truncate(path, room, "start");
}

type Cell = keyof LogColumns;

function cellsLine(
  cells: Readonly<Record<Cell, string>>,
  columns: LogColumns,
  paints: Partial<Record<Cell, (text: string) => string>> = {},
): string {
  const shown = (["id", "when", "what", "result", "ms", "where"] as const).filter((cell) => columns[cell] > 0);
  const filled = shown.findLastIndex((cell) => cells[cell] !== "");
  const texts = shown.slice(0, filled + 1).map((cell, index) => {
    const text = truncate(cells[cell], columns[cell]);
    const isLast = index === filled;
    return (paints[cell] ?? plainly)(isLast ? text : pad(text, columns[cell], cell === "ms" ? "left" : "right"));
  });
  return texts.join(GAP);
}

function plainly(text: string): string {
  return text;
}

/** To the second; the date only if it differs from the newest record's. */
function whenText(time: string, newest: string): string {
  const [date = "", clock = ""] = time.split("T");
  const toTheSecond = clock.slice(0, 8);
  return newest.startsWith(date) ? toTheSecond : `${date} ${toTheSecond}`;
}
