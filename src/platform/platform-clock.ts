import { z } from "zod";
import { type Clock, LONGEST_TIMER_MS } from "../app-client/ports.ts";
import { parseDuration } from "../protocol/duration.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";

/**
 * A time: a date, milliseconds since the epoch, or ISO 8601 with its offset from UTC; a date without a time begins at
 * midnight UTC.
 */
type TimeInput = Date | string | number;

/**
 * The platform's time: codes, tokens, guard JWTs and states expire by it. Deadlines of requests and of user input are
 * in real time.
 */
export interface PlatformClock {
  /** The platform's current time. */
  now(): Date;
  /**
   * Stops the clock, at this time or the current one.
   * @throws UsageError for a time that is invalid, or outside the years 1970 to 9999
   */
  freeze(at?: TimeInput): void;
  /**
   * Sets the time; a frozen clock stays frozen.
   * @throws UsageError for a time that is invalid, or outside the years 1970 to 9999
   */
  set(at: TimeInput): void;
  /**
   * Moves the time forward, frozen or not.
   * @param by a duration such as "2h" or "1h30m", or whole milliseconds
   * @throws UsageError for an invalid duration, or a time beyond the year 9999
   */
  advance(by: string | number): void;
  /** Lets a frozen clock run again, from its time and as fast as real time. */
  resume(): void;
  /** Returns to real time, running. */
  reset(): void;
  /** Remembers the current state; the returned function restores it: the offset from real time, or the frozen time. */
  remember(): () => void;
  /**
   * Shows real time until the returned function is called, or the last of them if there were several calls. What the
   * clock was set to, before or meanwhile, applies again afterwards, and is what `state()` reports.
   */
  showRealTime(): () => void;
  /** The current state. */
  state(): ClockState;
}

/** The state of the platform's clock. */
export interface ClockState {
  /** ISO 8601 in UTC. */
  readonly now: string;
  /** Whether it is frozen. */
  readonly frozen: boolean;
  /** Milliseconds ahead of real time; negative if behind. */
  readonly offsetMs: number;
}

/** A clock that can be changed: `now()` and `until()` use the platform's time, the rest is real. */
export interface TurnableClock extends Clock {
  readonly face: PlatformClock;
}

/** Either runs with an offset from real time, or is frozen. */
type Setting = { readonly offsetMs: number } | { readonly frozenAt: number };

/** Creates a clock that shows real time until it is changed. */
export function createPlatformClock(base: Clock): TurnableClock {
  const changeListeners = new Set<() => void>();
  const usersOfRealTime = new Set<symbol>();
  let setting: Setting = { offsetMs: 0 };
  const isReal = () => usersOfRealTime.size > 0;
  const setTime = () => ("frozenAt" in setting ? setting.frozenAt : base.now() + setting.offsetMs);
  const now = () => (isReal() ? base.now() : setTime());
  const changed = () => {
    for (const listener of [...changeListeners]) listener();
  };
  const change = (next: Setting) => {
    setting = next;
    changed();
  };

  return {
    now,
    monotonic: base.monotonic,
    pause: base.pause,
    async until(time, signal) {
      let isOver = false;
      let turned = new AbortController();
      // Even if the clock is set back before the caller continues, the time was reached.
      const check = () => {
        isOver ||= now() >= time || signal?.aborted === true;
        turned.abort();
      };
      changeListeners.add(check);
      signal?.addEventListener("abort", check);
      for (check(); !isOver; check()) {
        turned = new AbortController();
        const milliseconds = "frozenAt" in setting && !isReal() ? LONGEST_TIMER_MS : time - now();
        await base.pause(Math.min(milliseconds, LONGEST_TIMER_MS), turned.signal);
      }
      changeListeners.delete(check);
      signal?.removeEventListener("abort", check);
    },
    face: {
      now: () => new Date(now()),
      freeze: (at) => change({ frozenAt: at === undefined ? setTime() : readTime("clock.freeze()", at) }),
      set: (at) => {
        const time = readTime("clock.set()", at);
        change("frozenAt" in setting ? { frozenAt: time } : { offsetMs: time - base.now() });
      },
      advance: (by) => {
        const milliseconds = readDuration(by);
        inRange("clock.advance()", setTime() + milliseconds);
        change(later(setting, milliseconds));
      },
      resume: () => {
        if ("frozenAt" in setting) change({ offsetMs: setting.frozenAt - base.now() });
      },
      reset: () => change({ offsetMs: 0 }),
      remember: () => {
        const remembered = setting;
        return () => change(remembered);
      },
      showRealTime: () => {
        const user = Symbol("real time");
        usersOfRealTime.add(user);
        changed();
        return () => {
          usersOfRealTime.delete(user);
          changed();
        };
      },
      state: () => {
        const real = base.now();
        const time = "frozenAt" in setting ? setting.frozenAt : real + setting.offsetMs;
        return { now: new Date(time).toISOString(), frozen: "frozenAt" in setting, offsetMs: time - real };
      },
    },
  };
}

function later(setting: Setting, milliseconds: number): Setting {
  return "frozenAt" in setting
    ? { frozenAt: setting.frozenAt + milliseconds }
    : { offsetMs: setting.offsetMs + milliseconds };
}

// Created on each call, because few platforms' clocks are ever set.
const isoTime = () => z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** Milliseconds since the epoch. */
function readTime(method: string, at: TimeInput): number {
  const text = isoTime().safeParse(at);
  const time = text.success ? Date.parse(text.data) : at instanceof Date ? at.getTime() : at;
  if (typeof time === "number" && Number.isInteger(time)) return inRange(method, time);
  const examples = "an ISO 8601 time with Z or an offset such as 2031-05-06T07:08:09Z, or a date such as 2031-05-06";
  throw new UsageError(
    "time-invalid",
    `${method}: ${at instanceof Date ? "an invalid Date" : valueText(at)} is not a time`,
    typeof at === "string" ? examples : `${examples}; a Date, or whole milliseconds since 1970`,
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

/** How far a clock is from real time, in whole seconds, because real time goes on meanwhile. */
export function offsetText(offsetMs: number): string {
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  if (seconds === 0) return "real time";
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const counts = { d: Math.floor(hours / 24), h: hours % 24, m: minutes % 60, s: seconds % 60 };
  const text = Object.entries(counts)
    .map(([unit, count]) => (count === 0 ? "" : `${count}${unit}`))
    .join("");
  return `${text} ${offsetMs > 0 ? "ahead of" : "behind"} real time`;
}

const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time that fits both an ISO 8601 text of the usual length and the NumericDate of a JWT (RFC 7519, 2). */
function inRange(method: string, time: number): number {
  if (time >= 0 && time <= LAST_TIME) return time;
  throw new UsageError(
    "time-out-of-range",
    `${method}: the platform's time would be outside the years 1970 to 9999`,
    `from 1970-01-01T00:00:00.000Z to ${new Date(LAST_TIME).toISOString()}`,
  );
}
