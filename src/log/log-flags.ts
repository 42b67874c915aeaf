import { InvalidFlagError } from "../action/flags.ts";
import { exchangePurposes } from "../journal/purposes.ts";
import { parseDuration } from "../protocol/duration.ts";
import { didYouMean } from "../protocol/nearest.ts";

/** A range of statuses, both bounds included. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** Which records are wanted; a record must match everything that is set. */
export interface LogFilter {
  /** Milliseconds since 1970. */
  readonly since?: number;
  /** Any of these. */
  readonly kind?: readonly string[];
  /** Key of the module. */
  readonly module?: string;
  readonly status?: StatusRange;
  /** Only failures. */
  readonly failed?: boolean;
  /** Searched in what is shown of a record: address, headers, bodies, reasons. */
  readonly grep?: RegExp;
}

/** Kinds of records: the purpose of an exchange, or the type of another record. */
export const recordKinds: readonly string[] = [
  ...exchangePurposes,
  "exchange",
  "login",
  "oauth",
  "verification",
  "foreign",
  "load",
];

/** Reads one kind; the flag may be repeated. */
export function readKind(text: string, earlier: readonly string[] | undefined): readonly string[] {
  if (recordKinds.includes(text)) return [...(earlier ?? []), text];
  throw new InvalidFlagError(`Allowed: ${recordKinds.join(", ")}.${didYouMean(text, recordKinds)}`);
}

/** Reads a status such as `401`, a class such as `4xx`, or a range such as `400-499`. */
export function readStatus(text: string): StatusRange {
  const [, hundreds] = /^([1-9])xx$/i.exec(text) ?? [];
  if (hundreds !== undefined) return { from: Number(hundreds) * 100, to: Number(hundreds) * 100 + 99 };
  const [, from, to = from] = /^(\d{3})(?:-(\d{3}))?$/.exec(text) ?? [];
  if (from === undefined) throw new InvalidFlagError("Expected a status such as 401, 4xx or 400-499.");
  return { from: Number(from), to: Number(to) };
}

/** Reads a regular expression, which is case-insensitive. */
export function readPattern(text: string): RegExp {
  try {
    return new RegExp(text, "iu");
  } catch {
    throw new InvalidFlagError("Expected a regular expression; escape characters such as [ or ( with \\.");
  }
}

/** Reads a point in time: an ISO 8601 time, or how long ago. */
export function readSince(text: string): string {
  sinceTime(text, 0);
  return text;
}

/** @param now milliseconds since 1970 */
export function sinceTime(text: string, now: number): number {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  try {
    return now - parseDuration(text);
  } catch {
    throw new InvalidFlagError("Expected how long ago, such as 10m, or a time such as 2026-01-31T12:00Z.");
  }
}
