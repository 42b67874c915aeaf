import { z } from "zod";
import { tamperings } from "../protocol/webhook.ts";

/** Most events of each name in one run; `load` sends more. */
const COUNT_LIMIT = 100_000;
/** Longest pause before a delivery, in milliseconds: an hour. */
const DELAY_LIMIT_MS = 3_600_000;

/** Names of the events of a delivery. */
export const eventNamesSchema = z.strictObject({
  names: z.array(z.string().min(1)).min(1, "name an event, for example project.translated"),
});

/** What is in the bodies. */
export const eventOptionsSchema = z.strictObject({
  count: z
    .number()
    .int()
    .min(1)
    .max(COUNT_LIMIT)
    .optional()
    .describe("events of each name; default 1, or as many as `data` lists payloads"),
  set: z.array(z.string()).readonly().optional().describe("path=value pairs, see overrideEvents"),
  data: z
    .unknown()
    .optional()
    .describe("payload of the events: the fields of one, a list of them, or a body with `events`; may hold templates"),
  fixtures: z
    .string()
    .min(1)
    .optional()
    .describe("directory with a payload NAME.json for events; default fixtures/events, if it is there"),
  batch: z
    .number()
    .int()
    .min(1)
    .max(COUNT_LIMIT)
    .optional()
    .describe("most events in one body; default the choice webhook.batch.events"),
  seed: z
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional()
    .describe("for what happens by chance; default a new one"),
});
export type EventOptions = z.infer<typeof eventOptionsSchema>;

const tampering = z.enum([...tamperings, "all"]);
const milliseconds = z.number().min(0).max(DELAY_LIMIT_MS);

/** Options of `webhook()`. */
export const webhookOptionsSchema = eventOptionsSchema.extend({
  duplicate: z.number().int().min(1).max(100).optional().describe("send every delivery so many times more"),
  shuffle: z.boolean().optional().describe("events and deliveries in another order, by the seed"),
  delay: z
    .union([milliseconds, z.strictObject({ min: milliseconds, max: milliseconds })])
    .optional()
    .describe("milliseconds before each delivery, by the seed where there are two bounds"),
  drop: z.number().min(0).max(1).optional().describe("the share of deliveries that is lost, by the seed"),
  tamper: z
    .union([tampering, z.array(tampering).readonly()])
    .optional()
    .describe("also send deliveries with this wrong, which the app is to refuse"),
  gzip: z.boolean().optional().describe("Content-Encoding: gzip"),
  chunked: z.boolean().optional().describe("Transfer-Encoding: chunked"),
});
export type WebhookOptions = z.input<typeof webhookOptionsSchema>;
export type CheckedWebhookOptions = z.output<typeof webhookOptionsSchema>;
