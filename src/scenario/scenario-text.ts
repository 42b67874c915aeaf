import { indent } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { choicesLine, type ExchangeLines, markOf, plural, reasonText } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { PlayedScenario, ScenarioResult, ScenarioStep } from "./scenario-result.ts";

/** A line for each step; below a failed one its reason and calls. */
export function scenarioText(result: ScenarioResult, exchanges: ExchangeLines, paint: Paint): string[] {
  return [
    ...result.scenarios.flatMap((scenario) => [...scenarioLines(scenario, exchanges, paint), ""]),
    verdict(result, paint),
    ...choicesLine(result.choices, paint),
  ];
}

function scenarioLines({ file, name, outcome, seed, steps }: PlayedScenario, exchanges: ExchangeLines, paint: Paint) {
  const seedLine = `seed ${seed}: write \`seed: ${seed}\` into the file to repeat this run`;
  const isRepeatable =
    steps.some(({ failure, mistake }) => failure !== null && failure !== "interrupted" && !mistake) &&
    // Nothing in the other steps is random.
    steps.some(({ step, result }) => step === "deliver" && result !== "skipped");
  const head = `${paint.strong(harmlessLine(name))}${file.endsWith(name) ? "" : paint.quiet(`  ${harmlessLine(file)}`)}`;
  if (outcome === "skipped") return [`${head}${paint.quiet("  skipped")}`];
  return [
    head,
    ...indent([...steps.flatMap((step) => stepLines(step, exchanges, paint)), ...(isRepeatable ? [seedLine] : [])], 2),
  ];
}

const SHOWN_EXCHANGES = 5;
const marks = { passed: "passed", failed: "denied", skipped: "skipped" } as const;

function stepLines(step: ScenarioStep, exchanges: ExchangeLines, paint: Paint): string[] {
  const { line, text, result, ms, reason, hint } = step;
  const end = { passed: `${ms} ms`, failed: `line ${line}, failed after ${ms} ms`, skipped: "skipped" }[result];
  const head = `${markOf(marks[result], paint)} ${harmlessLine(text)}  ${paint.quiet(end)}`;
  if (result !== "failed") return [head];
  const calls = step.lastCalls.filter((id) => !step.exchanges.includes(id));
  return [
    head,
    ...indent(
      [
        ...(reason === null ? [] : [paint.bad(reasonText(reason))]),
        ...(hint === null ? [] : [`hint: ${reasonText(hint)}`]),
        ...(step.decisive.length > 0 ? step.decisive : step.exchanges).slice(-SHOWN_EXCHANGES).flatMap(exchanges),
        ...(calls.length === 0 ? [] : ["the last requests to the platform:", ...indent(calls.flatMap(exchanges), 2)]),
      ],
      4,
    ),
  ];
}

function verdict({ outcome, failure, scenarios }: ScenarioResult, paint: Paint): string {
  if (outcome === "passed") return paint.good(`Passed: ${plural(scenarios.length, "scenario")}`);
  const isInterrupted = (scenario: PlayedScenario) => scenario.steps.some((step) => step.failure === "interrupted");
  const failed = scenarios.filter((scenario) => scenario.outcome === "failed" && !isInterrupted(scenario)).length;
  const all = plural(scenarios.length, "scenario");
  if (failure !== "interrupted") return paint.bad(`Failed: ${failed} of ${all}`);
  const begun = scenarios.filter((scenario) => scenario.outcome !== "skipped").length;
  return paint.bad(`Interrupted: ${begun} of ${all} started${failed === 0 ? "" : `, ${failed} failed`}`);
}
