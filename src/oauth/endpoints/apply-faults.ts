import { type Random, seededRandom } from "../../platform/random.ts";
import type { FaultPlace, FaultRequest } from "../../protocol/fault-kinds.ts";
import { type Fault, type FaultRule, parseFault, writtenFault } from "../rules/faults.ts";

/** The requested faults that have not happened yet. */
export interface Faults {
  /**
   * Adds faults such as `token=500x2`, or `{ place: "token", kind: "500", times: 2 }`, after the current ones; all of
   * them or none.
   * @throws UsageError `fault-invalid`, as `parseFault` does
   */
  add(...faults: readonly (string | FaultRequest)[]): void;
  /**
   * Returns the fault for a request, or null, and counts it. Places are tried in the given order, most specific first,
   * and the faults of each place in the order in which they were added.
   */
  take(places: readonly FaultPlace[]): Fault | null;
  /** The faults still to happen. */
  list(): readonly PendingFault[];
  /** Removes all faults, and restarts their random numbers. */
  clear(): void;
}

/** A fault that has not happened yet. */
interface PendingFault {
  /** As written, such as `token=500x2`. */
  readonly fault: string;
  /** How often it will still happen; null: always. */
  readonly left: number | null;
}

interface Waiting {
  readonly rule: FaultRule;
  readonly random: Random;
  left: number | null;
}

/**
 * Creates the faults on demand, counted or random. Randomness depends only on the seed: the same faults and the same
 * requests in the same order give the same answers. Each fault has its own random numbers, so that other faults, and
 * requests elsewhere, do not affect it.
 * @param seed a whole number, of which 32 bits are used
 * @throws UsageError `fault-invalid` for a text that is not a fault
 */
export function createFaults(faults: readonly (string | FaultRequest)[], seed: number): Faults {
  let waiting: readonly Waiting[] = [];
  let added = 0;

  const add = (...more: readonly (string | FaultRequest)[]) => {
    const rules = more.map((fault) => parseFault(writtenFault(fault)));
    const first = added;
    added += rules.length;
    waiting = [
      ...waiting,
      ...rules.map((rule, index) => ({ rule, random: seededRandom(seed + first + index), left: rule.times })),
    ];
  };

  add(...faults);
  return {
    add,
    take(places) {
      const candidates = places.flatMap((place) => waiting.filter(({ rule }) => rule.place === place));
      const taken = candidates.find(({ rule, random }) => random() < rule.probability);
      if (taken === undefined) return null;
      if (taken.left !== null) taken.left -= 1;
      waiting = waiting.filter(({ left }) => left !== 0);
      const { place, kind, delayMs } = taken.rule;
      return { place, kind, delayMs };
    },
    list: () => waiting.map(({ rule, left }) => ({ fault: rule.text, left })),
    clear() {
      waiting = [];
      added = 0;
    },
  };
}
