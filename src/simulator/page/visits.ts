import { type Chromium, createChromium } from "./chromium.ts";

/** The visits to pages of guards that are under way in one simulator, and the Chromium that they share. */
export interface Visits {
  readonly chromium: Chromium;
  add(visit: Promise<void>): void;
  /** Resolves when none is under way any more, and the Chromium has ended. */
  allEnded(): Promise<void>;
}

/** There are none yet. */
export function createVisits(): Visits {
  const running = new Set<Promise<void>>();
  return {
    chromium: createChromium(),
    add(visit) {
      running.add(visit);
      const end = () => running.delete(visit);
      visit.then(end, end);
    },
    async allEnded() {
      await Promise.allSettled(running);
    },
  };
}
