import { z } from "zod";
import { choices, failure, text, warnings } from "../platform/result-parts.ts";
import { areas, results } from "./rules/check.ts";

const exchange = z.string().nullable();

/** One check of one part of the app. */
const checkResultSchema = z.strictObject({
  id: z.string(),
  /** Key of the module; null: the check concerns none alone. */
  module: z.string().nullable(),
  /** What was checked, in words. */
  subject: z.string(),
  area: z.enum(areas),
  section: z.string(),
  result: z.enum(results),
  severity: z.enum(["must", "should"]),
  title: z.string(),
  /** What came that is not right; for a skip, why it was not tried. */
  reason: text,
  /** The property in which the twin differs from the control; null: the check is no twin. */
  changes: text,
  /** Ids of exchanges, for `app-sim log`. */
  control: exchange,
  twin: exchange,
  exchanges: z.array(z.string()),
  choices,
  /** How to mend it. */
  hint: text,
});

/** The result of `verify`. */
export const verifyResultSchema = z.strictObject({
  command: z.literal("verify"),
  outcome: z.enum(["passed", "failed", "inconclusive"]),
  reason: text,
  hint: text,
  failure,
  seed: z.number().int(),
  checks: z.array(checkResultSchema),
  summary: z.strictObject({
    passed: z.number().int(),
    warned: z.number().int(),
    failed: z.number().int(),
    skipped: z.number().int(),
    inconclusive: z.number().int(),
    ms: z.number(),
  }),
  warnings,
  choices,
});
export type VerifyResult = z.infer<typeof verifyResultSchema>;
export type CheckResult = z.infer<typeof checkResultSchema>;
