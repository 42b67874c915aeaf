import { z } from "zod";
import { coverageRowSchema } from "../journal/record-schema.ts";
import { choices, failure, text, warnings } from "../platform/result-parts.ts";
import { areas, results } from "./check.ts";

const exchange = z.string().nullable();

/** One check of one part of the app. */
const checkResultSchema = z.strictObject({
  /** Id of the check, such as `guard.token.alg-none` (docs/checks.md). */
  id: z.string(),
  /** Key of the module; null: the check belongs to no single module. */
  module: z.string().nullable(),
  /** What was checked, in words. */
  subject: z.string(),
  /** The area of the app. */
  area: z.enum(areas),
  /** Section of the interface, or the RFC, such as `5.1` or `RFC 7519, 4.1.4`. */
  section: z.string(),
  /** `inconclusive`: the app did not accept the correct request, so the twin proves nothing. */
  result: z.enum(results),
  /** `must`: an app that does not comply fails; `should`: it gets a warning. */
  severity: z.enum(["must", "should"]),
  /** What a correct app does. */
  title: z.string(),
  /** What went wrong; for a skip, why it was not tried. */
  reason: text,
  /** The property in which the twin differs from the control; null: the check is not a twin. */
  changes: text,
  /** Ids of exchanges, for `app-sim log`. */
  control: exchange,
  /** The request that differs in one property; null: none. */
  twin: exchange,
  /** Ids of all requests that it made, in order. */
  exchanges: z.array(z.string()),
  choices,
  /** How to fix it; for a skip, how to enable the check; if inconclusive, what to look at first. */
  hint: text,
  /**
   * Set if the finding is known and does not fail the run until the end of this day; null: not known, or no finding.
   */
  known: z
    .strictObject({
      /** Why it is accepted for now. */
      reason: z.string(),
      /** The last day on which it does not fail, in UTC. */
      until: z.iso.date(),
    })
    .nullable(),
  /** Its result in each run; a check with different results is flaky, and `result` is the worst of them. */
  runs: z.array(z.enum(results)),
});

/** The result of `verify`. */
export const verifyResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("verify"),
  /** `inconclusive`: nothing failed, but a check could not be judged. */
  outcome: z.enum(["passed", "failed", "inconclusive"]),
  /** Why it ended this way, in words; null: there is nothing to explain. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  /** Seed of everything random: the same seed repeats it. */
  seed: z.number().int(),
  /** The result of each check of each part. */
  checks: z.array(checkResultSchema),
  /** Rows of the tables of the interface, and whether a check exercised them. */
  coverage: z.array(coverageRowSchema),
  /** The checks in numbers. */
  summary: z.strictObject({
    /** Checks that found nothing. */
    passed: z.number().int(),
    /** Checks that found something the app should do differently. */
    warned: z.number().int(),
    /** Checks that found something the app must do differently. */
    failed: z.number().int(),
    /** Checks that were not tried. */
    skipped: z.number().int(),
    /** Checks that could not be judged. */
    inconclusive: z.number().int(),
    /** Failed, warned and inconclusive checks that are known and do not count. */
    known: z.number().int(),
    /** Checks with different results in different runs. */
    flaky: z.number().int(),
    /** Milliseconds that the run took. */
    ms: z.number(),
  }),
  warnings,
  choices,
});
/** What `verify()` resolves with: the result of each check, and what was not tried. */
export type VerifyResult = z.infer<typeof verifyResultSchema>;
/** The result of one check of one part of the app. */
export type CheckResult = z.infer<typeof checkResultSchema>;
export type CoverageRow = VerifyResult["coverage"][number];
