import { z } from "zod";
import { choices, failure, text, warnings } from "../platform/result-parts.ts";
import { latencySummarySchema } from "../webhook/latencies.ts";
import { attemptOutcomes } from "../webhook/webhook-result.ts";

const count = z.number().int();

/**
 * What came of a delivery that was not acknowledged: that of an attempt; or the app closed a connection that it had
 * kept just when the next delivery was sent on it; or the delivery was due and did not get as far as a connection.
 */
const loadErrorKinds = [...attemptOutcomes, "kept-connection-closed", "not-sent"] as const;
export type LoadErrorKind = (typeof loadErrorKinds)[number];

const loadErrorSchema = z.strictObject({
  /** What came of these deliveries. */
  kind: z.enum(loadErrorKinds),
  /** How many deliveries ended so. */
  count,
  status: count.nullable().describe("of the answers, where it is what was wrong with them"),
  reason: text.describe("of the first one"),
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  exchange: text.describe("id of the first one for `app-sim log`: the others are not kept"),
});
export type LoadError = z.infer<typeof loadErrorSchema>;

const expectationSchema = z.strictObject({
  text: z.string().describe("what was to be so, such as p99<250ms"),
  actual: text.describe("null: there is nothing to go by"),
  /** Whether it was so. */
  met: z.boolean(),
});
export type LoadExpectation = z.infer<typeof expectationSchema>;

/** The result of `load`: many deliveries, of which only those are kept that show a kind of failure first. */
export const loadResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("load"),
  /** `failed`: an expectation was not met, or nothing could be sent. */
  outcome: z.enum(["ok", "failed"]),
  /** Why it ended so, in words; null: there is nothing to explain. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  seed: count.describe("of what is in the bodies: --seed makes the same ones again"),
  /** The options with their defaults. */
  asked: z.strictObject({
    /** `open`: at a fixed rate, whatever the app does; `closed`: each sender waits for its answer. */
    mode: z.enum(["open", "closed"]),
    /** Deliveries a second; null in a closed loop. */
    rate: z.number().nullable(),
    /** Senders at the same time; null in an open loop. */
    concurrency: count.nullable(),
    /** Milliseconds that it was to last; null: `count` ends it. */
    durationMs: count.nullable(),
    /** Deliveries that it was to send; null: the time ends it. */
    count: count.nullable(),
    /** Events in each body. */
    batch: count,
    /** Most connections at the same time. */
    connections: count,
  }),
  /** Deliveries that were sent. */
  sent: count,
  events: count.describe("in what was sent"),
  /** Deliveries that the app answered with 2XX (interface 4.2). */
  acknowledged: count,
  failed: count.describe("sent, and not acknowledged"),
  notSent: count.describe("due, and never sent: no connection became free in time"),
  bytes: count.describe("of the bodies that were sent"),
  seconds: z.number().describe("from the first delivery until the last one came to its end"),
  rate: z.number().describe("deliveries a second, as they were sent"),
  latency: latencySummarySchema
    .nullable()
    .describe("milliseconds from when a delivery was due until the answer, or until its time was over: at least that"),
  serviceTime: latencySummarySchema.nullable().describe("milliseconds from when it was sent"),
  errors: z.array(loadErrorSchema).describe("by kind and status, the most frequent first"),
  /** What was expected, and whether it was met. */
  expectations: z.array(expectationSchema),
  warnings,
  choices,
});
/** What the app did under load, in numbers: what `load()` resolves with. */
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
  /** Why it ended so, in words; null: there is nothing to explain. */
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
