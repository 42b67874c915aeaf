import { z } from "zod";
import { UsageError } from "../protocol/usage-error.ts";
import { eventOptionsSchema } from "../webhook/webhook-options.ts";

/** Most deliveries of one run. */
const COUNT_LIMIT = 100_000_000;
const SENDERS_LIMIT = 10_000;
const DAY_MS = 86_400_000;

const USUAL_DURATION_MS = 10_000;
const USUAL_CONCURRENCY = 10;
const USUAL_CONNECTIONS = 100;

/** Options of `load()`. */
export const loadOptionsSchema = eventOptionsSchema.extend({
  count: z.number().int().min(1).max(COUNT_LIMIT).optional().describe("deliveries, of all modules together"),
  batch: eventOptionsSchema.shape.batch.describe("events in each delivery; default 1"),
  durationMs: z.number().int().min(100).max(DAY_MS).optional().describe("how long to send; default 10 s"),
  rate: z
    .number()
    .min(0.1)
    .max(1_000_000)
    .optional()
    .describe("open loop: deliveries a second, however long the app takes to answer"),
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(SENDERS_LIMIT)
    .optional()
    .describe("closed loop: senders, each of which waits for the answer before it sends its next; default 10"),
  connections: z
    .number()
    .int()
    .min(1)
    .max(SENDERS_LIMIT)
    .optional()
    .describe("most connections to one origin; default 100 in an open loop, else one for each sender"),
  allowPublic: z.boolean().optional().describe("also send to addresses that are neither this machine's nor private"),
  expect: z
    .union([z.string(), z.array(z.string()).readonly()])
    .optional()
    .describe("what has to be so: p99<250ms, mean<=20ms, errors<1%, errors<=0, rate>=990"),
});
export type LoadOptions = z.input<typeof loadOptionsSchema>;
export type CheckedLoadOptions = z.output<typeof loadOptionsSchema>;

/** What was asked for, with all that was left open. */
export interface LoadPlan {
  readonly mode: "open" | "closed";
  /** Deliveries a second; null in a closed loop. */
  readonly rate: number | null;
  /** Senders; null in an open loop. */
  readonly concurrency: number | null;
  /** null: until `count` is reached. */
  readonly durationMs: number | null;
  /** Deliveries; null: until the time is over. */
  readonly count: number | null;
  /** Events in each delivery. */
  readonly batch: number;
  readonly connections: number;
}

/** @throws UsageError for options that exclude each other */
export function planLoad({ rate, concurrency, durationMs, count, batch = 1, connections }: LoadOptions): LoadPlan {
  if (rate !== undefined && concurrency !== undefined) {
    throw new UsageError(
      "rate-with-concurrency",
      "rate and concurrency do not go together: one is an open loop, the other a closed one",
      "give a rate to see how the app does when it is not asked first, a concurrency to see how much it can do",
    );
  }
  if (durationMs !== undefined && count !== undefined) {
    throw new UsageError(
      "duration-with-count",
      "duration and count do not go together: each says when to end",
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
