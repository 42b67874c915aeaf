import { expect, test } from "vitest";
import type { CheckFacts } from "../../src/checking/check.ts";
import type { CheckResult } from "../../src/checking/verify-result.ts";
import { type KnownFinding, updatedBaseline, withKnown } from "../../src/verify/rules/known-findings.ts";
import { knownWarnings } from "../../src/verify/rules/known-warnings.ts";
import { checkResult } from "./check-result.ts";

const NOW = Date.parse("2026-03-01T23:30:00Z");
const entry = (changes: Partial<KnownFinding> = {}): KnownFinding => ({
  id: "guard.token.expired",
  reason: "next sprint",
  until: "2026-03-01",
  ...changes,
});
const failed = (changes: Partial<CheckResult> = {}) => checkResult({ result: "fail", ...changes });

test.each<[string, Partial<CheckResult>, readonly KnownFinding[], KnownFinding["reason"] | undefined]>([
  ["a failure is known on the last day", { result: "fail" }, [entry()], "next sprint"],
  ["a warning", { result: "warn" }, [entry()], "next sprint"],
  ["an inconclusive result", { result: "inconclusive" }, [entry()], "next sprint"],
  ["not on the day after", { result: "fail" }, [entry({ until: "2026-02-28" })], undefined],
  ["what passes is not known", { result: "pass" }, [entry()], undefined],
  ["what was not tried is not known", { result: "skip" }, [entry()], undefined],
  ["in the named module", { result: "fail" }, [entry({ module: "office" })], "next sprint"],
  ["not in another module", { result: "fail" }, [entry({ module: "terms" })], undefined],
  ["not for another check", { result: "fail" }, [entry({ id: "guard.token.missing" })], undefined],
  [
    "by the entry that has not expired",
    { result: "fail" },
    [entry({ until: "2026-02-28", reason: "over" }), entry()],
    "next sprint",
  ],
])("a known finding: %s", (_, check, known, reason) => {
  expect(withKnown([checkResult(check)], known, NOW)[0]?.known?.reason).toBe(reason);
});

test.each<[string, readonly KnownFinding[], readonly CheckResult[], readonly Partial<KnownFinding>[]]>([
  [
    "adds a finding for 90 days",
    [],
    [failed()],
    [{ id: "guard.token.expired", module: "office", until: "2026-05-30" }],
  ],
  ["adds a warning", [], [checkResult({ result: "warn" })], [{ module: "office" }]],
  ["adds nothing that passes or was not tried", [], [checkResult(), checkResult({ result: "skip" })], []],
  ["adds a check of two subjects once", [], [failed({ subject: "a" }), failed({ subject: "b" })], [{}]],
  [
    "adds a check of two modules twice, sorted",
    [],
    [failed({ module: "terms" }), failed({ module: "office" })],
    [{ module: "office" }, { module: "terms" }],
  ],
  [
    "adds two checks of a module, sorted",
    [],
    [failed({ id: "guard.token.missing" }), failed({ id: "guard.body.ignored" })],
    [{ id: "guard.body.ignored" }, { id: "guard.token.missing" }],
  ],
  ["keeps the reason and the day of what is found again", [entry()], [failed()], [entry()]],
  ["keeps what one of two modules still has", [entry()], [failed(), checkResult({ module: "terms" })], [entry()]],
  ["removes what is fixed", [entry()], [checkResult()], []],
  [
    "removes what is fixed while another check fails",
    [entry({ module: "office" })],
    [checkResult(), failed({ id: "guard.token.missing", module: "terms" })],
    [{ id: "guard.token.missing" }],
  ],
  ["keeps what was not tried", [entry()], [checkResult({ result: "skip" })], [entry()]],
  ["keeps what did not run", [entry()], [], [entry()]],
  [
    "adds what another module has",
    [entry({ module: "terms" })],
    [failed(), failed({ module: "terms" })],
    [{ module: "office", until: "2026-05-30" }, entry({ module: "terms" })],
  ],
])("a new baseline %s", (_, baseline, checks, expected) => {
  const updated = updatedBaseline(baseline, checks, NOW);
  expect(updated).toHaveLength(expected.length);
  expect(updated).toMatchObject(expected);
});

test("a finding of no module has no module in a baseline", () => {
  const [added] = updatedBaseline([], [failed({ id: "manifest.events", module: null })], NOW);
  expect(added).not.toHaveProperty("module");
});

const known = { reason: "next sprint", until: "2026-03-01" };

test.each<[string, readonly CheckResult[], number]>([
  ["found after its last day", [failed()], 1],
  ["found before its last day", [failed({ known })], 0],
  ["found in one of two modules", [checkResult({ module: "terms" }), failed()], 1],
  ["fixed", [checkResult()], 1],
  ["fixed in one of two modules", [checkResult(), failed({ module: "terms", known })], 0],
  ["not tried", [checkResult({ result: "skip" })], 0],
  ["whose check did not run, although another found something", [failed({ id: "guard.token.missing" })], 0],
])("warnings about a known finding %s", (_, found, warnings) => {
  const facts = ["guard.token.expired", "guard.token.missing"].map((id) => ({ id }) as CheckFacts);
  expect(knownWarnings([entry()], facts, null, found)).toHaveLength(warnings);
});

test("a known finding of a check that does not exist has a warning with the name that it may mean", () => {
  const facts = [{ id: "guard.token.missing" } as CheckFacts];
  expect(knownWarnings([entry({ id: "guard.token.mising" })], facts, null, [])).toEqual([
    'a known finding names the check "guard.token.mising", which does not exist. Did you mean "guard.token.missing"?',
  ]);
});

test("a known finding of a module that no app declares has a warning, if the modules are known", () => {
  const facts = [{ id: "guard.token.expired" } as CheckFacts];
  const known = [entry({ module: "ofice" }), entry({ module: "office" })];
  expect(knownWarnings(known, facts, ["office"], [])).toEqual([
    'a known finding of guard.token.expired names the module "ofice", which no app declares. Did you mean "office"?',
  ]);
  expect(knownWarnings(known, facts, null, [])).toEqual([]);
});

test("the warning about fixed findings names them, and at most five", () => {
  const facts = [...Array(7)].map((_, index) => ({ id: `guard.${index}` }) as CheckFacts);
  const fixed = facts.map(({ id }) => checkResult({ id }));
  const known = facts.map(({ id }) => entry({ id }));
  expect(knownWarnings(known.slice(0, 1), facts, null, fixed)).toEqual([
    "listed as known, but no longer found: guard.0. Remove this entry, or add --update-baseline",
  ]);
  expect(knownWarnings(known, facts, null, fixed)).toEqual([
    "listed as known, but no longer found: guard.0, guard.1, guard.2, guard.3, guard.4, and 2 more. Remove these entries, or add --update-baseline",
  ]);
});
