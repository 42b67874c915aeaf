import { z } from "zod";
import { choices, exchanges, failure, text, warnings } from "../platform/result-parts.ts";

const outcome = z.enum(["passed", "failed"]);

const scenarioStepSchema = z.strictObject({
  line: z.int().describe("of the file"),
  // biome-ignore format: a list of words
  step: z.enum(["deliver", "login", "guard", "import", "install", "uninstall", "call", "token", "no", "wait", "advance", "fault"]),
  text: z.string().describe("what the step says"),
  result: z.enum(["passed", "failed", "skipped"]),
  ms: z.number(),
  reason: text,
  hint: text,
  failure,
  exchanges: exchanges.describe("what the step made or matched"),
  decisive: exchanges.describe("those of them that made the step fail, if known"),
  mistake: z.boolean().describe("the step asks for something impossible: the scenario is wrong, not the app"),
  lastCalls: exchanges.describe("the app's last calls to the platform, if the step failed"),
});
export type ScenarioStep = z.infer<typeof scenarioStepSchema>;

const scenarioSchema = z.strictObject({
  file: z.string(),
  name: z.string(),
  outcome: outcome.or(z.literal("skipped")).describe("skipped: the run was interrupted before it began"),
  seed: z
    .int()
    .nullable()
    .describe("of all random choices: with it as `seed:` in the file they are the same; null: skipped"),
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
