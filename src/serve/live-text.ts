import { isIncoming } from "../journal/purposes.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import { loadTones, loadWords } from "../log/event-words.ts";
import { outcomeText } from "../output/exchange-text.ts";
import { foreignText } from "../output/foreign-text.ts";
import { columnsOf, fold, indent, pad, truncate } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { reasonText } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";

/** Widths of the columns id, time and result; the last column has the rest. */
const [ID, TIME, RESULT] = [8, 8, 15];
/** Width of the column "what": as wide as the other columns, in total this wide, leave room for. */
const [NARROWEST_WHAT, WIDEST_WHAT, OTHERS] = [16, 28, 64];
const GAP = "  ";
/** Where the column "what" begins, and the reasons below it. */
const TEXT_COLUMN = ID + TIME + 2 * GAP.length;
const NARROWEST_TEXT = 40;
/** Narrower terminals have no room for columns. */
const NARROW = 70;

/** The heading above the first line. */
export function liveHead(paint: Paint): string {
  if (paint.width < NARROW) return paint.quiet("Times are in UTC.");
  const heads = [
    "ID".padEnd(ID),
    "UTC".padEnd(TIME),
    "WHAT".padEnd(whatColumns(paint)),
    "RESULT".padEnd(RESULT),
    "WHERE",
  ];
  return paint.quiet(heads.join(GAP));
}

function whatColumns({ width }: Paint): number {
  return Math.min(WIDEST_WHAT, Math.max(NARROWEST_WHAT, width - OTHERS));
}

/** What is shown of a record, in short: a terminal that is resized draws it again without keeping the bodies. */
interface LiveEntry {
  /** For `app-sim log`. */
  readonly id: string;
  readonly at: string;
  readonly what: string;
  readonly result: string;
  readonly tone: "good" | "bad" | "caution" | null;
  /** The client or user; or the address, which is cut at the end of the line. */
  readonly who: string;
  readonly isCut?: boolean;
  readonly reasons: readonly string[];
}

/** A line in fixed columns, and the reasons below it. */
export function liveLines({ id, at, what, result, tone, who, isCut, reasons }: LiveEntry, paint: Paint): string[] {
  const time = at.slice(at.indexOf("T") + 1).slice(0, TIME);
  const shownResult = harmlessLine(result).padEnd(RESULT);
  const whatWidth = whatColumns(paint);
  const shownWhat = pad(
    Number.isFinite(paint.width) ? truncate(harmlessLine(what), whatWidth) : harmlessLine(what),
    whatWidth,
  );
  const head = [harmlessLine(id).padEnd(ID), time, shownWhat, ""].join(GAP);
  if (paint.width < NARROW) {
    const said = [`${result}${GAP}${who}`, ...reasons];
    const lines = said.flatMap((text) => fold(harmlessLine(text).trim(), paint.width - GAP.length));
    return [truncate([id, time, what].map(harmlessLine).join(GAP), paint.width), ...indent(lines, GAP.length)];
  }
  const room = paint.width - columnsOf(head) - shownResult.length - GAP.length;
  const shownWho =
    isCut === true && Number.isFinite(room) ? truncate(harmlessLine(who), Math.max(1, room)) : harmlessLine(who);
  const line = head + (tone === null ? shownResult : paint[tone](shownResult));
  const fits = columnsOf(shownWho) <= room;
  const below = [...(fits ? [] : [shownWho]), ...reasons];
  const textWidth = Math.max(NARROWEST_TEXT, paint.width - TEXT_COLUMN);
  return [
    (fits ? line + GAP + shownWho : line).trimEnd(),
    ...below.flatMap((text) => indent(fold(text, textWidth), TEXT_COLUMN)),
  ];
}

const tones = {
  granted: "good",
  ok: "good",
  passed: "good",
  denied: "bad",
  failed: "bad",
  inconclusive: "caution",
  refused: "bad",
  "needs-user": "caution",
  asked: "caution",
} as const;

/**
 * What is shown of a record; null for a request to the authorization server or the REST API, because its decision is
 * shown instead.
 */
export function liveEntry(record: JournalRecord, redactor: Redactor): LiveEntry | null {
  const entry = entryOf(record, redactor);
  return entry && { ...entry, reasons: entry.reasons.map((reason) => reasonText(redactor.text(reason))) };
}

function entryOf(record: JournalRecord, redactor: Redactor): LiveEntry | null {
  if (record.type === "login") {
    const { id, at, user, outcome, deniedBy, reason } = record;
    const who = deniedBy === null ? "" : `by ${deniedBy}`;
    const reasons = reason === null ? [] : [reason];
    return { id, at, what: `login as ${user.role}`, result: outcome, tone: tones[outcome], who, reasons };
  }
  if (record.type === "oauth") {
    const { at, step, outcome, error, reason, hint, client, user, warnings, exchange } = record;
    return {
      id: exchange,
      at,
      what: step,
      result: error ?? outcome,
      tone: tones[outcome],
      who: `${client ?? "unknown client"}${user === null ? "" : ` for ${user.role}`}`,
      reasons: [
        ...(reason === null ? [] : [reason]),
        ...(hint === null ? [] : [`hint: ${hint}`]),
        ...warnings.map((warning) => `warning: ${warning}`),
      ],
    };
  }
  if (record.type === "verification") {
    const { id, at, outcome, reason } = record;
    return {
      id,
      at,
      what: "verify",
      result: outcome,
      tone: tones[outcome],
      who: "",
      reasons: reason === null ? [] : [reason],
    };
  }
  if (record.type === "load") {
    const { id, at, outcome, reason } = record;
    const reasons = reason === null ? [] : [reason];
    return { id, at, what: "load", result: outcome, tone: loadTones[outcome], who: loadWords(record), reasons };
  }
  if (record.type === "foreign") {
    const { id, at } = record;
    return { id, at, what: "foreign pages", result: "403", tone: "bad", who: "", reasons: [foreignText(record)] };
  }
  if (isIncoming(record.purpose)) return null;
  const { id, startedAt, purpose, module, outcome, response, timings, request } = redactor.exchange(record);
  const isAnswered = outcome.kind === "answered";
  return {
    id,
    at: startedAt,
    what: module === null ? purpose : `${purpose} ${module}`,
    result: isAnswered ? `${response?.status} in ${timings.totalMs} ms` : outcomeText(outcome),
    tone: isAnswered ? null : "bad",
    who: `${request.method} ${request.url.replace(/^https?:\/\/[^/]+/, "")}`,
    isCut: true,
    reasons: [],
  };
}
