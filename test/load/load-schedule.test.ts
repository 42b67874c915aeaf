import fc from "fast-check";
import { expect, test } from "vitest";
import { dueAt, dueBy, scheduleFor } from "../../src/load/rules/load-schedule.ts";

const rates = fc.oneof(fc.integer({ min: 1, max: 1_000_000 }), fc.double({ min: 0.1, max: 1_000_000, noNaN: true }));

test.each([
  { rate: 500, durationMs: 10_000, total: 5000 },
  { rate: 1, durationMs: 100, total: 1 },
  { rate: 0.1, durationMs: 10_000, total: 1 },
  { rate: 0.1, durationMs: 10_001, total: 2 },
  { rate: 3, durationMs: 1000, total: 3 },
  { rate: 29.9, durationMs: 10_000, total: 299 },
  // Their product is slightly more than 21.
  { rate: 1.12, durationMs: 18_750, total: 21 },
])("$rate a second for $durationMs ms are $total", ({ rate, durationMs, total }) => {
  expect(scheduleFor(rate, durationMs)).toEqual({ rate, total });
});

test("the last one is due before the end, and another one would not be", () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 100, max: 86_400_000 }), (rate, durationMs) => {
      const schedule = scheduleFor(rate, durationMs);
      const last = dueAt(schedule, schedule.total - 1);
      expect(last < durationMs || schedule.total === 1).toBe(true);
      expect(dueAt(schedule, schedule.total)).toBeGreaterThanOrEqual(durationMs * (1 - 1e-12));
    }),
  );
});

test("each is due at its time, and not before", () => {
  fc.assert(
    fc.property(rates, fc.nat(10_000_000), (rate, index) => {
      const schedule = { rate, total: 20_000_000 };
      const at = dueAt(schedule, index);
      expect(dueBy(schedule, at)).toBe(index + 1);
      if (index > 0)
        expect(dueBy(schedule, dueAt(schedule, index - 1) + (at - dueAt(schedule, index - 1)) / 2)).toBe(index);
    }),
  );
});

test("none is due a moment before its time", () => {
  const schedule = { rate: 0.7, total: 100 };
  expect(dueBy(schedule, 95_714.285_714_285_71)).toBe(67);
  expect(dueBy(schedule, 95_714.285_714_285_72)).toBe(68);
});
