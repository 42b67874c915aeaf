import type { Journal } from "../../journal/journal.ts";
import { grantTypes } from "../../platform/oauth-token.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { SimulatorContext } from "../context.ts";
import type { Faults } from "../oauth/faults.ts";
import type { PlatformClock } from "../platform-clock.ts";
import { createWaitFor } from "../wait-for.ts";
import { isCallOfApp } from "./expect-step.ts";
import { readScenario, type Scenario } from "./read-scenario.ts";
import type { PlayedScenario, ScenarioResult, ScenarioStep } from "./scenario-result.ts";
import { type Driven, type Play, skipped, takeStep } from "./take-step.ts";

/**
 * Runs scenario files one after another, each to its end or to the first step that fails. All of them are read before
 * anything is sent. The clock and the faults are put back as they were.
 * @throws UsageError for a file that is no scenario, a step that asks for what is not possible, or a port that is taken
 */
export async function runScenarios(
  context: SimulatorContext,
  simulator: Driven,
  clockFace: PlatformClock | null,
  files: readonly string[],
): Promise<ScenarioResult> {
  const grants = grantTypes(context.choices);
  const scenarios = await Promise.all(files.map((file) => readScenario(file, grants)));
  if (scenarios.length === 0) {
    throw new UsageError("no-scenario", "run(): there is no scenario to run", "give at least one file");
  }
  const url = await context.listen();
  const played: PlayedScenario[] = [];
  const results: Play["results"] = [];
  for (const scenario of scenarios) {
    played.push(await playScenario({ context, simulator, clockFace, url, results }, scenario));
  }
  const failures = played.flatMap(({ steps }) => steps.filter(({ result }) => result === "failed"));
  const [first] = failures;
  return {
    command: "run",
    outcome: first === undefined ? "passed" : "failed",
    reason: first?.reason ?? null,
    hint: first?.hint ?? null,
    failure: first?.failure ?? null,
    scenarios: played,
    warnings: [...new Set(results.flatMap(({ warnings }) => warnings))],
    choices: [...new Set(results.flatMap(({ choices }) => choices))],
  };
}

async function playScenario(
  parts: Pick<Play, "context" | "simulator" | "clockFace" | "url" | "results">,
  { file, name, seed = parts.context.ids.seed(), steps }: Scenario,
): Promise<PlayedScenario> {
  const { context, simulator, clockFace } = parts;
  const journal = fromNowOn(context.journal);
  const play: Play = {
    ...parts,
    seed,
    clock: context.clock,
    waitFor: createWaitFor({ journal, clock: context.clock, signal: context.signal }),
    calls: () =>
      journal.list().flatMap((record) => (record.type === "exchange" && isCallOfApp(record) ? [record] : [])),
  };
  const putBackClock = clockFace?.remember();
  const putBackFaults = rememberFaults(simulator.oauth.faults);
  const done: ScenarioStep[] = [];
  try {
    for (const [index, step] of steps.entries()) {
      const isOver = done.some(({ result }) => result !== "passed");
      context.onProgress({ what: "steps", done: index, of: steps.length });
      done.push(isOver ? skipped(step) : await takeStep(play, step, index, file));
    }
  } finally {
    putBackClock?.();
    putBackFaults();
  }
  const outcome = done.every(({ result }) => result === "passed") ? "passed" : "failed";
  return { file, name, outcome, seed, steps: done };
}

/** The journal without what is in it already. */
function fromNowOn(journal: Journal): Pick<Journal, "list" | "subscribe"> {
  const earlier = new Set(journal.list().map(({ id }) => id));
  return { list: () => journal.list().filter(({ id }) => !earlier.has(id)), subscribe: journal.subscribe };
}

/** The function that is returned asks for the faults of now again, as often as was left of them. */
function rememberFaults(faults: Faults): () => void {
  const texts = faults.list().map(({ fault, left }) => (left === null ? fault : fault.replace(/x\d+$/, `x${left}`)));
  return () => {
    faults.clear();
    faults.add(...texts);
  };
}
