import { z } from "zod";
import { choices, exchanges, failure, text, warnings } from "../platform/result-parts.ts";

const stepKind = z.enum([
  "deliver",
  "login",
  "guard",
  "import",
  "install",
  "uninstall",
  "call",
  "token",
  "no",
  "wait",
  "advance",
  "fault",
]);
const outcome = z.enum(["passed", "failed"]);

const scenarioStepSchema = z.strictObject({
  line: z.number().int().describe("of the file"),
  step: stepKind,
  text: z.string().describe("what the step says"),
  result: z.enum(["passed", "failed", "skipped"]),
  ms: z.number(),
  reason: text,
  hint: text,
  failure,
  exchanges: exchanges.describe("what the step made or matched"),
  decisive: exchanges.describe("those of them that made the step fail, where that is known"),
  mistake: z.boolean().describe("the step asks for what is not possible: the scenario is wrong, and not the app"),
  lastCalls: exchanges.describe("the app's last calls to the platform, where the step failed"),
});
export type ScenarioStep = z.infer<typeof scenarioStepSchema>;

const scenarioSchema = z.strictObject({
  file: z.string(),
  name: z.string(),
  outcome: outcome.or(z.literal("skipped")).describe("skipped: the run was interrupted before it began"),
  seed: z
    .number()
    .int()
    .nullable()
    .describe("of what happened by chance: `seed:` in the file makes the same happen again; null: it was skipped"),
  steps: z.array(scenarioStepSchema),
});
export type PlayedScenario = z.infer<typeof scenarioSchema>;

/** The result of `run`. */
export const scenarioResultSchema = z.strictObject({
  command: z.literal("run"),
  outcome,
  reason: text.describe("of the first step that failed, unless the run was interrupted"),
  hint: text,
  failure,
  scenarios: z.array(scenarioSchema),
  warnings,
  choices,
});
export type ScenarioResult = z.infer<typeof scenarioResultSchema>;
