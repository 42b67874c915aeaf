import { createHistogram } from "node:perf_hooks";
import { z } from "zod";

const milliseconds = z.number();

/** Milliseconds, to three significant figures. */
export const latencySummarySchema = z.strictObject({
  /** The shortest. */
  min: milliseconds,
  /** The arithmetic mean. */
  mean: milliseconds,
  /** The median. */
  p50: milliseconds,
  /** 90 % took no longer. */
  p90: milliseconds,
  /** 95 % took no longer. */
  p95: milliseconds,
  /** 99 % took no longer. */
  p99: milliseconds,
  /** 99.9 % took no longer. */
  p999: milliseconds,
  /** The longest. */
  max: milliseconds,
});
export type LatencySummary = z.infer<typeof latencySummarySchema>;

/** Durations in an HDR histogram, whose size does not depend on how many are recorded. */
export interface Latencies {
  /** @param ms milliseconds */
  record(ms: number): void;
  /** null if nothing was recorded. */
  summary(): LatencySummary | null;
}

const MICROSECONDS = 1000;
/** An hour: longer than any deadline. */
const LONGEST_MICROSECONDS = 3_600_000_000;

/** Node's own histogram is HdrHistogram (https://hdrhistogram.org), to three figures, from one microsecond up. */
export function createLatencies(): Latencies {
  const histogram = createHistogram({ lowest: 1, highest: LONGEST_MICROSECONDS, figures: 3 });
  const toMs = (microseconds: number) => Math.round(microseconds) / MICROSECONDS;
  return {
    record: (ms) => histogram.record(Math.min(LONGEST_MICROSECONDS, Math.max(1, Math.round(ms * MICROSECONDS)))),
    summary() {
      if (histogram.count === 0) return null;
      const at = (percentile: number) => toMs(histogram.percentile(percentile));
      return {
        min: toMs(histogram.min),
        mean: toMs(histogram.mean),
        p50: at(50),
        p90: at(90),
        p95: at(95),
        p99: at(99),
        p999: at(99.9),
        max: toMs(histogram.max),
      };
    },
  };
}
