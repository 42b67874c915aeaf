import { expect, it } from "vitest";
import { systemClock } from "../../src/app-client/ports.ts";
import { readChoices } from "../../src/config/choices.ts";
import { configure } from "../../src/config/load.ts";
import type { SimulatorContext } from "../../src/platform/context.ts";
import { LARGEST_WEBHOOK_BYTES } from "../../src/protocol/limits.ts";
import { loadFakeValues } from "../../src/webhook/fake-values.ts";
import { makeEvents } from "../../src/webhook/make-events.ts";
import { usageErrorOf } from "../rig/simulation.ts";

const HUGE = 1_000_000_000;
const range = { min: HUGE, max: HUGE };

/** Arguments that ask for as much as can be, in every way in which the functions of faker understand them. */
const greedy: readonly (readonly unknown[])[] = [
  ...[HUGE, -HUGE, 0.5, String(HUGE), "x", null, true, [], {}].map((value) => [value]),
  ...[HUGE, String(HUGE), "x", range].map((length) => [{ length }]),
  ...[HUGE, "x", range].map((count) => [{ count }]),
  ...["a{1000000000}", "[a]{1000000000}", "(ab{9999}){9999}{9999}", "#{1000000000}", "a{9999}".repeat(200)].map((t) => [
    t,
  ]),
  ...[
    [["a"], HUGE],
    [["a"], range],
    ["a", HUGE],
    ["x", range],
    [HUGE, HUGE],
  ],
  ...["dec", "fractionDigits", "precision", "extensionCount", "depth", "years", "days"].map((name) => [
    { [name]: HUGE },
  ]),
  [{ extensionCount: range }],
  [{ pattern: "x" }],
  [{ prefix: "a{99999}" }],
  [{ min: 0, max: 1, multipleOf: 1e-300 }],
  [{ width: HUGE, height: HUGE }],
  [{ from: 0, to: 1e15, count: HUGE }],
  [{ refDate: HUGE, years: HUGE }],
];

it("S20: no template makes more than a delivery can hold, whatever its function and its arguments", async () => {
  const values = await loadFakeValues(1, 0);
  expect(values.size).toBeGreaterThan(200);
  for (const [name, make] of values) {
    for (const args of greedy) {
      let made: unknown = null;
      try {
        made = make(...args);
      } catch {
        // Refused.
      }
      const text = JSON.stringify(made, (_, each) => (typeof each === "bigint" ? String(each) : each)) ?? "";
      expect(text.length, `${name}(${JSON.stringify(args)})`).toBeLessThan(LARGEST_WEBHOOK_BYTES);
    }
  }
});

/** Why such an event cannot be made. */
async function refusalOf(data: unknown, count = 1): Promise<string> {
  const { config, choices } = await configure({}, process.cwd());
  const context = { config, choices, clock: systemClock } as unknown as SimulatorContext;
  const source = { names: ["file.added"], seed: 1, data, count };
  const error = await usageErrorOf(makeEvents(context, readChoices(choices), source));
  expect(error.code).toBe("template-failed");
  return error.message;
}

it.each([
  ["{{finance.pin(1000000000)}}", "1000000000 is too much: at most 100000"],
  ['{{airline.flightNumber({"length":1000000000})}}', "is too much"],
  ['{{finance.accountNumber({"length":{"min":1000000000,"max":1000000000}})}}', "this makes too much"],
  ['{{helpers.fromRegExp("a{1000000000}")}}', "is too much"],
])("S20: %s is a mistake, with the reason", async (id, reason) => {
  expect(await refusalOf({ id })).toContain(reason);
});

it("S20: the total output of all templates of a run is bounded", async () => {
  const text = '{{helpers.fromRegExp("a{100000}")}}'.repeat(30);
  expect(await refusalOf({ text }, 100)).toContain("all templates together make more than 134,217,728 characters");
});
