import { z } from "zod";
import { coverageRowSchema } from "../journal/record-schema.ts";
import { choices, failure, text, warnings } from "../platform/result-parts.ts";
import { areas, results } from "./check.ts";

const exchange = z.string().nullable();

/** One check of one part of the app. */
const checkResultSchema = z.strictObject({
  /** Of the check, such as `guard.token.alg-none` (docs/checks.md). */
  id: z.string(),
  /** Key of the module; null: the check concerns none alone. */
  module: z.string().nullable(),
  /** What was checked, in words. */
  subject: z.string(),
  /** What of the app it looks at. */
  area: z.enum(areas),
  /** Of the interface, or the RFC, such as `5.1` or `RFC 7519, 4.1.4`. */
  section: z.string(),
  /** `inconclusive`: the app did not accept the right request, so that the twin says nothing. */
  result: z.enum(results),
  /** `must`: an app that does otherwise fails; `should`: it is warned. */
  severity: z.enum(["must", "should"]),
  /** What a right app does. */
  title: z.string(),
  /** What came that is not right; for a skip, why it was not tried. */
  reason: text,
  /** The property in which the twin differs from the control; null: the check is no twin. */
  changes: text,
  /** Ids of exchanges, for `app-sim log`. */
  control: exchange,
  /** The request that differs in one property; null: none. */
  twin: exchange,
  /** Ids of all requests that it made, in order. */
  exchanges: z.array(z.string()),
  choices,
  /** How to mend it; for a skip, what enables the check; where it is inconclusive, what to look at first. */
  hint: text,
  /** The finding is known, and does not fail the run until the end of this day; null: it is not known, or no finding. */
  known: z
    .strictObject({
      /** Why it is left as it is. */
      reason: z.string(),
      /** The last day on which it does not fail, in UTC. */
      until: z.iso.date(),
    })
    .nullable(),
  /** How it ended in each run; a check with different ends is flaky, and `result` is the worst of them. */
  runs: z.array(z.enum(results)),
});

/** The result of `verify`. */
export const verifyResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("verify"),
  /** `inconclusive`: nothing failed, but a check could not be judged. */
  outcome: z.enum(["passed", "failed", "inconclusive"]),
  /** Why it ended so, in words; null: there is nothing to explain. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  /** Of all that is random: --seed repeats it. */
  seed: z.number().int(),
  /** How each check of each part ended. */
  checks: z.array(checkResultSchema),
  /** Rows of the tables of the interface, and whether a check exercised them. */
  coverage: z.array(coverageRowSchema),
  /** The checks in numbers. */
  summary: z.strictObject({
    /** Checks that found nothing. */
    passed: z.number().int(),
    /** Checks that found something the app should do otherwise. */
    warned: z.number().int(),
    /** Checks that found something the app must do otherwise. */
    failed: z.number().int(),
    /** Checks that were not tried. */
    skipped: z.number().int(),
    /** Checks that could not be judged. */
    inconclusive: z.number().int(),
    /** Of the failed, warned and inconclusive ones, those that are known and do not count. */
    known: z.number().int(),
    /** Those that ended differently in different runs. */
    flaky: z.number().int(),
    /** Milliseconds that the run took. */
    ms: z.number(),
  }),
  warnings,
  choices,
});
/** What `verify()` resolves with: how each check ended, and what was not tried. */
export type VerifyResult = z.infer<typeof verifyResultSchema>;
/** How one check of one part of the app ended. */
export type CheckResult = z.infer<typeof checkResultSchema>;
export type CoverageRow = VerifyResult["coverage"][number];
