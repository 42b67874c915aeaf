import { Chalk } from "chalk";
import { expect, test } from "vitest";
import type { LoadResult } from "../../src/load/load-result.ts";
import { loadText } from "../../src/load/load-text.ts";
import { paintWith } from "../../src/output/paint.ts";

const paint = paintWith(new Chalk({ level: 0 }), 80);
const times = { min: 0.19, mean: 2.23, p50: 1.21, p90: 3.86, p95: 6.74, p99: 26.04, p999: 49.6, max: 1051.6 };
const result: LoadResult = {
  command: "load",
  outcome: "failed",
  reason: "3 of 1,500 deliveries were not acknowledged; the app answered 500",
  hint: "look in the app's own log",
  failure: "other",
  seed: 7,
  asked: { mode: "open", rate: 500, concurrency: null, durationMs: 3000, count: null, batch: 2, connections: 100 },
  sent: 1500,
  events: 3000,
  acknowledged: 1497,
  failed: 3,
  notSent: 0,
  bytes: 143_474,
  seconds: 3.004,
  rate: 499.9,
  latency: times,
  serviceTime: { ...times, mean: 1.2 },
  errors: [
    {
      kind: "server-error",
      count: 3,
      status: 500,
      reason: "the app answered 500\u001b[31m",
      hint: "look in the app's own log",
      failure: "other",
      exchange: "7h2kq9ab",
    },
  ],
  expectations: [{ text: "p99<25ms", actual: "26 ms", met: false }],
  warnings: [],
  choices: ["webhook.timeout"],
};

test("shows what was requested, what happened, how long it took, what went wrong and the verdict", () => {
  expect(loadText(result, paint)).toEqual([
    "Load 500 a second, for 3 s, 2 events each (seed 7)",
    "  1,500 deliveries sent in 3 s, 500 a second of 500 requested",
    "  1,497 acknowledged, 3 not; 3,000 events, 143,474 bytes",
    "",
    "  ms               min  mean   p50   p90   p95  p99  p99.9    max",
    "  from when due   0.19  2.23  1.21  3.86  6.74   26   49.6  1,052",
    "  from when sent  0.19   1.2  1.21  3.86  6.74   26   49.6  1,052",
    "",
    "✗ 3 × server-error 500",
    "    the app answered 500␛[31m (the first: app-sim log 7h2kq9ab)",
    "    hint: look in the app's own log",
    "✗ p99<25ms: it was 26 ms",
    "",
    "Failed: 3 of 1,500 deliveries were not acknowledged; the app answered 500",
    "depends on the choices webhook.timeout (see app-sim choices)",
  ]);
});

test("a closed loop has one latency, because no delivery is due at a certain time", () => {
  const asked = { ...result.asked, mode: "closed", rate: null, concurrency: 1, durationMs: null, count: 1 } as const;
  const closed = { ...result, asked, outcome: "ok", sent: 1, acknowledged: 1, failed: 0, errors: [], expectations: [] };
  const lines = loadText({ ...closed, outcome: "ok" }, paint);
  expect(lines[0]).toBe("Load from 1 sender, 1 delivery, 2 events each (seed 7)");
  expect(lines.filter((line) => /^ {2}(latency|from)/.test(line))).toHaveLength(1);
  expect(lines).toContain("Held: 1 delivery acknowledged");
});

test("without deliveries there are no figures", () => {
  const nothing = { ...result, sent: 0, failed: 0, acknowledged: 0, latency: null, serviceTime: null, errors: [] };
  const lines = loadText({ ...nothing, expectations: [], reason: "no webhook module gets it" }, paint);
  expect(lines.slice(0, 2)).toEqual(["Failed: no webhook module gets it", "hint: look in the app's own log"]);
});

test("in a narrow terminal the table is transposed", () => {
  const lines = loadText(result, { ...paint, width: 40 });
  expect(lines).toContain("  ms     from when due  from when sent");
  expect(lines).toContain("  p99.9           49.6            49.6");
});

test("without answers there is no table", () => {
  const lines = loadText({ ...result, latency: null, serviceTime: null }, paint);
  expect(lines.some((line) => line.startsWith("  ms"))).toBe(false);
  expect(lines[3]).toBe("");
  expect(lines[4]).toMatch(/^✗/);
});

test.each([40, 80])("fits into %i columns", (width) => {
  for (const line of loadText(result, { ...paint, width })) {
    if (!/relied|app-sim|✗ 3/.test(line)) expect(line.length).toBeLessThanOrEqual(width);
  }
});
