import type { App } from "../config/schema.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { ControlKind, Evidence } from "./check.ts";
import type { Reply } from "./reply.ts";

/** The role of the correct request, shared by all checks of a subject. */
export const CONTROL = "control";
/** The role of the steps before a request. */
export const PREPARATION = "step";
/** The role prefix of a request that a browser makes by itself after another one. */
export const FOLLOWED = ">";

/** The role of a request that differs in one property from the right one. */
export const TWIN = "twin";
/** The role suffix of files that the app fetches during a request: a file of a job, the canary of a twin. */
export const READ_OF = "/read";

/** The role of correct requests that are sent at the same time, to see whether the app can answer them in parallel. */
export const TOGETHER = "together";
/** The role of correct requests that are sent until the app has recovered from many at once. */
export const RECOVERY = "recovery";

/** The role of requests that a browser made for a check: they are not judged again. */
export const BROWSED = "browsed";
/** The role of correct requests that search for a user whom the app treats in a certain way. */
export const SEARCH = "search";

/** What `verify` sent to one subject in one run, oldest first; without immediate repetitions by the app. */
export function exchangesOf(records: readonly JournalRecord[], run: number, subject: string): Exchange[] {
  return records.filter(
    (record): record is Exchange =>
      record.type === "exchange" &&
      record.check?.subject === subject &&
      record.check.run === run &&
      record.postponed !== true,
  );
}

/** Whether other requests, at the same time or just before, may be the reason for an answer. */
export function mayBeDisturbed({ check }: Exchange): boolean {
  return check?.lane !== undefined || check?.role === TOGETHER || check?.role === RECOVERY;
}

/** The exchanges for whose answers no other request may be the reason. */
export function undisturbed(exchanges: readonly Exchange[]): readonly Exchange[] {
  return exchanges.filter((exchange) => !mayBeDisturbed(exchange));
}

/**
 * The evidence for a check's verdict: its own requests, and the controls next to them. If the check was tried alone
 * after a lane, what was sent in that lane does not count.
 * @param ofSubject all exchanges of the subject, in the order of the journal
 */
export function evidenceOf(
  ofSubject: readonly Exchange[],
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
  const ofCheck = ofSubject.filter(({ check }) => check?.id === id);
  const lane = ofCheck.every(mayBeDisturbed) ? ofCheck[0]?.check?.lane : undefined;
  const exchanges = ofSubject.filter(({ check }) => check?.lane === lane);
  const isOwn = ({ check }: Exchange) => check?.id === id && check.role !== PREPARATION;
  const first = exchanges.findIndex(isOwn);
  const last = exchanges.findLastIndex(isOwn);
  const isControl = ({ check }: Exchange) => check?.role === CONTROL;
  const landing = (exchange: Exchange) => landingOf(exchanges, exchange);
  // The check sent nothing: the very first control was refused, or there was nothing to send.
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

/** Where a browser ended up after a request: the last one that it made by itself, or else that request. */
function landingOf(exchanges: readonly Exchange[], exchange: Exchange): Exchange {
  const { id, role } = exchange.check ?? {};
  const later = exchanges.slice(exchanges.indexOf(exchange) + 1).filter(({ check }) => check?.id === id);
  const end = later.findIndex(({ check }) => check?.role === role);
  const own = end < 0 ? later : later.slice(0, end);
  return own.findLast(({ check }) => check?.role === `${FOLLOWED}${role}`) ?? exchange;
}
