import { z } from "zod";
import { choices, failure, text, warnings } from "../platform/result-parts.ts";
import { latencySummarySchema } from "../webhook/latencies.ts";
import { attemptOutcomes } from "../webhook/webhook-result.ts";

const count = z.number().int();

/**
 * The outcome of a delivery that was not acknowledged: that of an attempt; or the app closed a kept-alive connection
 * just when the next delivery was sent on it; or the delivery was due but got no connection.
 */
const loadErrorKinds = [...attemptOutcomes, "kept-connection-closed", "not-sent"] as const;
export type LoadErrorKind = (typeof loadErrorKinds)[number];

const loadErrorSchema = z.strictObject({
  /** The outcome of these deliveries. */
  kind: z.enum(loadErrorKinds),
  /** How many deliveries ended this way. */
  count,
  status: count.nullable().describe("status of the answers, if that was the problem"),
  reason: text.describe("of the first one"),
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  exchange: text.describe("id of the first one for `app-sim log`: the others are not kept"),
});
export type LoadError = z.infer<typeof loadErrorSchema>;

const expectationSchema = z.strictObject({
  text: z.string().describe("the expectation, such as p99<250ms"),
  actual: text.describe("null: nothing was measured"),
  /** Whether it was met. */
  met: z.boolean(),
});
export type LoadExpectation = z.infer<typeof expectationSchema>;

/** The result of `load`: many deliveries, of which only the first of each kind of failure is kept. */
export const loadResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("load"),
  /** `failed`: an expectation was not met, or nothing could be sent. */
  outcome: z.enum(["ok", "failed"]),
  /** Why it ended this way, in words; null: there is nothing to explain. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  seed: count.describe("of the bodies: the same seed makes the same ones again"),
  /** The options with their defaults. */
  asked: z.strictObject({
    /** `open`: at a fixed rate, whatever the app does; `closed`: each sender waits for its answer. */
    mode: z.enum(["open", "closed"]),
    /** Deliveries a second; null in a closed loop. */
    rate: z.number().nullable(),
    /** Senders at the same time; null in an open loop. */
    concurrency: count.nullable(),
    /** Planned duration in milliseconds; null: `count` ends it. */
    durationMs: count.nullable(),
    /** Planned number of deliveries; null: the duration ends it. */
    count: count.nullable(),
    /** Events in each body. */
    batch: count,
    /** Maximum number of simultaneous connections. */
    connections: count,
  }),
  /** Deliveries that were sent. */
  sent: count,
  events: count.describe("in what was sent"),
  /** Deliveries that the app answered with 2XX (interface 4.2). */
  acknowledged: count,
  failed: count.describe("sent, but not acknowledged"),
  notSent: count.describe("due, but never sent: no connection became free in time"),
  bytes: count.describe("of the bodies that were sent"),
  seconds: z.number().describe("from the first delivery to the end of the last"),
  rate: z.number().describe("deliveries a second, as they were sent"),
  latency: latencySummarySchema
    .nullable()
    .describe("milliseconds from when a delivery was due until the answer, or at least until its timeout"),
  serviceTime: latencySummarySchema.nullable().describe("milliseconds from when it was sent"),
  errors: z.array(loadErrorSchema).describe("by kind and status, the most frequent first"),
  /** What was expected, and whether it was met. */
  expectations: z.array(expectationSchema),
  warnings,
  choices,
});
/** How the app performed under load: what `load()` resolves with. */
export type LoadResult = z.infer<typeof loadResultSchema>;

/** The options with their defaults; null for the rate of a closed loop, the senders of an open one, and the end that was not chosen. */
export type LoadPlan = Readonly<LoadResult["asked"]>;
export type LoadVerdict = Pick<LoadResult, "outcome" | "reason" | "hint" | "failure">;

/** The result of `load --export`: the load as a test for another program; nothing is sent. */
export const loadExportResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("load-export"),
  /** Whether the files were written. */
  outcome: z.enum(["ok", "failed"]),
  /** Why it ended this way, in words; null: there is nothing to explain. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  /** Where the files are. */
  directory: z.string(),
  files: z.array(z.string()).describe("names in that directory"),
  warnings,
  choices,
});
/** Where `load --export` wrote the load as a test for another program. */
export type LoadExportResult = z.infer<typeof loadExportResultSchema>;
