import type { Exchange } from "../../journal/exchange.ts";
import type { JournalRecord } from "../../journal/record.ts";
import type { ControlKind, Evidence } from "./check.ts";
import type { Reply } from "./reply.ts";

/** The role of the right request, which every check of a subject shares. */
export const CONTROL = "control";
/** The role of what has to come before a request. */
export const PREPARATION = "step";

/** The role of right requests that look for somebody whom the app treats in a certain way. */
export const SEARCH = "search";

/** What `verify` sent to one subject in one run, oldest first. */
export function exchangesOf(records: readonly JournalRecord[], run: number, subject: string): Exchange[] {
  return records.filter(
    (record): record is Exchange =>
      record.type === "exchange" && record.check?.subject === subject && record.check.run === run,
  );
}

/**
 * What the verdict of a check rests on: its own requests, and the controls next to them.
 * @param exchanges all of the subject, in the order of the journal
 */
export function evidenceOf(
  exchanges: readonly Exchange[],
  id: string,
  { read, control = "accepted" }: { read(exchange: Exchange): Reply; readonly control?: ControlKind | undefined },
): Evidence {
  const isOwn = ({ check }: Exchange) => check?.id === id && check.role !== PREPARATION;
  const first = exchanges.findIndex(isOwn);
  const last = exchanges.findLastIndex(isOwn);
  const isControl = ({ check }: Exchange) => check?.role === CONTROL;
  return {
    before: exchanges.slice(0, Math.max(0, first)).findLast(isControl) ?? null,
    after: first < 0 ? null : (exchanges.slice(last + 1).find(isControl) ?? null),
    steps: exchanges.filter(isOwn).map((exchange) => ({ role: exchange.check?.role ?? "", exchange })),
    control,
    read,
  };
}
