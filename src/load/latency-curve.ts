import { createHistogram } from "node:perf_hooks";
import type { LoadRecord } from "../journal/record.ts";

/** Enough for a chart, few enough for memory: in a longer load, two slices become one. */
const MOST_SLICES = 60;
const FIRST_SLICE_MS = 100;

const MICROSECONDS = 1000;
/** An hour: longer than any deadline. */
const LONGEST_MICROSECONDS = 3_600_000_000;

/** The deliveries due within a slice of a load's time. */
interface Slice {
  readonly histogram: ReturnType<typeof newHistogram>;
  count: number;
  failed: number;
}

/** The latency of a load over time, in constant memory. */
export class LatencyCurve {
  #slices: Slice[] = [];
  #sliceMs = FIRST_SLICE_MS;

  /**
   * @param dueMs when the delivery was due, in milliseconds from the start of the load
   * @param latencyMs until its answer; null: there was none
   */
  add(dueMs: number, latencyMs: number | null, isGood: boolean): void {
    while (dueMs >= MOST_SLICES * this.#sliceMs) this.#halve();
    const slice = this.#slice(Math.max(0, Math.floor(dueMs / this.#sliceMs)));
    slice.count += 1;
    if (!isGood) slice.failed += 1;
    if (latencyMs === null) return;
    const microseconds = Math.round(latencyMs * MICROSECONDS);
    slice.histogram.record(Math.min(LONGEST_MICROSECONDS, Math.max(1, microseconds)));
  }

  /** The slices in which something was due, oldest first. */
  points(): LoadRecord["curve"] {
    return this.#slices.flatMap(({ histogram, count, failed }, index) => {
      const at = (percentile: number) => Math.round(histogram.percentile(percentile)) / MICROSECONDS;
      const max = Math.round(histogram.max) / MICROSECONDS;
      const latency = histogram.count === 0 ? null : { p50: at(50), p95: at(95), p99: at(99), max };
      return count === 0 ? [] : [{ fromMs: index * this.#sliceMs, count, failed, latency }];
    });
  }

  #slice(index: number): Slice {
    while (this.#slices.length <= index) this.#slices.push({ histogram: newHistogram(), count: 0, failed: 0 });
    return this.#slices[index] as Slice;
  }

  #halve(): void {
    this.#sliceMs *= 2;
    this.#slices = this.#slices.flatMap((slice, index) => {
      if (index % 2 === 1) return [];
      const next = this.#slices[index + 1];
      if (next === undefined) return [slice];
      slice.histogram.add(next.histogram);
      return [{ ...slice, count: slice.count + next.count, failed: slice.failed + next.failed }];
    });
  }
}

/** To two figures: a chart shows no more. */
function newHistogram() {
  return createHistogram({ lowest: 1, highest: LONGEST_MICROSECONDS, figures: 2 });
}
