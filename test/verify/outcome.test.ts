import { expect, test } from "vitest";
import type { CheckResult } from "../../src/checking/verify-result.ts";
import { mergeRuns } from "../../src/verify/rules/merge-runs.ts";
import { countResults, strictnessOf, verdictOf } from "../../src/verify/rules/summary.ts";
import { checkResult } from "./check-result.ts";

const passed = checkResult();
const failed = checkResult({ result: "fail" });
const warned = checkResult({ result: "warn" });
const unclear = checkResult({ result: "inconclusive" });
const skipped = checkResult({ result: "skip", reason: "there is no user", hint: "add one" });
const slow = checkResult({
  result: "skip",
  reason: "it waits for a time limit, or may lock users out",
  hint: "app-sim verify --slow",
});
const known = { known: { reason: "next sprint", until: "2999-01-01" } };

type Options = Parameters<typeof strictnessOf>[0];
const outcomeOf = (checks: readonly CheckResult[], options: Options = {}) =>
  verdictOf({ unread: null, checks, ended: null }, strictnessOf(options));

test.each<[string, readonly CheckResult[], Options, Partial<ReturnType<typeof verdictOf>>]>([
  ["passes", [passed, skipped], {}, { outcome: "passed", failure: null }],
  ["fails", [passed, failed, unclear], {}, { outcome: "failed", reason: null, hint: null, failure: "other" }],
  ["passes with a known failure", [passed, { ...failed, ...known }], {}, { outcome: "passed" }],
  ["passes with a warning", [passed, warned], {}, { outcome: "passed" }],
  ["fails on a warning", [passed, warned], { failOn: "warn" }, { outcome: "failed", reason: null }],
  ["fails on a failure where warnings fail too", [failed], { failOn: "warn" }, { outcome: "failed", reason: null }],
  ["passes without a warning", [passed], { failOn: "warn" }, { outcome: "passed" }],
  ["is unclear", [passed, unclear], {}, { outcome: "inconclusive", failure: "other" }],
  ["may be unclear", [passed, unclear], { allowInconclusive: true }, { outcome: "passed" }],
  ["is only unclear", [unclear], { allowInconclusive: true }, { outcome: "failed", reason: "no check ran" }],
  ["fails without checks", [], {}, { reason: "no check ran", hint: "nothing was verified", failure: "other" }],
  ["says why none ran", [skipped, skipped], {}, { reason: "no check ran: there is no user", hint: "add one" }],
  ["says why, apart from flags", [slow, skipped], {}, { reason: "no check ran: there is no user", hint: "add one" }],
  ["says which flag", [slow, slow], {}, { reason: "no check ran: it waits for a time limit, or may lock users out" }],
  ["has several reasons", [skipped, { ...skipped, reason: "another" }], {}, { reason: "no check ran" }],
  ["has several hints", [skipped, { ...skipped, hint: "another" }], {}, { reason: "no check ran" }],
  [
    "has a reason only for some",
    [{ ...unclear, reason: skipped.reason, hint: skipped.hint }, skipped],
    { allowInconclusive: true },
    { reason: "no check ran", hint: "nothing was verified: the report says why for each check" },
  ],
])("a run %s", (_, checks, options, expected) => {
  expect(outcomeOf(checks, options)).toMatchObject(expected);
});

test("how a run ended comes before what it found", () => {
  const unread = { reason: "no manifest", hint: "start the app", failure: "no-answer" } as const;
  const of = (ended: Parameters<typeof verdictOf>[0]["ended"], checks = [failed]) =>
    verdictOf({ unread: unread as never, checks, ended }, strictnessOf({}));
  expect(of({ by: "interruption", reason: "stopped" })).toMatchObject({ reason: "stopped", failure: "interrupted" });
  expect(of({ by: "timeout", reason: "too late" })).toMatchObject({ reason: "too late", failure: "timed-out" });
  expect(of({ by: "bail", reason: "one failed" })).toMatchObject({ reason: "no manifest", hint: "start the app" });
  const bailed = { unread: null, checks: [failed], ended: { by: "bail", reason: "one failed" } } as const;
  expect(verdictOf(bailed, strictnessOf({}))).toMatchObject({ outcome: "failed", reason: null });
});

test("each check counts once, a known one apart, a flaky one also as that", () => {
  const flaky = checkResult({ result: "warn", runs: ["pass", "warn"] });
  const checks = [passed, flaky, warned, failed, failed, failed, skipped, unclear, { ...failed, ...known }];
  expect(countResults([...checks, skipped, skipped, skipped])).toEqual({
    passed: 1,
    warned: 2,
    failed: 3,
    skipped: 4,
    inconclusive: 1,
    known: 1,
    flaky: 1,
  });
});

test("repeated runs give the worst result of each check", () => {
  const check = (id: string, result: CheckResult["result"]) => checkResult({ id, result });
  const merged = mergeRuns([
    [check("a", "pass"), check("b", "pass"), check("c", "inconclusive"), check("d", "warn"), check("e", "skip")],
    [check("a", "pass"), check("b", "warn"), check("c", "pass"), check("d", "fail"), check("e", "pass")],
    [check("a", "pass"), check("b", "inconclusive")],
  ]);
  expect(merged).toMatchObject([
    { id: "a", result: "pass", reason: null, runs: ["pass", "pass", "pass"] },
    { id: "b", result: "warn", reason: "flaky (pass, warn, inconclusive): why" },
    { id: "c", result: "inconclusive", reason: "flaky (inconclusive, pass): why" },
    { id: "d", result: "fail", reason: "flaky (warn, fail): why" },
    { id: "e", result: "pass", reason: "flaky (skip, pass): it passed" },
  ]);
});

test("repeated runs keep modules and subjects apart", () => {
  const run = [passed, { ...failed, module: "terms" }, { ...failed, subject: "another" }];
  expect(mergeRuns([run, run])).toMatchObject([
    { runs: ["pass", "pass"] },
    { module: "terms" },
    { subject: "another" },
  ]);
});
