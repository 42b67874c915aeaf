import { describe, expect, it } from "vitest";
import { expectedExitCode, guardExitCode, type LoginExpectation } from "../../src/guard/exit-code.ts";
import type { GuardResult, GuardStage } from "../../src/guard/guard-result.ts";
import { importExitCode } from "../../src/post-import/exit-code.ts";
import type { ImportedJob } from "../../src/post-import/import-result.ts";
import { changes, imported, importResult } from "../rig/imported.ts";

const guard = (result: GuardStage["result"]): GuardStage => ({
  stage: "guard",
  module: "office",
  result,
  exchanges: [],
});

function login(changes: Partial<GuardResult>): GuardResult {
  return {
    command: "guard",
    outcome: "granted",
    deniedBy: null,
    reason: null,
    hint: null,
    failure: null,
    user: { id: 1, role: "member" },
    ipAddress: "127.0.0.1",
    expectation: null,
    stages: [guard("passed")],
    warnings: [],
    choices: [],
    ...changes,
  };
}

const granted = login({});
const exempt = login({ stages: [guard("skipped")] });
const unguarded = login({ stages: [{ stage: "password", result: "passed", exchanges: [] }] });
const denied = login({ outcome: "denied", deniedBy: "office" });
const faulty = login({ outcome: "failed", failure: "other" });
const unreachable = login({ outcome: "failed", failure: "unreachable" });
const slow = login({ outcome: "failed", failure: "timed-out" });
const interrupted = login({ outcome: "failed", failure: "interrupted" });
const needsUser = login({ outcome: "needs-user" });

describe("the exit code of a login", () => {
  const asGranted: LoginExpectation = { outcome: "granted" };
  const asDenied: LoginExpectation = { outcome: "denied" };
  const byOffice: LoginExpectation = { outcome: "denied", deniedBy: "office" };
  const byOther: LoginExpectation = { outcome: "denied", deniedBy: "other" };

  it.each([
    ["granted", granted, 0, [0, 1, 1, 1]],
    ["granted to one who is exempt", exempt, 0, [0, 1, 1, 1]],
    ["granted where no guard is declared", unguarded, 1, [1, 1, 1, 1]],
    ["denied", denied, 1, [1, 0, 0, 1]],
    ["denied for a breach of the contract", faulty, 1, [1, 1, 1, 1]],
    ["denied because the app is not there", unreachable, 3, [3, 3, 3, 3]],
    ["denied because the app is slow", slow, 4, [4, 4, 4, 4]],
    ["interrupted", interrupted, 130, [130, 130, 130, 130]],
    ["in need of a user", needsUser, 1, [1, 1, 1, 1]],
  ] as const)("%s, even if another one was expected", (_, result, code, expected) => {
    expect(guardExitCode(result)).toBe(code);
    const expectations = [asGranted, asDenied, byOffice, byOther];
    expect(expectations.map((expectation) => expectedExitCode(result, expectation))).toEqual(expected);
  });
});

describe("the exit code of an import", () => {
  const differences = changes();
  const expected = (result: "written" | "same" | "different") => ({ file: "x", result, reason: null, differences });
  const failed = imported({ outcome: "failed", failure: "other" });

  it.each<[string, Partial<ImportedJob>, number]>([
    ["imported", {}, 0],
    ["not modified", { outcome: "not-modified" }, 0],
    ["nothing sent", { outcome: "skipped" }, 1],
    ["failed", failed, 1],
    ["app not there", { ...failed, failure: "unreachable" }, 3],
    ["app slow", { ...failed, failure: "timed-out" }, 4],
    ["imported, as expected", { expected: expected("same") }, 0],
    ["imported, not as expected", { expected: expected("different") }, 1],
    ["imported, accepted", { expected: expected("written") }, 0],
    ["not modified, not as expected", { outcome: "not-modified", expected: expected("different") }, 1],
    ["failed, as expected", { ...failed, expected: expected("same") }, 0],
    ["failed, not as expected", { ...failed, expected: expected("different") }, 1],
    ["failed, accepted", { ...failed, expected: expected("written") }, 1],
    ["app not there, as expected", { ...failed, failure: "unreachable", expected: expected("same") }, 3],
    ["app slow, as expected", { ...failed, failure: "timed-out", expected: expected("same") }, 4],
    ["interrupted, as expected", { ...failed, failure: "interrupted", expected: expected("same") }, 130],
  ])("%s", (_, job, code) => {
    expect(importExitCode(importResult(imported(job)))).toBe(code);
    const batch = code === 1 && job.outcome === "skipped" ? 0 : code;
    expect(importExitCode(importResult(imported(), imported(job)))).toBe(batch);
  });
});
