import { describe, expect, test } from "vitest";
import { judgeExpectation, parseExpectation } from "../../src/simulator/load/expectations.ts";

const latency = { min: 1, mean: 12.345, p50: 10, p90: 20, p95: 50, p99: 250, p999: 900, max: 1000 };
const measured = { latency, rate: 989.95, sent: 90, failed: 1, notSent: 10 };

describe("an expectation", () => {
  test.each([
    ["p99<250ms", "250 ms", false],
    ["p99<=250ms", "250 ms", true],
    ["p50 < 1s", "10 ms", true],
    ["mean<=12ms", "12.3 ms", false],
    ["max>500ms", "1,000 ms", true],
    ["errors<=11", "11", true],
    ["errors<=0", "11", false],
    ["errors<11%", "11%", false],
    ["errors<=11%", "11%", true],
    ["errors<11.5%", "11%", true],
    ["rate>=990", "990/s", false],
    ["rate>=989.9", "990/s", true],
  ])("%s: %s, %s", (text, actual, met) => {
    expect(judgeExpectation(parseExpectation(text), measured)).toEqual({ text, actual, met });
  });

  test("is not met where nothing was answered", () => {
    const nothing = { latency: null, rate: 0, sent: 0, failed: 0, notSent: 0 };
    expect(judgeExpectation(parseExpectation("p99<1s"), nothing)).toEqual({ text: "p99<1s", actual: null, met: false });
    expect(judgeExpectation(parseExpectation("errors<1%"), nothing)).toMatchObject({ actual: null, met: false });
  });

  test.each([
    "",
    "p99",
    "p99<250",
    "p98<250ms",
    "p99=250ms",
    "errors<1ms",
    "rate>=10%",
    "rate>=fast",
    "p99<1%",
    "p99<ms",
  ])("%j is none", (text) => {
    expect(() => parseExpectation(text)).toThrow(/is not what a load can be expected to show/);
  });
});
