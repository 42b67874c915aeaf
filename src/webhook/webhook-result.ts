import { z } from "zod";
import { choices, failure, text, warnings } from "../platform/result-parts.ts";
import { tamperings } from "../protocol/webhook.ts";
import { latencySummarySchema } from "./latencies.ts";

/**
 * The outcome of one attempt. `acknowledged` is any 2XX (interface 4.2); `refused` is a 4XX; the last ones come from
 * the exchange, without a complete answer.
 */
export const attemptOutcomes = [
  "acknowledged",
  "refused",
  "redirected",
  "server-error",
  "unexpected-status",
  "unreachable",
  "tls-failed",
  "timed-out",
  "disconnected",
  "too-large",
  "not-http",
  "undecodable",
  "cut-off",
  "interrupted",
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

const count = z.number().int();

const attemptSchema = z.strictObject({
  number: count.describe("from 1; a replay continues the count"),
  /** Its outcome: any 2XX is `acknowledged`, a 4XX `refused` (interface 4.2). */
  outcome: z.enum(attemptOutcomes),
  /** HTTP status of the answer; null: none came. */
  status: count.nullable(),
  /** Milliseconds from the beginning to the end of the answer. */
  ms: z.number(),
  /** Id of the exchange, for `app-sim log`. */
  exchange: z.string(),
  /** What is wrong with the answer, in words; null: nothing. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  retryAfter: text.describe("the Retry-After header of the answer, unchanged"),
});
export type DeliveryAttempt = z.infer<typeof attemptSchema>;

const deliverySchema = z.strictObject({
  id: z.string().describe("the same for all attempts and duplicates"),
  /** Key of the webhook module that it went to. */
  module: z.string(),
  /** URL of the app. */
  app: z.string(),
  /** Full address that it was sent to. */
  url: z.string(),
  /** How many events its body holds (interface 2.6). */
  events: count,
  bytes: count.describe("of the body as it was sent"),
  copy: count.describe("0: the delivery itself; from 1: its duplicates"),
  tampered: z.enum(tamperings).nullable().describe("what is wrong with it on purpose"),
  respelled: z.boolean().describe("the same JSON, reformatted and correctly signed"),
  nonAscii: z.boolean().describe("with non-ASCII project names, correctly signed"),
  /** How it ended after all attempts; `dropped`: lost on purpose. */
  result: z.enum(["acknowledged", "refused", "failed", "dropped"]),
  asExpected: z.boolean().describe("a tampered one must be refused, all others acknowledged or dropped"),
  /** Each attempt, in order; none for a dropped delivery. */
  attempts: z.array(attemptSchema),
  acknowledged: z.boolean().describe("whether the last attempt was"),
});
export type Delivery = z.infer<typeof deliverySchema>;

const summarySchema = z.strictObject({
  /** Including duplicates and tampered ones. */
  deliveries: count,
  sent: count.describe("of them; the others were dropped"),
  events: count.describe("in those that were sent"),
  /** Deliveries that the app answered with 2XX. */
  acknowledged: count,
  /** Deliveries that it answered with 4XX. */
  refused: count,
  /** Deliveries without an answer, or with another one. */
  failed: count,
  /** Deliveries that were lost on purpose. */
  dropped: count,
  /** Requests that were made. */
  attempts: count,
  latency: latencySummarySchema.nullable().describe("milliseconds of the attempts that were answered"),
});
export type DeliverySummary = z.infer<typeof summarySchema>;

const diagnosisSchema = z.strictObject({
  /** Key of the webhook module. */
  module: z.string(),
  /** URL of the app. */
  app: z.string(),
  cause: text.describe("the delivery that the app acknowledged; null: none"),
  hint: text.describe("what to do about it"),
  /** What was sent to find out, in order. */
  tried: z.array(
    z.strictObject({
      what: z.string().describe("how the delivery was signed"),
      /** Whether the app acknowledged it. */
      accepted: z.boolean(),
      /** HTTP status of the answer; null: none came. */
      status: count.nullable(),
      /** Id of the exchange, for `app-sim log`. */
      exchange: z.string(),
    }),
  ),
});
export type WebhookDiagnosis = z.infer<typeof diagnosisSchema>;

/** The result of `webhook` and of `replay` (interface 2.6, 6). */
export const webhookResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.enum(["webhook", "replay"]),
  outcome: z
    .enum(["acknowledged", "refused", "failed", "inconclusive", "no-module"])
    .describe("refused: everything that was tampered with, and nothing else; inconclusive: the others as well"),
  /** Why the outcome is not a success, in words; null: it is one. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  seed: count.describe("of everything random: the same seed repeats it"),
  deliveries: z.array(deliverySchema).describe("in the order in which they were sent"),
  /** The deliveries in numbers. */
  summary: summarySchema,
  diagnosis: z.array(diagnosisSchema).describe("of modules that believed no correct delivery, if asked for"),
  warnings,
  choices,
});
/** The outcome of each delivery (interface 4.2, 6): what `webhook()` and `replay()` resolve with. */
export type WebhookResult = z.infer<typeof webhookResultSchema>;
