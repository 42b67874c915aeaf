import { isArrival } from "../journal/purposes.ts";
import type { JournalRecord } from "../journal/record.ts";
import { redactExchange, redactText } from "../journal/redact.ts";
import { outcomeText } from "../output/exchange-text.ts";
import { fold, indent } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { reasonText } from "../output/text.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";

/** Columns of a line that cannot know those that follow: id, time, what, result; then as wide as may be. */
const [ID, TIME, WHAT, RESULT] = [8, 8, 14, 16];
const GAP = "  ";
/** Where what happened stands, and below it why. */
const TEXT_COLUMN = ID + TIME + 2 * GAP.length;
const NARROWEST_TEXT = 40;

/** A record as it is shown live. */
interface Entry {
  /** What `app-sim log` finds it by. */
  readonly id: string;
  readonly at: string;
  readonly what: string;
  readonly result: string;
  readonly tone: "good" | "bad" | "caution" | null;
  /** Whom it is about; or where, which is cut where the line ends. */
  readonly who: string;
  readonly isCut: boolean;
  readonly reasons: readonly string[];
}

/**
 * A record as it happens: a line in columns that stay where they are, then why, if there is anything to say, on lines
 * below it. None for a request to the authorization server or the REST API: its line is that of the decision about it.
 */
export function liveLines(record: JournalRecord, secrets: readonly string[], paint: Paint): string[] {
  const entry = entryOf(record, secrets);
  if (entry === null) return [];
  const { id, at, what, result, tone, who, isCut, reasons } = entry;
  const time = at.slice(at.indexOf("T") + 1).slice(0, TIME);
  const shownResult = harmlessLine(result).padEnd(RESULT);
  const head = [harmlessLine(id).padEnd(ID), time, harmlessLine(what).padEnd(WHAT), ""].join(GAP);
  const room = paint.width - head.length - shownResult.length - GAP.length;
  const shownWho = isCut ? clip(harmlessLine(who), Math.max(1, room)) : harmlessLine(who);
  const painted = head + (tone === null ? shownResult : paint[tone](shownResult));
  const fits = shownWho.length <= room;
  return [
    (fits ? painted + GAP + shownWho : painted).trimEnd(),
    ...[...(fits ? [] : [shownWho]), ...reasons.map((reason) => reasonText(redactText(reason, secrets)))].flatMap(
      (text) => indent(fold(text, Math.max(NARROWEST_TEXT, paint.width - TEXT_COLUMN)), TEXT_COLUMN),
    ),
  ];
}

function entryOf(record: JournalRecord, secrets: readonly string[]): Entry | null {
  switch (record.type) {
    case "login": {
      const { id, at, user, outcome, deniedBy, reason } = record;
      return {
        id,
        at,
        what: `login as ${user.role}`,
        result: outcome,
        tone: ({ granted: "good", denied: "bad", "needs-user": "caution" } as const)[outcome],
        who: deniedBy === null ? "" : `by ${deniedBy}`,
        isCut: false,
        reasons: reason === null ? [] : [reason],
      };
    }
    case "oauth": {
      const { at, step, outcome, error, reason, hint, client, user, warnings, exchange } = record;
      return {
        id: exchange,
        at,
        what: step,
        result: error ?? outcome,
        tone: ({ ok: "good", refused: "bad", asked: "caution" } as const)[outcome],
        who: [client ?? "unknown client", ...(user === null ? [] : [`for ${user.role}`])].join(" "),
        isCut: false,
        reasons: [
          ...(reason === null ? [] : [reason]),
          ...(hint === null ? [] : [`hint: ${hint}`]),
          ...warnings.map((warning) => `warning: ${warning}`),
        ],
      };
    }
    case "exchange": {
      if (isArrival(record.purpose)) return null;
      const { id, startedAt, purpose, module, outcome, response, timings, request } = redactExchange(record, secrets);
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
  }
}
