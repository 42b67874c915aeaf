import { z } from "zod";
import { choices, failure, text, warnings } from "../platform/result-parts.ts";
import { tamperings } from "../protocol/webhook.ts";
import { latencySummarySchema } from "./latencies.ts";

/**
 * What came of one attempt. `acknowledged` is any 2XX (interface 4.2); `refused` is a 4XX; the last
 * ones are those of the exchange, without a whole answer.
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
  number: count.describe("from 1; a replay goes on counting"),
  outcome: z.enum(attemptOutcomes),
  status: count.nullable(),
  ms: z.number(),
  exchange: z.string(),
  reason: text,
  hint: text,
  failure,
  retryAfter: text.describe("the Retry-After header of the answer, as it came"),
});
export type DeliveryAttempt = z.infer<typeof attemptSchema>;

const deliverySchema = z.strictObject({
  id: z.string().describe("the same over attempts and duplicates"),
  module: z.string(),
  app: z.string(),
  url: z.string(),
  events: count,
  bytes: count.describe("of the body as it was sent"),
  copy: count.describe("0: the delivery itself; 1 and on: its duplicates"),
  tampered: z.enum(tamperings).nullable().describe("what is wrong with it on purpose"),
  respelled: z.boolean().describe("the same JSON in another spelling, rightly signed"),
  nonAscii: z.boolean().describe("with project names in letters beyond ASCII, rightly signed"),
  result: z.enum(["acknowledged", "refused", "failed", "dropped"]),
  asExpected: z.boolean().describe("one that was tampered with is to be refused, all others acknowledged or dropped"),
  attempts: z.array(attemptSchema),
  acknowledged: z.boolean().describe("whether the last attempt was"),
});
export type Delivery = z.infer<typeof deliverySchema>;

const summarySchema = z.strictObject({
  deliveries: count,
  sent: count.describe("of them; the others were dropped"),
  events: count.describe("in those that were sent"),
  acknowledged: count,
  refused: count,
  failed: count,
  dropped: count,
  attempts: count,
  latency: latencySummarySchema.nullable().describe("milliseconds of the attempts that were answered"),
});
export type DeliverySummary = z.infer<typeof summarySchema>;

const diagnosisSchema = z.strictObject({
  module: z.string(),
  app: z.string(),
  cause: text.describe("the delivery that the app acknowledged; null: none"),
  hint: text.describe("what to do about it"),
  tried: z.array(
    z.strictObject({
      what: z.string().describe("how the delivery was signed"),
      accepted: z.boolean(),
      status: count.nullable(),
      exchange: z.string(),
    }),
  ),
});
export type WebhookDiagnosis = z.infer<typeof diagnosisSchema>;

/** The result of `webhook` and of `replay` (interface 2.6, 6). */
export const webhookResultSchema = z.strictObject({
  command: z.enum(["webhook", "replay"]),
  outcome: z
    .enum(["acknowledged", "refused", "failed", "inconclusive", "no-module"])
    .describe("refused: whatever was tampered with, and nothing else; inconclusive: but the others as well"),
  reason: text,
  hint: text,
  failure,
  seed: count.describe("of what happened by chance: --seed repeats it"),
  deliveries: z.array(deliverySchema).describe("in the order in which they were sent"),
  summary: summarySchema,
  diagnosis: z.array(diagnosisSchema).describe("of modules that believed no right delivery, if it was asked for"),
  warnings,
  choices,
});
export type WebhookResult = z.infer<typeof webhookResultSchema>;
