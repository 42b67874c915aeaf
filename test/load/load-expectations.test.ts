import { describe, expect, test } from "vitest";
import {
  allowsErrors,
  allowsRate,
  expectationTexts,
  judgeExpectation,
  parseExpectation,
} from "../../src/load/rules/expectations.ts";

const latency = { min: 1, mean: 12.345, p50: 10, p90: 20, p95: 50, p99: 250, p999: 900, max: 1000 };
const measured = { latency, rate: 989.95, sent: 100, failed: 11, notSent: 0 };

describe("limits by measure", () => {
  test("are maximums for latencies and errors, and a minimum for the rate", () => {
    const texts = expectationTexts({ p99: "2s", p50: 1.5, max: undefined, errors: "1%", rate: 990 });
    expect(texts).toEqual(["p99<=2s", "p50<=1.5ms", "errors<=1%", "rate>=990"]);
    expect(expectationTexts({ errors: 3 })).toEqual(["errors<=3"]);
    expect(() => texts.map(parseExpectation)).not.toThrow();
    expect([expectationTexts("p99<2s"), expectationTexts(["a", "b"]), expectationTexts()]).toEqual([
      ["p99<2s"],
      ["a", "b"],
      [],
    ]);
    const [wrong = ""] = expectationTexts({ p98: "2s" } as object);
    expect(() => parseExpectation(wrong)).toThrow("there is no measure p98");
  });
});

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
    ["rate>=990", "989.95/s", false],
    ["p99<250.5ms", "250 ms", true],
    ["p999<0.9s", "900 ms", false],
    ["rate>=989.9", "990/s", true],
    ["p99<=0.25s", "250 ms", true],
    ["max>1000ms", "1,000 ms", false],
    ["errors<11.25%", "11%", true],
  ])("%s: %s, %s", (text, actual, met) => {
    expect(judgeExpectation(parseExpectation(text), measured)).toEqual({ text, actual, met });
  });

  test.each([
    [250.111, "p99<=250ms", "250.1 ms", false],
    [250.0004, "p99<=250ms", "250.0004 ms", false],
    [249.9999, "p99<250ms", "249.9999 ms", true],
    [1.499, "p99<1.5ms", "1.499 ms", true],
    [1.49961, "p99<1.5ms", "1.4996 ms", true],
    [0.01234, "p99<1ms", "0.0123 ms", true],
    [1_234_567.89, "p99>1000s", "1,234,567.9 ms", true],
  ])("%d ms is shown so that it is clear why %s is met or not", (p99, text, actual, met) => {
    const result = judgeExpectation(parseExpectation(text), { ...measured, latency: { ...latency, p99 } });
    expect(result).toEqual({ text, actual, met });
  });

  test.each([
    ["p99<1s", 1, "250 ms", true],
    ["p99<1s", 2, "250 ms, and 2 of 100 were never sent", false],
    ["p99<=1s", 2, "250 ms, and 2 of 100 were never sent", false],
    ["p50<1s", 50, "10 ms", true],
    ["p50<1s", 51, "10 ms, and 51 of 100 were never sent", false],
    ["mean<1s", 1, "12.3 ms, and 1 of 100 were never sent", false],
    ["max<2s", 1, "1,000 ms, and 1 of 100 were never sent", false],
    ["p99>200ms", 40, "250 ms", true],
    ["errors<50%", 40, "40%", true],
    ["errors<50", 40, "40", true],
    ["rate>1", 40, "990/s", true],
    ["rate<1000", 40, "990/s", true],
  ])("%s is not met if few of many were sent: %d never sent", (text, notSent, actual, met) => {
    const few = { ...measured, sent: 100 - notSent, failed: 0, notSent };
    expect(judgeExpectation(parseExpectation(text), few)).toEqual({ text, actual, met });
  });

  test("is not met if nothing was answered", () => {
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
    expect(() => parseExpectation(text)).toThrow(/is not a valid expectation/);
  });

  test.each([
    ["errors<0", /: nothing is below 0: did you mean errors<=0\?$/],
    ["errors<0%", /: nothing is below 0: did you mean errors<=0%\?$/],
    ["p99<0.00ms", /: nothing is below 0: did you mean p99<=0.00ms\?$/],
    ["errors<00", /: nothing is below 0: /],
    ["p99<250", /: p99 needs a unit: p99<250ms or p99<250s$/],
    ["p99<1.25", /: p99 needs a unit: p99<1.25ms or p99<1.25s$/],
    ["p99<x1", /is not a valid expectation$/],
    ["p99<x1.5s", /is not a valid expectation$/],
    ["p99<1.5sx", /is not a valid expectation$/],
    ["errors<x1", /: errors is compared with a number or a share$/],
    ["p98 < 5ms", /: there is no measure p98$/],
    ["the p98 < 5ms", /is not a valid expectation$/],
    ["the p99 = 5ms", /is not a valid expectation$/],
    ["p99 = 5ms or so", /is not a valid expectation$/],
    ["p99!=5ms", /: != is not a comparison; use .* as in p99<5ms$/],
    ["p98 under 2s", /is not a valid expectation$/],
    ["the p95 under 2s", /is not a valid expectation$/],
    ["p95 is  under 2s", /is not a valid expectation$/],
    ["p95 under 2s please", /is not a valid expectation$/],
    ["p95 below 2s or so", /is not a valid expectation$/],
    ["p99<2sec", /: did you mean p99<2s\?$/],
    ["p95 under 2s", /: did you mean p95<2s\?$/],
    ["rate at least 100", /: did you mean rate>=100\?$/],
    ["p99<2s,errors<1%", /: give each expectation separately; /],
    ["errors<1% and p99<2s", /: give each expectation separately; /],
    ["p99<2s, errors<1%", /: give each expectation separately; /],
  ])("%j: the hint shows what is meant", (text, says) => {
    expect(() => parseExpectation(text)).toThrow(says);
  });

  test("without a comparison, get a hint with the one that makes sense", () => {
    expect(() => parseExpectation("errors=0")).toThrow(/as in errors<=0$/);
    expect(() => parseExpectation("errors=0.5")).toThrow(/as in errors<0\.5$/);
    expect(() => parseExpectation("rate==990")).toThrow(/as in rate>990$/);
  });
});

test.each([
  ["errors<1%", true, false],
  ["errors<=3", true, false],
  ["p99<1s", false, false],
  ["p99>1s", false, false],
  ["rate>=990", false, true],
  ["rate>990", false, true],
  ["rate<990", false, false],
])("%s allows failures: %s, and another rate: %s", (text, failures, rate) => {
  const expectation = parseExpectation(text);
  expect([allowsErrors(expectation), allowsRate(expectation)]).toEqual([failures, rate]);
});

test("spaces around an expectation are no part of it", () => {
  expect(parseExpectation(" p99<2s ").text).toBe("p99<2s");
});
