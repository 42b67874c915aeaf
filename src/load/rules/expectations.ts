import { parseDuration, usualDuration } from "../../protocol/duration.ts";
import { valueText } from "../../protocol/problems.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { withCommas } from "../../protocol/with-commas.ts";
import type { LoadOptions } from "../load-options.ts";
import type { LoadExpectation, LoadResult } from "../load-result.ts";

const latencyMeasures = ["mean", "p50", "p90", "p95", "p99", "p999", "max"] as const;
type LatencyMeasure = (typeof latencyMeasures)[number];

/** An expectation of a load. */
export interface Expectation {
  readonly text: string;
  /** `share`: percentage of the deliveries that were due. */
  readonly measure: LatencyMeasure | "rate" | "errors" | "share";
  readonly comparison: "<" | "<=" | ">" | ">=";
  /** Milliseconds, deliveries a second, deliveries, or percent. */
  readonly limit: number;
}

/** The measurements to compare with. */
type Measured = Pick<LoadResult, "latency" | "rate" | "sent" | "failed" | "notSent">;

const PATTERN = new RegExp(`^(${latencyMeasures.join("|")}|rate|errors)\\s*(<=|>=|<|>)\\s*(\\S+)$`);

/**
 * Reads `p99<250ms`, `p50<1.5ms`, `errors<1%`, `errors<=0`, `rate>=990`.
 * @throws UsageError for anything else
 */
export function parseExpectation(text: string): Expectation {
  const [, name, comparison, value = ""] = PATTERN.exec(text.trim()) ?? [];
  if (name === undefined) throw invalid(text, otherMeasure(text) ?? inWords(text));
  if (severalIn(value)) throw invalid(text, SEVERAL);
  if (comparison === "<" && /^0+(?:\.0+)?(?:%|[a-z]+)?$/.test(value))
    throw invalid(text, `nothing is below 0: did you mean ${name}<=${value}?`);
  const of = (measure: Expectation["measure"], limit: number): Expectation => {
    return { text: text.trim(), measure, comparison: comparison as Expectation["comparison"], limit };
  };
  if (name === "rate" || name === "errors") {
    const [, digits, percent = ""] = /^(\d+(?:\.\d+)?)(%?)$/.exec(value) ?? [];
    const isRate = name === "rate";
    if (digits === undefined || (isRate && percent !== ""))
      throw invalid(text, `${name} is compared with a number${isRate ? " of deliveries per second" : " or a share"}`);
    return of(percent === "" ? name : "share", Number(digits));
  }
  try {
    return of(name as LatencyMeasure, milliseconds(value));
  } catch (error) {
    const needsUnit = /^\d+(?:\.\d+)?$/.test(value);
    const usual = usualDuration(value);
    const meant = usual === null ? null : `did you mean ${name}${comparison}${usual}?`;
    const unit = needsUnit
      ? `${name} needs a unit: ${name}${comparison}${value}ms or ${name}${comparison}${value}s`
      : meant;
    throw error instanceof UsageError ? invalid(text, unit) : error;
  }
}

/**
 * Normalizes expectations, given as texts or as limits by measure, to texts.
 * @throws UsageError for an unknown measure
 */
export function expectationTexts(expect: LoadOptions["expect"] = []): string[] {
  if (typeof expect === "string") return [expect];
  if (isList(expect)) return [...expect];
  return Object.entries(expect).flatMap(([measure, limit]: [string, string | number | undefined]) => {
    if (limit === undefined) return [];
    const isLatency = measure !== "errors" && measure !== "rate";
    return [
      `${measure}${measure === "rate" ? ">=" : "<="}${limit}${isLatency && typeof limit === "number" ? "ms" : ""}`,
    ];
  });
}

function isList(expect: NonNullable<LoadOptions["expect"]>): expect is readonly string[] {
  return Array.isArray(expect);
}

/** `250ms`, `1m30s`, and fractions of a unit, for fast apps: `1.5ms`. */
function milliseconds(text: string): number {
  const [, digits, unit] = /^(\d+\.\d+)(ms|s)$/.exec(text) ?? [];
  if (digits === undefined) return parseDuration(text);
  return unit === "s" ? Number(digits) * 1000 : Number(digits);
}

const measures = [...latencyMeasures, "errors", "rate"];

/** The error for an unknown measure or comparison; null: the text does not start with one. */
function otherMeasure(text: string): string | null {
  const [, measured = "", sign, limit = ""] = /^\s*([a-z]\w*)\s*(=[=<>]*|!=+)\s*(\S*)\s*$/i.exec(text) ?? [];
  if (measures.includes(measured))
    return `${sign} is not a comparison; use <, <=, > or >=, as in ${measured}${measured === "rate" ? ">" : "<"}${/^0+%?$/.test(limit) ? "=" : ""}${limit}`;
  const [, name = ""] = /^\s*([a-z]\w*)\s*[<>]/i.exec(text) ?? [];
  return name === "" || measures.includes(name) ? null : `there is no measure ${name}`;
}

const SEVERAL = "give each expectation separately; in the library, as an element of a list";

/** Whether another expectation follows a limit: `2s,errors<1%`. */
function severalIn(limit: string): boolean {
  return /(?:[,;&]|\sand\s).*[<>]/.test(limit);
}

/** The hint for a comparison written in words; null: it is none. */
function inWords(text: string): string | null {
  if (severalIn(text)) return SEVERAL;
  const [, measured = "", word = "", limit] =
    /^\s*([a-z]\w*)\s+(?:is |be )?(under|below|less than|at most|over|above|more than|at least)\s+(\S+)\s*$/i.exec(
      text,
    ) ?? [];
  if (!measures.includes(measured)) return null;
  const sign =
    { under: "<", below: "<", "less than": "<", "at most": "<=", "at least": ">=" }[word.toLowerCase()] ?? ">";
  return `did you mean ${measured}${sign}${limit}?`;
}

/** @param slip what is wrong with it; null: unknown */
function invalid(text: string, slip: string | null = null): UsageError {
  return new UsageError(
    "expectation-invalid",
    `${valueText(text)} is not a valid expectation${slip === null ? "" : `: ${slip}`}`,
    `give a measure, a comparison and a limit: p99<250ms, errors<1%, errors<=0, rate>=990; measures: ${measures.join(", ")}`,
  );
}

/** Whether an expectation limits failures: then a failure alone does not fail the run. */
export function allowsErrors({ measure }: Expectation): boolean {
  return measure === "errors" || measure === "share";
}

/** Whether an expectation sets the rate: then only that counts. */
export function allowsRate({ measure, comparison }: Expectation): boolean {
  return measure === "rate" && comparison.startsWith(">");
}

/** The result of an expectation. Deliveries that were never sent count against a latency. */
export function judgeExpectation(expectation: Expectation, measured: Measured): LoadExpectation {
  const { text, measure, comparison, limit } = expectation;
  const actual = actualOf(measure, measured);
  if (actual === null) return { text, actual: null, met: false };
  const met = compare[comparison](actual, limit);
  const shown = actualText(expectation, actual);
  const { notSent } = measured;
  if (!comparison.startsWith("<") || notSent <= unsentWithin(measure, measured)) return { text, actual: shown, met };
  const missing = `${withCommas(notSent)} of ${withCommas(total(measured))} were never sent`;
  return { text, actual: `${shown}, and ${missing}`, met: false };
}

/** How many may have taken forever without affecting a latency. */
function unsentWithin(measure: Expectation["measure"], measured: Measured): number {
  if (measure === "rate" || measure === "errors" || measure === "share") return Number.POSITIVE_INFINITY;
  return measure in PERCENTILES ? total(measured) * (1 - PERCENTILES[measure as keyof typeof PERCENTILES]) : 0;
}

const PERCENTILES = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999 } as const;

/** The deliveries that were due. */
function total({ sent, notSent }: Measured): number {
  return sent + notSent;
}

function actualOf(measure: Expectation["measure"], measured: Measured): number | null {
  const { latency, rate, failed, notSent } = measured;
  const due = total(measured);
  const errors = failed + notSent;
  if (measure === "rate") return rate;
  if (measure === "errors") return errors;
  if (measure === "share") return due === 0 ? null : (errors / due) * 100;
  return latency?.[measure] ?? null;
}

/** Three figures, or as many as needed to show on which side of the limit it is. */
function actualText({ measure, comparison, limit }: Expectation, actual: number): string {
  const isClear = (value: number) => compare[comparison](value, limit) === compare[comparison](actual, limit);
  const least = actual >= 100 ? Math.round(actual * 10) / 10 : Number(actual.toPrecision(3));
  const values = [least, ...MORE_FIGURES.map((figures) => Number(actual.toPrecision(figures)))];
  const rounded = (values.find(isClear) ?? actual).toLocaleString("en-US", { maximumFractionDigits: 10 });
  if (measure === "errors") return rounded;
  return `${rounded}${measure === "rate" ? "/s" : measure === "share" ? "%" : " ms"}`;
}

const MORE_FIGURES = [4, 5, 6, 7, 8, 9, 10];

const compare: Record<Expectation["comparison"], (actual: number, limit: number) => boolean> = {
  "<": (actual, limit) => actual < limit,
  "<=": (actual, limit) => actual <= limit,
  ">": (actual, limit) => actual > limit,
  ">=": (actual, limit) => actual >= limit,
};
