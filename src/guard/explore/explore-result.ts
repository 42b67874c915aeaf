import { z } from "zod";
import { roles } from "../../config/roles.ts";
import { guardResultSchema } from "../guard-result.ts";

const { reason: text, failure, warnings, choices } = guardResultSchema.shape;
const exchanges = z.array(z.string()).describe("ids for `app-sim log`");

const status = z
  .enum(["seen", "not-seen", "not-possible", "failed"])
  .describe("failed: a call failed before it could be seen, or the app did what it must not");
const why = text.describe("what was not seen, through which guard, and what to try");

const loginEvidence = { user: z.enum(roles), ipAddress: z.string(), exchanges };

const rowEvidenceSchema = z.strictObject({
  module: z.string(),
  app: z.string().describe("the app whose guard it is"),
  ...loginEvidence,
  page: z
    .enum(["error", "made-up-code", "code", "form", "browser"])
    .nullable()
    .describe("what happened at the guard's page; null: nobody went there"),
  reason: text.describe("why access was denied, where it was"),
});
export type RowEvidence = z.infer<typeof rowEvidenceSchema>;

const rowSchema = z.strictObject({
  row: z.number().int().describe("place in the table of interface 3.1, from 1"),
  type: z.enum(["direct", "redirect", "frame"]).nullable().describe("null: redirect or frame"),
  state: z.string(),
  trigger: z.string(),
  next: z.string(),
  status,
  why,
  evidence: z
    .array(rowEvidenceSchema)
    .describe("one login for each guard through which it was seen; where it failed, those by which it did, too"),
});
export type ExploredRow = z.infer<typeof rowSchema>;

const besideSchema = z.strictObject({
  id: z.string(),
  what: z.string(),
  status,
  why,
  evidence: z.array(z.strictObject(loginEvidence)),
});

/** The result of `guard --explore` (every transition of interface 3.1 that the manifests' guards can take). */
export const exploreResultSchema = z.strictObject({
  command: z.literal("explore"),
  outcome: z.enum(["complete", "incomplete", "failed"]).describe("complete: every row that is possible was seen"),
  reason: text,
  hint: text,
  failure,
  rows: z.array(rowSchema).describe("every row of the table of interface 3.1, in its order"),
  beside: z.array(besideSchema).describe("always empty"),
  tried: z
    .strictObject({ users: z.array(z.enum(roles)), ipAddresses: z.array(z.string()) })
    .describe("who was tried, and from where, to see both answers to the first call of each guard"),
  logins: z.number().int().describe("how many logins were made"),
  warnings,
  choices,
});
export type ExploreResult = z.infer<typeof exploreResultSchema>;
