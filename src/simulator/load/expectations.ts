import { parseDuration } from "../../protocol/duration.ts";
import { valueText } from "../../protocol/problems.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { LoadExpectation, LoadResult } from "./load-result.ts";

const latencyMeasures = ["mean", "p50", "p90", "p95", "p99", "p999", "max"] as const;
type LatencyMeasure = (typeof latencyMeasures)[number];

/** Something that a load has to show. */
export interface Expectation {
  readonly text: string;
  /** `share`: of the deliveries that were due, in percent. */
  readonly measure: LatencyMeasure | "rate" | "errors" | "share";
  readonly comparison: "<" | "<=" | ">" | ">=";
  /** Milliseconds, deliveries a second, deliveries, or percent. */
  readonly limit: number;
}

/** What expectations are held against. */
type Measured = Pick<LoadResult, "latency" | "rate" | "sent" | "failed" | "notSent">;

const PATTERN = new RegExp(`^(${latencyMeasures.join("|")}|rate|errors)\\s*(<=|>=|<|>)\\s*(\\S+)$`);

/**
 * Reads `p99<250ms`, `errors<1%`, `errors<=0`, `rate>=990`.
 * @throws UsageError for anything else
 */
export function parseExpectation(text: string): Expectation {
  const [, name, comparison, value = ""] = PATTERN.exec(text.trim()) ?? [];
  if (name === undefined) throw invalid(text);
  const of = (measure: Expectation["measure"], limit: number): Expectation => {
    return { text: text.trim(), measure, comparison: comparison as Expectation["comparison"], limit };
  };
  if (name === "rate" || name === "errors") {
    const [, digits, percent = ""] = /^(\d+(?:\.\d+)?)(%?)$/.exec(value) ?? [];
    if (digits === undefined || (name === "rate" && percent !== "")) throw invalid(text);
    return of(percent === "" ? name : "share", Number(digits));
  }
  try {
    return of(name as LatencyMeasure, parseDuration(value));
  } catch (error) {
    throw error instanceof UsageError ? invalid(text) : error;
  }
}

function invalid(text: string): UsageError {
  return new UsageError(
    "expectation-invalid",
    `${valueText(text)} is not what a load can be expected to show`,
    `a measure, a comparison and a limit: p99<250ms, errors<1%, errors<=0, rate>=990; measures: ${latencyMeasures.join(", ")}, errors, rate`,
  );
}

/** Whether an expectation says how many deliveries may fail: then they alone do not fail the run. */
export function allowsErrors({ measure }: Expectation): boolean {
  return measure === "errors" || measure === "share";
}

/** What came of an expectation. */
export function judgeExpectation(expectation: Expectation, measured: Measured): LoadExpectation {
  const { text, measure, comparison, limit } = expectation;
  const actual = actualOf(measure, measured);
  if (actual === null) return { text, actual: null, met: false };
  return { text, actual: actualText(measure, actual), met: compare[comparison](actual, limit) };
}

function actualOf(measure: Expectation["measure"], measured: Measured): number | null {
  const { latency, rate, sent, failed, notSent } = measured;
  const due = sent + notSent;
  const errors = failed + notSent;
  if (measure === "rate") return rate;
  if (measure === "errors") return errors;
  if (measure === "share") return due === 0 ? null : (errors / due) * 100;
  return latency?.[measure] ?? null;
}

function actualText(measure: Expectation["measure"], actual: number): string {
  const rounded = (actual >= 100 ? Math.round(actual * 10) / 10 : Number(actual.toPrecision(3))).toLocaleString(
    "en-US",
  );
  if (measure === "errors") return rounded;
  return `${rounded}${measure === "rate" ? "/s" : measure === "share" ? "%" : " ms"}`;
}

const compare: Record<Expectation["comparison"], (actual: number, limit: number) => boolean> = {
  "<": (actual, limit) => actual < limit,
  "<=": (actual, limit) => actual <= limit,
  ">": (actual, limit) => actual > limit,
  ">=": (actual, limit) => actual >= limit,
};
