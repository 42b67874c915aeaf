import { z } from "zod";
import { choices, exchanges, failure, text, warnings } from "../platform/result-parts.ts";

const outcome = z.enum(["passed", "failed"]);

const scenarioStepSchema = z.strictObject({
  line: z.int().describe("of the file"),
  // biome-ignore format: a list of words
  /** What kind of step it is. */
  step: z.enum(["deliver", "login", "guard", "import", "install", "uninstall", "call", "token", "no", "wait", "advance", "fault"]),
  text: z.string().describe("what the step says"),
  /** `skipped`: an earlier step failed. */
  result: z.enum(["passed", "failed", "skipped"]),
  /** Milliseconds that it took. */
  ms: z.number(),
  /** Why it failed, in words; null: it did not. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  exchanges: exchanges.describe("what the step made or matched"),
  decisive: exchanges.describe("those that made the step fail, if known"),
  mistake: z.boolean().describe("the step is impossible: the scenario is wrong, not the app"),
  lastCalls: exchanges.describe(
    "the last requests of the app, or of a browser that it sent, to the platform, if the step failed",
  ),
});
export type ScenarioStep = z.infer<typeof scenarioStepSchema>;

const scenarioSchema = z.strictObject({
  /** The scenario file. */
  file: z.string(),
  /** As the file calls the scenario. */
  name: z.string(),
  outcome: outcome.or(z.literal("skipped")).describe("skipped: the run was interrupted before it started"),
  seed: z.int().nullable().describe("of everything random: as `seed:` in the file it repeats the run; null: skipped"),
  /** In the order of the file. */
  steps: z.array(scenarioStepSchema),
});
export type PlayedScenario = z.infer<typeof scenarioSchema>;

/** The result of `run`. */
export const scenarioResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("run"),
  /** `failed`: a step of any scenario failed, or the run was interrupted. */
  outcome,
  reason: text.describe("of the first step that failed, unless the run was interrupted"),
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  /** In the order in which they were played. */
  scenarios: z.array(scenarioSchema),
  warnings,
  choices,
});
/** How each scenario went, step by step: what `run()` resolves with. */
export type ScenarioResult = z.infer<typeof scenarioResultSchema>;
