import type { Clock } from "../../src/app-client/ports.ts";

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
