import type { LoadPlan } from "./load-options.ts";
import type { LoadResult } from "./load-result.ts";
import { dueAt } from "./rules/load-schedule.ts";
import type { Tally } from "./tally.ts";

/** The figures of a load. */
export type Measured = ReturnType<Tally["counts"]> & Pick<LoadResult, "seconds" | "rate">;

/**
 * Counts, times and the achieved rate. An open loop lasts as long as its schedule, or until its last delivery was sent
 * where that was later: how long the answers to the last ones took does not make it slower.
 * @param started on the monotonic clock
 */
export function measureLoad(tally: Tally, { rate }: LoadPlan, started: number): Measured {
  const counts = tally.counts();
  const last = tally.last();
  const wholeMs = last === null ? 0 : last.endedAt - started;
  const due = counts.sent + counts.notSent;
  const sendingMs =
    rate === null || last === null ? wholeMs : Math.max(dueAt({ rate, total: due }, due), last.sentAt - started);
  return {
    ...counts,
    seconds: Math.round(wholeMs) / 1000,
    rate: sendingMs === 0 ? 0 : Math.round((counts.sent * 10_000) / (sendingMs / 1000)) / 10_000,
  };
}
