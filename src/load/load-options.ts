import type { OptionsOf } from "../action/define-action.ts";
import { InvalidFlagError, milliseconds, repeated, wholeNumber, wholeNumberBetween } from "../action/flags.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { type EventOptions, eventOptions } from "../webhook/webhook-options.ts";
import type { LoadPlan } from "./load-result.ts";

/** Maximum number of deliveries in one run. */
const COUNT_LIMIT = 100_000_000;
const SENDERS_LIMIT = 10_000;
const RATE_LIMIT = 1_000_000;
const SHORTEST_MS = 100;
const DAY_MS = 86_400_000;

const USUAL_DURATION_MS = 10_000;
const USUAL_CONCURRENCY = 10;
const USUAL_CONNECTIONS = 100;

/** A latency as a duration such as `250ms`, or in milliseconds. */
type LatencyLimit = string | number | undefined;

/** What a load must show: maximum latencies and errors, and a minimum rate. */
export interface LoadLimits {
  /** Mean time until the answer. */
  readonly mean?: LatencyLimit;
  /** Time within which half of the answers arrived. */
  readonly p50?: LatencyLimit;
  /** Time within which 90% of the answers arrived. */
  readonly p90?: LatencyLimit;
  /** Time within which 95% of the answers arrived. */
  readonly p95?: LatencyLimit;
  /** Time within which 99% of the answers arrived. */
  readonly p99?: LatencyLimit;
  /** Time within which 99.9% of the answers arrived. */
  readonly p999?: LatencyLimit;
  /** Time of the slowest answer. */
  readonly max?: LatencyLimit;
  /** Deliveries that failed or were not sent: a number, or a share such as `1%`. */
  readonly errors?: string | number | undefined;
  /** Deliveries a second. */
  readonly rate?: number | undefined;
}

/** Options of `load()` and `exportLoad()`, and flags of `app-sim load`. */
export interface LoadOptions extends EventOptions {
  /** Deliveries to all modules together, up to 100,000,000; excludes `durationMs`. */
  readonly count?: number | undefined;
  /** Events in each delivery; default 1. */
  readonly batch?: number | undefined;
  /** Open loop: deliveries a second, 0.1 to 1,000,000, however long the app takes to answer. */
  readonly rate?: number | undefined;
  /** Closed loop: senders that each wait for the answer before they send again, up to 10,000; default 10. */
  readonly concurrency?: number | undefined;
  /** How long to send, in milliseconds, 100 to a day; default 10,000. */
  readonly durationMs?: number | undefined;
  /** Maximum number of connections to one origin; default 100 in an open loop, else one for each sender. */
  readonly connections?: number | undefined;
  /**
   * What the load must show: `p99<250ms`, `mean<=20ms`, `errors<1%`, `errors<=0`, `rate>=990`; or limits by measure, such
   * as `{ p99: "250ms", errors: "1%", rate: 990 }`.
   */
  readonly expect?: string | readonly string[] | LoadLimits | undefined;
  /** Also sends to addresses that are neither this machine's nor private. */
  readonly allowPublic?: boolean | undefined;
}

/** The default load, in words. */
export const USUAL_LOAD = `${USUAL_CONCURRENCY} senders for ${USUAL_DURATION_MS / 1000} s, as fast as the app answers`;

/** Definitions of {@link LoadOptions}. */
export const loadOptions: OptionsOf<LoadOptions> = {
  data: eventOptions.data,
  set: eventOptions.set,
  seed: eventOptions.seed,
  fixtures: eventOptions.fixtures,
  rate: {
    flag: "--rate <n>",
    help: "open loop: send n deliveries per second, even if answers are slow",
    read: rate,
    conflictsWith: "concurrency",
    schema: (z) => z.number().min(0.1).max(RATE_LIMIT),
  },
  concurrency: {
    flag: "--concurrency <n>",
    help: "closed loop: n senders that each wait for their answer (default: 10)",
    read: wholeNumberBetween(1, SENDERS_LIMIT),
    schema: (z) => z.number().int().min(1).max(SENDERS_LIMIT),
  },
  durationMs: {
    flag: "--duration <duration>",
    help: "duration of the test, such as 5m; a plain number means seconds (default: 10s)",
    read: duration,
    conflictsWith: "count",
    schema: (z) => z.number().int().min(SHORTEST_MS).max(DAY_MS),
  },
  count: {
    flag: "--count <n>",
    help: "send n deliveries instead of sending for a duration",
    read: wholeNumber,
    schema: (z) => z.number().int().min(1).max(COUNT_LIMIT),
  },
  batch: { ...eventOptions.batch, help: "events in each delivery (default: 1)" },
  connections: {
    flag: "--connections <n>",
    help: "maximum number of connections to one origin (default: 100, or one for each sender)",
    read: wholeNumberBetween(1, SENDERS_LIMIT),
    schema: (z) => z.number().int().min(1).max(SENDERS_LIMIT),
  },
  expect: {
    flag: "--expect <expectation>",
    help: 'fail unless this holds: "p99<250ms", "errors<1%", "rate>=990"; may be repeated',
    read: (text, earlier) => repeated(text, Array.isArray(earlier) ? earlier : undefined),
    schema: (z) =>
      z.union([
        z.string(),
        z.array(z.string()).readonly(),
        z.record(z.string(), z.union([z.string(), z.number()]).optional()),
      ]),
  },
  allowPublic: {
    flag: "--allow-public",
    help: "also send to an app at a public address, which must be yours",
    schema: (z) => z.boolean(),
  },
};

function duration(text: string): number {
  const value = milliseconds(text);
  if (value >= SHORTEST_MS && value <= DAY_MS) return value;
  throw new InvalidFlagError("Expected 100ms to 1d, such as 30s; --count sends a number of deliveries instead.");
}

function rate(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value >= 0.1 && value <= RATE_LIMIT) return value;
  throw new InvalidFlagError("Expected deliveries a second, from 0.1 to 1000000.");
}

/**
 * Fills in the defaults.
 * @throws UsageError for options that exclude each other
 */
export function planLoad({ rate, concurrency, durationMs, count, batch = 1, connections }: LoadOptions): LoadPlan {
  if (rate !== undefined && concurrency !== undefined) {
    throw new UsageError(
      "rate-with-concurrency",
      "rate and concurrency cannot be combined: one is an open loop, the other a closed one",
      "give a rate to see how the app copes with a load that does not wait for it, or a concurrency to see how much it can handle",
    );
  }
  if (durationMs !== undefined && count !== undefined) {
    throw new UsageError(
      "duration-with-count",
      "duration and count cannot be combined: each says when to end",
      "give one of them",
    );
  }
  const senders = rate === undefined ? (concurrency ?? USUAL_CONCURRENCY) : null;
  return {
    mode: rate === undefined ? "closed" : "open",
    rate: rate ?? null,
    concurrency: senders,
    durationMs: count === undefined ? (durationMs ?? USUAL_DURATION_MS) : null,
    count: count ?? null,
    batch,
    connections: connections ?? senders ?? USUAL_CONNECTIONS,
  };
}
