import type { App } from "../config/schema.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { ControlKind, Evidence } from "./check.ts";
import type { Reply } from "./reply.ts";

/** The role of the right request, which every check of a subject shares. */
export const CONTROL = "control";
/** The role of what has to come before a request. */
export const PREPARATION = "step";
/** The beginning of the role of a request that a browser makes by itself after one in a role. */
export const FOLLOWED = ">";

/** The role of a request that differs in one property from the right one. */
export const TWIN = "twin";
/** The end of the role of what the app reads while a request is under way: a file of a job, the canary of a twin. */
export const READ_OF = "/read";

/** The role of right requests that look for somebody whom the app treats in a certain way. */
export const SEARCH = "search";

/** What `verify` sent to one subject in one run, oldest first; without what the app asked for again a moment later. */
export function exchangesOf(records: readonly JournalRecord[], run: number, subject: string): Exchange[] {
  return records.filter(
    (record): record is Exchange =>
      record.type === "exchange" &&
      record.check?.subject === subject &&
      record.check.run === run &&
      record.postponed !== true,
  );
}

/**
 * What the verdict of a check rests on: its own requests, and the controls next to them.
 * @param exchanges all of the subject, in the order of the journal
 */
export function evidenceOf(
  exchanges: readonly Exchange[],
  id: string,
  {
    app,
    read,
    control = "accepted",
  }: {
    readonly app: App;
    read(exchange: Exchange, control: Exchange | null): Reply;
    readonly control?: ControlKind | undefined;
  },
): Evidence {
  const isOwn = ({ check }: Exchange) => check?.id === id && check.role !== PREPARATION;
  const first = exchanges.findIndex(isOwn);
  const last = exchanges.findLastIndex(isOwn);
  const isControl = ({ check }: Exchange) => check?.role === CONTROL;
  const landing = (exchange: Exchange) => landingOf(exchanges, exchange);
  // A check that sent nothing: because the very first control was refused, or because there was nothing to send.
  const before = (first < 0 ? exchanges.find(isControl) : exchanges.slice(0, first).findLast(isControl)) ?? null;
  const right = before && landing(before);
  const rest = first < 0 ? [] : exchanges.slice(last + 1);
  const afterAt = rest.findIndex(isControl);
  const steps = exchanges.filter(isOwn).filter(({ check }) => check?.role.startsWith(FOLLOWED) !== true);
  return {
    app,
    before,
    after: rest[afterAt] ?? null,
    isAfterNext: !rest.slice(0, afterAt).some(({ check }) => check?.id != null && check.id !== id),
    control,
    steps: steps.map((exchange) => ({ role: exchange.check?.role ?? "", exchange })),
    landing,
    read: (exchange) => read(landing(exchange), exchange === before ? null : right),
  };
}

/** Where a browser ended up after a request: the last that it made by itself, or else that request. */
function landingOf(exchanges: readonly Exchange[], exchange: Exchange): Exchange {
  const { id, role } = exchange.check ?? {};
  const later = exchanges.slice(exchanges.indexOf(exchange) + 1).filter(({ check }) => check?.id === id);
  const end = later.findIndex(({ check }) => check?.role === role);
  const own = end < 0 ? later : later.slice(0, end);
  return own.findLast(({ check }) => check?.role === `${FOLLOWED}${role}`) ?? exchange;
}
