import { z } from "zod";
import { choices, failure, text, warnings } from "../platform/result-parts.ts";

const diagnosisSchema = z.strictObject({
  check: z.enum(["versions", "config", "journal", "port", "app", "manifest", "secrets", "clock", "browser"]),
  result: z.enum(["passed", "warned", "failed", "skipped"]),
  message: z.string(),
  hint: text.describe("what to do; null: nothing"),
});

/** The result of `doctor`: whether everything is there for app-sim and the app to work together. */
export const doctorResultSchema = z.strictObject({
  command: z.literal("doctor"),
  outcome: z.enum(["ok", "failed"]),
  failure,
  checks: z.array(diagnosisSchema),
  warnings,
  choices,
});
export type DoctorResult = z.infer<typeof doctorResultSchema>;
export type Diagnosis = z.infer<typeof diagnosisSchema>;
