import { valueText } from "./problems.ts";
import { UsageError } from "./usage-error.ts";

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
const units = Object.entries(UNITS_MS);

/** Seconds, which need no unit and may have a fraction. */
const SECONDS = /^(\d+(?:\.\d+)?)s?$/;

/** Whole numbers with their units, each unit at most once and the larger first. */
const PATTERN = new RegExp(`^${units.map(([unit]) => `(?:(\\d+)${unit})?`).join("")}$`);

/**
 * Milliseconds of a duration such as "2h", "90s", "500ms" or "1h30m".
 * @throws UsageError for anything else; a number without a unit is ambiguous
 */
export function parseDuration(text: string): number {
  const [matched, ...counts] = PATTERN.exec(text) ?? [];
  const milliseconds = units.reduce((sum, [, unitMs], index) => sum + Number(counts[index] ?? 0) * unitMs, 0);
  if (matched && Number.isSafeInteger(milliseconds)) return milliseconds;
  throw new UsageError(
    "duration-invalid",
    `${valueText(text)} is not a duration`,
    "whole numbers with the units d, h, m, s and ms, the larger first: 2h, 90s, 15m, 1d, 500ms, 1h30m",
  );
}

/** Other spellings of units. */
const usualUnits: readonly (readonly [unit: string, words: RegExp])[] = [
  ["ms", /^(?:ms|msecs?|millis|milliseconds?)$/],
  ["s", /^(?:s|secs?|seconds?)$/],
  ["m", /^(?:m|mins?|minutes?)$/],
  ["h", /^(?:h|hrs?|hours?)$/],
  ["d", /^(?:d|days?)$/],
];

/**
 * A duration as other programs write it, such as 2sec, "5 min" or 2h30, in the spelling used here; null if it is not a
 * duration.
 */
export function usualDuration(text: string): string | null {
  // As on a clock, a number without a unit after the hours means minutes.
  if (/^\d+h[0-5]\d$/.test(text)) return `${text}m`;
  const [, number, word = ""] = /^(\d+) ?([a-z]+)$/i.exec(text) ?? [];
  const unit = usualUnits.find(([, words]) => words.test(word.toLowerCase()))?.[0];
  return number === undefined || unit === undefined ? null : `${number}${unit}`;
}

/**
 * Milliseconds of a duration such as "1m30s"; a plain number means seconds.
 * @throws UsageError for anything else
 */
export function parseTime(text: string): number {
  const milliseconds = Number(SECONDS.exec(text)?.[1]) * 1000;
  return milliseconds <= Number.MAX_SAFE_INTEGER ? milliseconds : parseDuration(text);
}
