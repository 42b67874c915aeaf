import { z } from "zod";
import { type Clock, LONGEST_TIMER_MS } from "../app-client/ports.ts";
import { parseDuration } from "../protocol/duration.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** A time: a date, milliseconds since the epoch, or ISO 8601 with its offset from UTC; a date alone begins in UTC. */
type TimeInput = Date | string | number;

/**
 * The platform's time, for whoever turns it: codes, tokens, guard JWTs and states expire by it. The deadlines of real
 * requests and the patience with a person do not (hardening R28).
 */
export interface PlatformClock {
  /** The platform's time at this moment. */
  now(): Date;
  /**
   * Stands still, at this time or at the present one.
   * @throws UsageError for what is no time, or none in the years 1970 to 9999
   */
  freeze(at?: TimeInput): void;
  /**
   * Goes on from this time; while frozen, stands at it.
   * @throws UsageError for what is no time, or none in the years 1970 to 9999
   */
  set(at: TimeInput): void;
  /**
   * Moves forward, frozen or not.
   * @param by a duration such as "2h" or "1h30m", or whole milliseconds
   * @throws UsageError for anything else, or beyond the year 9999
   */
  advance(by: string | number): void;
  /** Runs again, as fast as real time and from where it stands; where it is not frozen, nothing happens. */
  resume(): void;
  /** Goes back to real time, and runs. */
  reset(): void;
  /**
   * Remembers how it stands now; the function that is returned puts it back so: running, as far ahead of real time as
   * then, or frozen, at the time of then.
   */
  remember(): () => void;
  state(): ClockState;
}

/** How the platform's clock stands, for showing. */
export interface ClockState {
  /** ISO 8601 in UTC. */
  readonly now: string;
  readonly frozen: boolean;
  /** Milliseconds that it is ahead of real time; negative: behind. */
  readonly offsetMs: number;
}

/** A clock that can be turned: `now()` and `until()` are the platform's time, the rest is real. */
export interface TurnableClock extends Clock {
  readonly face: PlatformClock;
}

/** Makes a platform's clock that shows real time until it is turned. */
export function createPlatformClock(base: Clock): TurnableClock {
  const waiting = new Set<() => void>();
  let offsetMs = 0;
  let frozenAt: number | null = null;
  const now = () => frozenAt ?? base.now() + offsetMs;
  const tellWaiting = () => {
    for (const look of [...waiting]) look();
  };
  const run = (offset: number) => {
    offsetMs = offset;
    frozenAt = null;
    tellWaiting();
  };
  const stand = (time: number) => {
    frozenAt = time;
    tellWaiting();
  };

  return {
    now,
    monotonic: base.monotonic,
    pause: base.pause,
    async until(time, signal) {
      let isOver = false;
      let turned = new AbortController();
      // It may be turned back before whoever waits comes to run: what was reached then stays reached.
      const look = () => {
        isOver ||= now() >= time || signal?.aborted === true;
        turned.abort();
      };
      waiting.add(look);
      signal?.addEventListener("abort", look);
      for (look(); !isOver; look()) {
        turned = new AbortController();
        const milliseconds = frozenAt === null ? time - now() : LONGEST_TIMER_MS;
        await base.pause(Math.min(milliseconds, LONGEST_TIMER_MS), turned.signal);
      }
      waiting.delete(look);
      signal?.removeEventListener("abort", look);
    },
    face: {
      now: () => new Date(now()),
      freeze: (at) => stand(at === undefined ? now() : readTime("clock.freeze()", at)),
      set: (at) => {
        const time = readTime("clock.set()", at);
        if (frozenAt === null) run(time - base.now());
        else stand(time);
      },
      advance: (by) => {
        const milliseconds = readDuration(by);
        inRange("clock.advance()", now() + milliseconds);
        if (frozenAt === null) run(offsetMs + milliseconds);
        else stand(frozenAt + milliseconds);
      },
      resume: () => {
        if (frozenAt !== null) run(frozenAt - base.now());
      },
      reset: () => run(0),
      remember: () => {
        const [offset, time] = [offsetMs, frozenAt];
        return () => (time === null ? run(offset) : stand(time));
      },
      state: () => {
        const real = base.now();
        const time = frozenAt ?? real + offsetMs;
        return { now: new Date(time).toISOString(), frozen: frozenAt !== null, offsetMs: time - real };
      },
    },
  };
}

const isoTime = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** Milliseconds since the epoch. */
function readTime(method: string, at: TimeInput): number {
  const text = isoTime.safeParse(at);
  const time = text.success ? Date.parse(text.data) : at instanceof Date ? at.getTime() : at;
  if (typeof time === "number" && Number.isInteger(time)) return inRange(method, time);
  throw new UsageError(
    "time-invalid",
    `${method}: ${at instanceof Date ? "an invalid Date" : valueText(at)} is not a time`,
    `an ISO 8601 time with Z or an offset such as 2031-05-06T07:08:09Z, or a date such as 2031-05-06${
      typeof at === "string" ? "" : "; a Date, or whole milliseconds since 1970"
    }`,
  );
}

/** Milliseconds. */
function readDuration(by: string | number): number {
  if (typeof by === "string") return parseDuration(by);
  if (Number.isSafeInteger(by) && by >= 0) return by;
  throw new UsageError(
    "duration-invalid",
    `clock.advance(): ${typeof by === "number" ? by : valueText(by)} is not a duration`,
    'a text such as "2h" or "1h30m", or whole milliseconds, 0 or more; clock.set() goes back in time',
  );
}

const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time that an ISO 8601 text of the usual length and the NumericDate of a JWT can tell (RFC 7519, 2). */
function inRange(method: string, time: number): number {
  if (time >= 0 && time <= LAST_TIME) return time;
  throw new UsageError(
    "time-out-of-range",
    `${method}: the platform's time would be outside the years 1970 to 9999`,
    `from 1970-01-01T00:00:00.000Z to ${new Date(LAST_TIME).toISOString()}`,
  );
}
