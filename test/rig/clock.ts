import { type Clock, systemClock } from "../../src/app-client/ports.ts";

/** A clock that stands still until the test moves it. */
export interface SteeredClock extends Clock {
  /** Time goes on: the pauses that are over by then end. */
  advance(milliseconds: number): void;
}

/** A clock that stands at `start`, milliseconds since the epoch. */
export function steeredClock(start = Date.UTC(2031, 4, 6, 7, 8, 9)): SteeredClock {
  const pauses = new Set<{ readonly due: number; readonly end: () => void }>();
  let passed = 0;
  const pause: Clock["pause"] = (milliseconds, signal) =>
    new Promise((resolve) => {
      const pausing = { due: passed + milliseconds, end };
      function end() {
        pauses.delete(pausing);
        signal?.removeEventListener("abort", end);
        resolve();
      }
      pauses.add(pausing);
      signal?.addEventListener("abort", end);
      if (signal?.aborted === true || milliseconds <= 0) end();
    });
  return {
    now: () => start + passed,
    monotonic: () => passed,
    pause,
    until: (time, signal) => pause(time - start - passed, signal),
    advance(milliseconds) {
      passed += milliseconds;
      for (const { due, end } of [...pauses]) if (due <= passed) end();
    },
  };
}

/** A clock that the test puts forward; its pauses end by themselves, too. */
export interface HastenedClock extends SteeredClock {
  /** Does this while new pauses take ten times as long: what is asked meanwhile is answered however slow the machine is. */
  inSlowMotion<Result>(work: () => Promise<Result>): Promise<Result>;
}

const SLOWNESS = 10;

/**
 * A clock whose pauses take as long as on this machine, unless the test puts it forward. Deadlines come no closer
 * before that, however slow the machine is.
 */
export function hastenedClock(): HastenedClock {
  const { monotonic, pause, advance } = steeredClock();
  let slowness = 1;
  return {
    now: systemClock.now,
    monotonic,
    async pause(milliseconds, signal) {
      const isOver = new AbortController();
      const either = signal === undefined ? isOver.signal : AbortSignal.any([signal, isOver.signal]);
      await Promise.race([systemClock.pause(slowness * milliseconds, either), pause(milliseconds, either)]);
      isOver.abort();
    },
    until: systemClock.until,
    advance,
    async inSlowMotion(work) {
      slowness = SLOWNESS;
      return work().finally(() => {
        slowness = 1;
      });
    },
  };
}
