import { expect, test } from "vitest";
import { judgeLoad, type LoadFacts } from "../../src/load/rules/judge-load.ts";

const right: LoadFacts = {
  sent: 1000,
  acknowledged: 1000,
  failed: 0,
  notSent: 0,
  errors: [],
  expectations: [{ text: "p99<1s", actual: "10 ms", met: true }],
  allowsErrors: false,
  shortfall: null,
  isInterrupted: false,
};
const error = (changes: object) =>
  ({
    reason: "the app answered 500",
    hint: "look in its log",
    failure: "other",
    ...changes,
  }) as LoadFacts["errors"][number];
const failed = { sent: 1000, acknowledged: 990, failed: 10, errors: [error({})] };
const missed = { expectations: [{ text: "p99<1s", actual: "2,000 ms", met: false }] };
const short = { isFailure: true, reason: "only 9 of 10 were sent", hint: "use a lower --rate" };

test.each<[string, Partial<LoadFacts>]>([
  ["everything is acknowledged", {}],
  ["failures are expected", { ...failed, allowsErrors: true }],
  ["the rate is only a bit short", { shortfall: { ...short, isFailure: false } }],
])("a load is ok if %s", (_, facts) => {
  expect(judgeLoad({ ...right, ...facts })).toEqual({ outcome: "ok", reason: null, hint: null, failure: null });
});

test.each<[string, Partial<LoadFacts>, string, string | null, string]>([
  ["interrupted", { ...failed, isInterrupted: true }, "interrupted", null, "interrupted"],
  [
    "not acknowledged",
    failed,
    "10 of 1,000 deliveries were not acknowledged; the app answered 500",
    "look in its log",
    "other",
  ],
  [
    "not acknowledged, for several reasons",
    { ...failed, errors: [error({ hint: null, failure: "refused" }), error({ reason: "no answer" })] },
    "10 of 1,000 deliveries were not acknowledged; most of them: the app answered 500",
    null,
    "refused",
  ],
  [
    "never sent in part",
    { ...failed, failed: 0, notSent: 10, sent: 990 },
    "10 of 1,000 deliveries were never sent; the app answered 500",
    "look in its log",
    "other",
  ],
  [
    "not acknowledged, and never sent in part",
    { ...failed, notSent: 10, sent: 990 },
    "20 of 1,000 deliveries were not acknowledged (10 were never sent); the app answered 500",
    "look in its log",
    "other",
  ],
  [
    "nothing acknowledged, although failures are expected",
    { ...failed, acknowledged: 0, failed: 1000, allowsErrors: true },
    "1,000 of 1,000 deliveries were not acknowledged; the app answered 500",
    "look in its log",
    "other",
  ],
  ["nothing sent", { sent: 0, acknowledged: 0 }, "nothing was sent", null, "other"],
  [
    "nothing sent, although failures are expected",
    { sent: 0, acknowledged: 0, allowsErrors: true },
    "nothing was sent",
    null,
    "other",
  ],
  ["an expectation missed", missed, "p99<1s was expected, but it was 2,000 ms", null, "other"],
  [
    "an expectation missed, with failures that are expected",
    { ...failed, ...missed, allowsErrors: true },
    "p99<1s was expected, but it was 2,000 ms",
    "look in its log",
    "other",
  ],
  [
    "nothing answered",
    { expectations: [{ text: "p99<1s", actual: null, met: false }] },
    "p99<1s was expected, but nothing was answered",
    null,
    "other",
  ],
  ["too slow", { shortfall: short }, "only 9 of 10 were sent", "use a lower --rate", "other"],
  [
    "everything wrong",
    { ...failed, ...missed, shortfall: short, errors: [error({ failure: "refused" })] },
    "p99<1s was expected, but it was 2,000 ms; 10 of 1,000 deliveries were not acknowledged; the app answered 500; only 9 of 10 were sent",
    "look in its log",
    "refused",
  ],
])("a failed load: %s", (_, facts, reason, hint, failure) => {
  expect(judgeLoad({ ...right, ...facts })).toEqual({ outcome: "failed", reason, hint, failure });
});
