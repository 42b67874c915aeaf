import { expect, test } from "vitest";
import { areClockReadings } from "../../src/checking/clock-reading.ts";

const START = Date.parse("2026-01-01T00:00:00Z");

/** The texts of answers that began this many milliseconds after the first, and took 10 ms each. */
const dated = (texts: readonly (readonly [ms: number, text: string])[]) =>
  texts.map(([ms, text]) => ({
    text,
    answer: { startedAt: new Date(START + ms).toISOString(), timings: { totalMs: 10 } as never },
  }));

test.each([
  ["nanoseconds", 1_000_000, 10],
  ["nanoseconds in hex", 1_000_000, 16],
  ["ticks in base 36", 10_000, 36],
  ["microseconds", 1000, 10],
  ["milliseconds", 1, 10],
])("%s since any time are what a clock says", (_, units, radix) => {
  const texts = [0, 300, 450, 900].map(
    (ms) => [ms, Math.round((87_654_321 + ms + 4) * units).toString(radix)] as const,
  );
  expect(areClockReadings(dated(texts))).toBe(true);
});

test("fractions of milliseconds, in any order, too", () => {
  const texts = [900, 0, 450].map((ms) => [ms, (1234.5678 + ms).toFixed(6)] as const);
  expect(areClockReadings(dated(texts))).toBe(true);
});

test.each([
  [
    "random",
    [
      [0, "6f3a91c2d4"],
      [400, "d01bb47e92"],
      [900, "08c5e9f3a1"],
    ],
  ],
  [
    "counted",
    [
      [0, "1000001"],
      [400, "1000002"],
      [900, "1000003"],
    ],
  ],
  [
    "the same",
    [
      [0, "1000001"],
      [400, "1000001"],
      [900, "1000001"],
    ],
  ],
  [
    "too close together",
    [
      [0, "1000000"],
      [1, "1000001"],
      [2, "1000002"],
    ],
  ],
  [
    "words",
    [
      [0, "state-one"],
      [400, "state-two"],
      [900, "state-six"],
    ],
  ],
] as const)("numbers that are %s are not", (_, texts) => {
  expect(areClockReadings(dated(texts))).toBe(false);
});
