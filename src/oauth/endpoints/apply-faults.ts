import { type Random, seededRandom } from "../../platform/random.ts";
import { type Fault, type FaultPlace, type FaultRule, parseFault } from "../rules/faults.ts";

/** The faults that the platform was asked for, and what is left of them. */
export interface Faults {
  /**
   * Adds faults such as `token=500x2`, after those that are there; all of them or none.
   * @throws UsageError `fault-invalid`, as `parseFault` does
   */
  add(...texts: readonly string[]): void;
  /**
   * The fault that strikes a request, which is counted, or null. The places of a request are gone through as given,
   * the most specific first; the faults of each in the order in which they were added. The first that strikes counts.
   */
  take(places: readonly FaultPlace[]): Fault | null;
  /** What is still to come, as it was written; `left` is null for what does not end. */
  list(): readonly { readonly fault: string; readonly left: number | null }[];
  /** Ends all faults; those added afterwards strike as they would have at first. */
  clear(): void;
}

interface Waiting {
  readonly rule: FaultRule;
  readonly random: Random;
  left: number | null;
}

/**
 * Faults on demand, counted or by chance. Chance comes from the seed alone: the same faults and the same requests in
 * the same order give the same answers. Each fault has its own numbers, so that requests at one place, or another
 * fault, change nothing for the rest.
 * @param seed a whole number, of which 32 bits are looked at
 * @throws UsageError `fault-invalid` for a text that is not a fault
 */
export function createFaults(texts: readonly string[], seed: number): Faults {
  let waiting: readonly Waiting[] = [];
  let added = 0;

  const add = (...more: readonly string[]) => {
    const rules = more.map((text) => parseFault(text));
    const first = added;
    added += rules.length;
    waiting = [
      ...waiting,
      ...rules.map((rule, index) => ({ rule, random: seededRandom(seed + first + index), left: rule.times })),
    ];
  };

  add(...texts);
  return {
    add,
    take(places) {
      const candidates = places.flatMap((place) => waiting.filter(({ rule }) => rule.place === place));
      const struck = candidates.find(({ rule, random }) => random() < rule.probability);
      if (struck === undefined) return null;
      if (struck.left !== null) struck.left -= 1;
      waiting = waiting.filter(({ left }) => left !== 0);
      const { place, kind, delayMs } = struck.rule;
      return { place, kind, delayMs };
    },
    list: () => waiting.map(({ rule, left }) => ({ fault: rule.text, left })),
    clear() {
      waiting = [];
      added = 0;
    },
  };
}
