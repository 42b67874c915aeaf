import { z } from "zod";
import { choices, failure, text, warnings } from "../platform/result-parts.ts";

const diagnosisSchema = z.strictObject({
  /** What was checked. */
  check: z.enum([
    "versions",
    "config",
    "journal",
    "port",
    "app",
    "manifest",
    "secrets",
    "app-secret",
    "clock",
    "browser",
  ]),
  /** `skipped`: something else has to be fixed first. */
  result: z.enum(["passed", "warned", "failed", "skipped"]),
  /** What was found, in words. */
  message: z.string(),
  hint: text.describe("what to do; null: nothing"),
});

/** The result of `doctor`: whether everything is in place for app-sim and the app to work together. */
export const doctorResultSchema = z.strictObject({
  /** The action that produced this result: tells results apart. */
  command: z.literal("doctor"),
  /** `failed`: at least one check did. */
  outcome: z.enum(["ok", "failed"]),
  failure,
  /** In the order in which they depend on each other. */
  checks: z.array(diagnosisSchema),
  warnings,
  choices,
});
/** What `doctor()` finds: each check with what to do about it. */
export type DoctorResult = z.infer<typeof doctorResultSchema>;
export type Diagnosis = z.infer<typeof diagnosisSchema>;

/** A check that found nothing to do. */
export function passedCheck(check: Diagnosis["check"], message: string): Diagnosis {
  return { check, result: "passed", message, hint: null };
}
