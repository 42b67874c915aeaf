import { Chalk } from "chalk";
import { expect, it } from "vitest";
import { paintWith } from "../../src/output/paint.ts";
import type { PlayedScenario, ScenarioResult, ScenarioStep } from "../../src/scenario/scenario-result.ts";
import { scenarioText } from "../../src/scenario/scenario-text.ts";
import { rawControls } from "../rig/output.ts";

const paint = paintWith(new Chalk({ level: 0 }), Number.POSITIVE_INFINITY);
const exchanges = (id: string) => [`exchange ${id}`];

function step(changes: Partial<ScenarioStep> = {}): ScenarioStep {
  const nothing = {
    reason: null,
    hint: null,
    failure: null,
    exchanges: [],
    decisive: [],
    mistake: false,
    lastCalls: [],
  };
  return { line: 3, step: "wait", text: "wait 2s", result: "passed", ms: 2001, ...nothing, ...changes };
}

function resultOf(...steps: ScenarioStep[]): ScenarioResult {
  const outcome = steps.every(({ result }) => result === "passed") ? "passed" : "failed";
  const { reason = null, hint = null, failure = null } = steps.find(({ result }) => result === "failed") ?? {};
  const scenario = { file: "a/round.yml", name: "a round", outcome, seed: 7, steps } as const;
  return {
    command: "run",
    outcome,
    reason,
    hint,
    failure,
    scenarios: [scenario],
    warnings: [],
    choices: ["webhook.ids"],
  };
}

it("one line for each step, with its time", () => {
  expect(scenarioText(resultOf(step()), exchanges, paint)).toEqual([
    "a round  a/round.yml",
    "  ✓ wait 2s  2001 ms",
    "",
    "Passed: 1 scenario",
    "depends on the choices webhook.ids (see app-sim choices)",
  ]);
});

it("for the failed step: the reason, the exchange, the app's last calls and the seed", () => {
  const expectation = step({
    step: "call",
    text: "expect GET /x",
    result: "failed",
    ms: 10,
    reason: "GET /x did not come within 10s",
    hint: "the app made a similar call",
    failure: "other",
    exchanges: ["a"],
    lastCalls: ["a", "b"],
  });
  const delivery = step({ step: "deliver", text: "deliver project.approved" });
  const result = resultOf(delivery, expectation, step({ result: "skipped", ms: 0 }));
  expect(scenarioText(result, exchanges, paint).slice(0, -2)).toEqual([
    "a round  a/round.yml",
    "  ✓ deliver project.approved  2001 ms",
    "  ✗ expect GET /x  line 3, failed after 10 ms",
    "      GET /x did not come within 10s",
    "      hint: the app made a similar call",
    "      exchange a",
    "      the last requests to the platform:",
    "        exchange b",
    "  - wait 2s  skipped",
    "  seed 7: write `seed: 7` into the file to repeat this run",
    "",
  ]);
});

it("of many exchanges, the decisive ones", () => {
  const many = Array.from({ length: 20 }, (_, index) => `${index}`);
  const failing = { result: "failed", failure: "other", exchanges: many } as const;
  const shown = (changes: Partial<ScenarioStep>) =>
    scenarioText(resultOf(step({ ...failing, ...changes })), exchanges, paint).filter((line) => /exchange/.test(line));
  expect(shown({ decisive: ["3"] })).toEqual(["      exchange 3"]);
  expect(shown({})).toHaveLength(5);
});

it("a mistake of the scenario needs no seed", () => {
  const mistaken = step({ result: "failed", failure: "other", reason: "there is no such event", mistake: true });
  expect(scenarioText(resultOf(mistaken), exchanges, paint).slice(1, -2)).toEqual([
    "  ✗ wait 2s  line 3, failed after 2001 ms",
    "      there is no such event",
    "",
  ]);
});

it.each<[failure: "interrupted" | "other", verdict: string]>([
  ["interrupted", "Interrupted: 1 of 2 scenarios started"],
  ["other", "Interrupted: 1 of 2 scenarios started, 1 failed"],
])("interrupted: the number of started ones, and no seed of the current one (%s)", (failure, verdict) => {
  const { scenarios, ...result } = resultOf(step({ step: "deliver", result: "failed", failure, reason: failure }));
  const waiting: PlayedScenario = { file: "b.yml", name: "b.yml", outcome: "skipped", seed: null, steps: [step()] };
  const told: ScenarioResult = { ...result, failure: "interrupted", scenarios: [...scenarios, waiting] };
  const lines = scenarioText(told, exchanges, paint);
  expect(lines.slice(-4, -1)).toEqual(["b.yml  skipped", "", verdict]);
  expect(lines.some((line) => line.includes("seed"))).toBe(failure === "other");
});

it("S15: any text of the app and the file is one harmless line", () => {
  const evil = "a\u001b[31mb\u202ec\u2028d\re\u009bf\n";
  const failing = step({ text: evil, result: "failed", reason: evil.repeat(200), hint: evil, failure: "other" });
  const { scenarios, ...result } = resultOf(failing);
  const lines = scenarioText(
    { ...result, scenarios: scenarios.map((scenario) => ({ ...scenario, name: evil, file: evil })) },
    exchanges,
    paint,
  );
  expect(rawControls(lines.join("\n"))).toEqual([]);
  expect(lines.some((line) => line.includes("\n"))).toBe(false);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(600);
});
