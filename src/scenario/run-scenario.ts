import type { Faults } from "../oauth/endpoints/apply-faults.ts";
import { grantTypes } from "../oauth/rules/oauth-token.ts";
import { createWaitFor } from "../platform/wait-for.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { isCallOfApp } from "./expect-step.ts";
import { readScenario, type Scenario } from "./read-scenario.ts";
import type { PlayedScenario, ScenarioResult, ScenarioStep } from "./scenario-result.ts";
import type { Action } from "./scenario-schema.ts";
import { interrupted, passed, type StepOutcome } from "./step-outcome.ts";
import { progressText } from "./step-text.ts";
import { type Play, type ScenarioContext, skipped, takeStep } from "./take-step.ts";

const PROGRESS_CHARACTERS = 100;

/** Steps to which the app cannot react. */
const watching: readonly Action["kind"][] = ["call", "token", "no", "wait"];

/**
 * Runs scenario files one after another, each to its end or to the first step that fails. All of them are read before
 * anything is sent. Afterwards the clock and the faults are as they were before.
 * @throws UsageError for a file that is not a scenario, or a port that is in use
 */
export async function runScenarios(context: ScenarioContext, files: readonly string[]): Promise<ScenarioResult> {
  const grants = grantTypes(context.choices);
  const { config, cwd } = context;
  const nameless = files.findIndex((file) => typeof file !== "string");
  if (nameless >= 0) {
    const what = valueText(files[nameless]);
    throw new UsageError("no-scenario", `run(): ${what} is not a file name`, "give at least one file");
  }
  const scenarios = await Promise.all(files.map((file) => readScenario(file, grants, config.allowPaths, cwd)));
  if (scenarios.length === 0) {
    throw new UsageError("no-scenario", "run(): there is no scenario to run", "give at least one file");
  }
  const url = await context.listen();
  const played: PlayedScenario[] = [];
  const results: Play["results"] = [];
  for (const scenario of scenarios) {
    const { file, name, steps } = scenario;
    played.push(
      context.signal?.aborted === true
        ? { file, name, outcome: "skipped", seed: null, steps: steps.map(skipped) }
        : await playScenario({ context, url, results }, scenario),
    );
  }
  const { reason, hint, failure } = endOf(played);
  return {
    command: "run",
    outcome: failure === null ? "passed" : "failed",
    reason,
    hint,
    failure,
    scenarios: played,
    warnings: [...new Set(results.flatMap(({ warnings }) => warnings))],
    choices: [...new Set(results.flatMap(({ choices }) => choices))],
  };
}

/** An interruption comes before a failed step: the run might have failed otherwise. */
function endOf(played: readonly PlayedScenario[]): StepOutcome {
  const failures = played.flatMap(({ steps }) => steps.filter(({ result }) => result === "failed"));
  const isInterrupted =
    played.some(({ outcome }) => outcome === "skipped") || failures.some(({ failure }) => failure === "interrupted");
  return isInterrupted ? interrupted : (failures[0] ?? passed());
}

async function playScenario(
  parts: Pick<Play, "context" | "url" | "results">,
  { file, name, seed = parts.context.ids.seed(), steps }: Scenario,
): Promise<PlayedScenario> {
  const { journal, clock, signal, clockFace, oauth, onProgress } = parts.context;
  const before = new Set(journal.list().map(({ id }) => id));
  const list = () => journal.list().filter(({ id }) => !before.has(id));
  const play = {
    ...parts,
    seed,
    clock,
    waitFor: createWaitFor({ journal: { list, subscribe: journal.subscribe }, clock, signal }),
    calls: () => list().flatMap((record) => (record.type === "exchange" && isCallOfApp(record) ? [record] : [])),
  };
  const restoreClock = clockFace?.remember();
  const restoreFaults = rememberFaults(oauth.faults);
  const done: ScenarioStep[] = [];
  let earlier: ReadonlySet<string> = new Set();
  onProgress({ what: "steps", done: 0, of: steps.length });
  try {
    for (const [index, step] of steps.entries()) {
      if (done.some(({ result }) => result !== "passed")) {
        done.push(skipped(step));
        continue;
      }
      if (!watching.includes(step.action.kind)) earlier = new Set(play.calls().map(({ id }) => id));
      const what = `steps; ${clip(harmlessLine(progressText(step.action)), PROGRESS_CHARACTERS)}`;
      onProgress({ what, done: index, of: steps.length });
      done.push(await takeStep({ ...play, earlier }, step, index));
    }
  } finally {
    restoreClock?.();
    restoreFaults();
  }
  const outcome = done.every(({ result }) => result === "passed") ? "passed" : "failed";
  return { file, name, outcome, seed, steps: done };
}

/** The returned function restores the current faults, each with its remaining count. */
function rememberFaults(faults: Faults): () => void {
  const texts = faults.list().map(({ fault, left }) => (left === null ? fault : fault.replace(/x\d+$/, `x${left}`)));
  return () => {
    faults.clear();
    faults.add(...texts);
  };
}
