import type { Journal } from "../journal/journal.ts";
import type { Faults } from "../oauth/endpoints/apply-faults.ts";
import { grantTypes } from "../oauth/rules/oauth-token.ts";
import { createWaitFor } from "../platform/wait-for.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { isCallOfApp } from "./expect-step.ts";
import { readScenario, type Scenario } from "./read-scenario.ts";
import type { PlayedScenario, ScenarioResult, ScenarioStep } from "./scenario-result.ts";
import type { Action } from "./scenario-schema.ts";
import { interrupted, passed, type StepOutcome } from "./step-outcome.ts";
import { underWayText } from "./step-text.ts";
import { type Play, type ScenarioContext, skipped, takeStep } from "./take-step.ts";

/**
 * Runs scenario files one after another, each to its end or to the first step that fails. All of them are read before
 * anything is sent. The clock and the faults are put back as they were.
 * @throws UsageError for a file that is no scenario, or a port that is taken
 */
export async function runScenarios(context: ScenarioContext, files: readonly string[]): Promise<ScenarioResult> {
  const grants = grantTypes(context.choices);
  const scenarios = await Promise.all(files.map((file) => readScenario(file, grants)));
  if (scenarios.length === 0) {
    throw new UsageError("no-scenario", "run(): there is no scenario to run", "give at least one file");
  }
  const url = await context.listen();
  const played: PlayedScenario[] = [];
  const results: Play["results"] = [];
  for (const scenario of scenarios) {
    const isOver = context.signal?.aborted === true;
    played.push(isOver ? notBegun(scenario) : await playScenario({ context, url, results }, scenario));
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

/** What the run ended with: once it is interrupted, what failed before is not the whole of it. */
function endOf(played: readonly PlayedScenario[]): Pick<StepOutcome, "reason" | "hint" | "failure"> {
  const failures = played.flatMap(({ steps }) => steps.filter(({ result }) => result === "failed"));
  const isInterrupted =
    played.some(({ outcome }) => outcome === "skipped") || failures.some(({ failure }) => failure === "interrupted");
  return isInterrupted ? interrupted : (failures[0] ?? passed());
}

function notBegun({ file, name, steps }: Scenario): PlayedScenario {
  return { file, name, outcome: "skipped", seed: null, steps: steps.map(skipped) };
}

async function playScenario(
  parts: Pick<Play, "context" | "url" | "results">,
  { file, name, seed = parts.context.ids.seed(), steps }: Scenario,
): Promise<PlayedScenario> {
  const { context } = parts;
  const { oauth, clockFace } = context;
  const journal = fromNowOn(context.journal);
  const play: Omit<Play, "earlier"> = {
    ...parts,
    seed,
    clock: context.clock,
    waitFor: createWaitFor({ journal, clock: context.clock, signal: context.signal }),
    calls: () =>
      journal.list().flatMap((record) => (record.type === "exchange" && isCallOfApp(record) ? [record] : [])),
  };
  const putBackClock = clockFace?.remember();
  const putBackFaults = rememberFaults(oauth.faults);
  const done: ScenarioStep[] = [];
  let earlier: ReadonlySet<string> = new Set();
  context.onProgress({ what: "steps", done: 0, of: steps.length });
  try {
    for (const [index, step] of steps.entries()) {
      const isOver = done.some(({ result }) => result !== "passed");
      if (!watching.includes(step.action.kind)) earlier = new Set(play.calls().map(({ id }) => id));
      const what = `steps; ${clip(harmlessLine(underWayText(step.action)), WHAT_CHARACTERS)}`;
      if (!isOver) context.onProgress({ what, done: index, of: steps.length });
      done.push(isOver ? skipped(step) : await takeStep({ ...play, earlier }, step, index));
    }
  } finally {
    putBackClock?.();
    putBackFaults();
  }
  const outcome = done.every(({ result }) => result === "passed") ? "passed" : "failed";
  return { file, name, outcome, seed, steps: done };
}

/** Steps that do nothing to which the app could answer. */
const watching: readonly Action["kind"][] = ["call", "token", "no", "wait"];

/** Of what is said of the step that is under way. */
const WHAT_CHARACTERS = 100;

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
