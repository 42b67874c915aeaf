import type { Journal } from "../../journal/journal.ts";
import { grantTypes } from "../../platform/oauth-token.ts";
import { parseDuration } from "../../protocol/duration.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { SimulatorContext } from "../context.ts";
import type { Faults } from "../oauth/faults.ts";
import type { PlatformClock } from "../platform-clock.ts";
import { createWaitFor } from "../wait-for.ts";
import type { WebhookOptions } from "../webhook/webhook-options.ts";
import type { WebhookResult } from "../webhook/webhook-result.ts";
import { judgeDelivery, webhookCall } from "./deliver-step.ts";
import { expectCalls, isCallOfApp, type Seen } from "./expect-step.ts";
import { readScenario, type Scenario } from "./read-scenario.ts";
import type { PlayedScenario, ScenarioResult, ScenarioStep } from "./scenario-result.ts";
import type { DeliverAction, Step } from "./scenario-schema.ts";
import { failed, passed, type StepOutcome } from "./step-outcome.ts";
import { stepText } from "./step-text.ts";

/** Calls of the app that are shown where a step failed. */
const LAST_CALLS = 5;
const SEED_LIMIT = 2 ** 31;

/** What a scenario drives. */
interface Driven {
  webhook(events: readonly string[], options: WebhookOptions): Promise<WebhookResult>;
  readonly oauth: { readonly faults: Faults };
}

/** One scenario under way. */
interface Play extends Seen {
  readonly context: SimulatorContext;
  readonly simulator: Driven;
  readonly clockFace: PlatformClock | null;
  readonly seed: number;
  readonly deliveries: WebhookResult[];
}

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
  const deliveries: WebhookResult[] = [];
  for (const scenario of scenarios) {
    played.push(await playScenario({ context, simulator, clockFace, url, deliveries }, scenario));
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
    warnings: [...new Set(deliveries.flatMap(({ warnings }) => warnings))],
    choices: [...new Set(deliveries.flatMap(({ choices }) => choices))],
  };
}

async function playScenario(
  parts: Pick<Play, "context" | "simulator" | "clockFace" | "url" | "deliveries">,
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

function skipped({ line, action }: Step): ScenarioStep {
  const nothing = { reason: null, hint: null, failure: null, exchanges: [], lastCalls: [] };
  return { line, step: action.kind, text: stepText(action), result: "skipped", ms: 0, ...nothing };
}

async function takeStep(play: Play, step: Step, index: number, file: string): Promise<ScenarioStep> {
  const { line, action } = step;
  const { clock } = play.context;
  const startedAt = clock.monotonic();
  const { failure, reason, hint, exchanges } = await act(play, step, index).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    // Where the mistake stands is what whoever wrote the scenario needs to know.
    throw new UsageError(error.code, `${file}:${line}: ${error.summary}`, error.hint, error.problems);
  });
  return {
    line,
    step: action.kind,
    text: stepText(action),
    result: failure === null ? "passed" : "failed",
    ms: Math.round(clock.monotonic() - startedAt),
    reason,
    hint,
    failure,
    exchanges: [...exchanges],
    lastCalls:
      failure === null
        ? []
        : play
            .calls()
            .slice(-LAST_CALLS)
            .map(({ id }) => id),
  };
}

async function act(play: Play, { action }: Step, index: number): Promise<StepOutcome> {
  const { context, simulator, clockFace } = play;
  if (context.signal?.aborted === true) return interrupted;
  switch (action.kind) {
    case "deliver":
      return deliver(play, action, index);
    case "wait":
      await context.clock.pause(parseDuration(action.wait), context.signal);
      return context.signal?.aborted ? interrupted : passed();
    case "advance":
      if (clockFace === null) return failed("the clock of this platform cannot be turned", null);
      clockFace.advance(action.advance);
      return passed();
    case "fault":
      for (const fault of action.fault) {
        if (fault === "clear") simulator.oauth.faults.clear();
        else simulator.oauth.faults.add(fault);
      }
      return passed();
    default:
      return expectCalls(action, play);
  }
}

const interrupted = failed("interrupted", null, [], "interrupted");

/** Each delivery has a seed of its own, so that not all of them make the same of it. */
async function deliver({ simulator, seed, deliveries }: Play, action: DeliverAction, index: number) {
  const { events, options } = webhookCall(action, (seed + index) % SEED_LIMIT);
  const result = await simulator.webhook(events, options);
  deliveries.push(result);
  return judgeDelivery(action, result);
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
