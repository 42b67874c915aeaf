import { z } from "zod";
import { coverageRowSchema } from "../journal/record-schema.ts";
import { choices, failure, text, warnings } from "../platform/result-parts.ts";
import { areas, results } from "./check.ts";

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
  /** How to mend it; for a skip, what enables the check. */
  hint: text,
  /** The finding is known, and does not fail the run until the end of this day; null: it is not known, or no finding. */
  known: z.strictObject({ reason: z.string(), until: z.iso.date() }).nullable(),
  /** How it ended in each run; a check with different ends is flaky, and `result` is the worst of them. */
  runs: z.array(z.enum(results)),
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
  coverage: z.array(coverageRowSchema),
  summary: z.strictObject({
    passed: z.number().int(),
    warned: z.number().int(),
    failed: z.number().int(),
    skipped: z.number().int(),
    inconclusive: z.number().int(),
    /** Of the failed, warned and inconclusive ones, those that are known and do not count. */
    known: z.number().int(),
    /** Those that ended differently in different runs. */
    flaky: z.number().int(),
    ms: z.number(),
  }),
  warnings,
  choices,
});
export type VerifyResult = z.infer<typeof verifyResultSchema>;
export type CheckResult = z.infer<typeof checkResultSchema>;
export type CoverageRow = VerifyResult["coverage"][number];
