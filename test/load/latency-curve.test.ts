import fc from "fast-check";
import { expect, test } from "vitest";
import { LatencyCurve } from "../../src/load/latency-curve.ts";

test("has a point for each tenth of a second in which deliveries were due", () => {
  const curve = new LatencyCurve();
  for (const ms of [10, 20, 30]) curve.add(0, ms, true);
  curve.add(99, null, false);
  curve.add(350, 5, true);
  expect(curve.points()).toEqual([
    {
      fromMs: 0,
      count: 4,
      failed: 1,
      latency: expect.objectContaining({ p50: expect.closeTo(20, 0), max: expect.closeTo(30, 0) }),
    },
    { fromMs: 300, count: 1, failed: 0, latency: expect.objectContaining({ p99: expect.closeTo(5, 0) }) },
  ]);
});

test("has at most 60 points, however long the load is, and loses no delivery", () => {
  const delivery = fc.record({
    due: fc.double({ min: -1, max: 86_400_000, noNaN: true }),
    latency: fc.option(fc.double({ min: 0, max: 120_000, noNaN: true })),
    isGood: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(delivery), (deliveries) => {
      const curve = new LatencyCurve();
      for (const { due, latency, isGood } of deliveries) curve.add(due, latency, isGood);
      const points = curve.points();
      expect(points.length).toBeLessThanOrEqual(60);
      const sum = (of: (point: (typeof points)[number]) => number) => points.reduce((all, point) => all + of(point), 0);
      expect(sum(({ count }) => count)).toBe(deliveries.length);
      expect(sum(({ failed }) => failed)).toBe(deliveries.filter(({ isGood }) => !isGood).length);
      const longest = Math.max(0, ...deliveries.map(({ latency }) => latency ?? 0));
      const shown = Math.max(0, ...points.map(({ latency }) => latency?.max ?? 0));
      expect(Math.abs(shown - longest)).toBeLessThanOrEqual(longest * 0.01 + 0.001);
    }),
  );
});
