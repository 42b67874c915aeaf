import { expect, test } from "vitest";
import { planLoad } from "../../src/load/load-options.ts";
import { judgeRate } from "../../src/load/rules/judge-load.ts";

const asked = planLoad({ rate: 500, durationMs: 10_000 });
const connections = { busyConnections: 100, connections: 100, utilization: 0.3 };

test.each([
  ["as asked", 500, 5000, 0, null],
  ["1 % short", 495, 5000, 0, null],
  ["2 % short", 490, 5000, 0, false],
  ["5 % short", 475, 5000, 0, false],
  ["6 % short", 470, 5000, 0, true],
  ["behind by a pause at the end of a short one", 400, 200, 0, false],
  ["behind by a moment in a very short one", 250, 5, 0, null],
  ["never sent in part", 400, 4000, 1000, true],
  ["never sent in part, of a very short one", 400, 20, 1, true],
  ["never sent at all", 0, 0, 5000, true],
])("a load that is %s", (_name, rate, sent, notSent, isFailure) => {
  expect(judgeRate({ asked, rate, sent, notSent }, connections)?.isFailure ?? null).toBe(isFailure);
});

test.each([
  ["all 100 connections were busy", connections],
  ["the only connection was busy", { ...connections, busyConnections: 1, connections: 1 }],
  ["app-sim could not send faster on this machine", { ...connections, busyConnections: 99 }],
  ["app-sim could not send faster on this machine", { ...connections, utilization: 0.95 }],
])("%s", (why, effort) => {
  const { reason, hint } = judgeRate({ asked, rate: 327, sent: 3270, notSent: 0 }, effort) ?? {};
  expect(reason).toBe(`only 327 of 500 requested deliveries a second were sent: ${why}`);
  expect(hint).toContain(why.includes("busy") ? "--connections" : "lower --rate");
});

test("a closed loop has no rate to reach", () => {
  expect(judgeRate({ asked: planLoad({}), rate: 1, sent: 10, notSent: 0 }, connections)).toBeNull();
});

test.each([
  [327.4, 500, "only 327 of 500 "],
  [100.4, 500, "only 100 of 500 "],
  [20.25, 99.5, "only 20.3 of 99.5 "],
])("a rate is shown with a fraction only below 100: %d of %d", (rate, of, said) => {
  const plan = planLoad({ rate: of, durationMs: 10_000 });
  expect(judgeRate({ asked: plan, rate, sent: 3270, notSent: 0 }, connections)?.reason).toContain(said);
});
