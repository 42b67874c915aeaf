import { expect, test } from "vitest";
import type { CheckResult } from "../../src/checking/verify-result.ts";
import { type LoginRow, loginTable } from "../../src/guard/rules/login-table.ts";
import type { Exchange } from "../../src/journal/exchange.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { coverageOf } from "../../src/verify/rules/coverage.ts";
import { loginRowsTaken } from "../../src/verify/rules/login-rows.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";
import { checkResult } from "./check-result.ts";

type Guards = Parameters<typeof loginRowsTaken>[1];

const guards = (["direct", "redirect", "frame"] as const).map((type) => ({
  installed: { app: { url: "http://127.0.0.1:3000" } },
  module: { key: type, url: `/${type}`, type },
})) as unknown as Guards;

const bodyOf = (json: unknown) => recordBody(Buffer.from(typeof json === "string" ? json : JSON.stringify(json)));

/** A call of the guard of this type. */
function call(
  type: string,
  sent: unknown,
  answer: unknown,
  { role = "control", status = 200, ...changes } = {},
): Exchange {
  const { request } = exchangeRecord("a");
  return exchangeRecord("a", {
    module: type,
    check: { run: 1, subject: "", id: "", role },
    request: { ...request, url: `http://127.0.0.1:3000/${type}`, body: bodyOf(sent) },
    response: { status, headers: [], body: bodyOf(answer) },
    ...changes,
  });
}

const first = { userId: 1 };
const final = { userId: 1, code: "c0de" };
const [yes, no] = [{ success: true }, { success: false }];

test.each<[string, Exchange, readonly number[]]>([
  ["direct: yes", call("direct", first, yes), [1]],
  ["direct: no", call("direct", first, no), [2]],
  ["redirect: no", call("redirect", first, no), [3]],
  ["redirect: yes", call("redirect", first, yes), [4]],
  ["frame: no", call("frame", first, no), [7]],
  ["frame: yes, which the table does not have", call("frame", first, yes), []],
  ["redirect: yes to a code, which its page issued", call("redirect", final, yes), [5, 10]],
  ["frame: yes to a code, which its page issued", call("frame", final, yes), [8, 10]],
  ["redirect: no to a code", call("redirect", final, no), [11]],
  ["no to a wrong code", call("redirect", final, no, { role: "twin" }), [11]],
  ["yes to a wrong code", call("redirect", final, yes, { role: "twin" }), []],
  ["no to a wrong first call", call("redirect", first, no, { role: "twin" }), []],
  ["yes to a wrong first call", call("redirect", first, yes, { role: "twin" }), []],
  ["yes to a step", call("redirect", first, yes, { role: "step" }), [4]],
  ["yes to a search", call("redirect", first, yes, { role: "search" }), [4]],
  ["yes with another status", call("redirect", first, yes, { status: 201 }), []],
  ["yes as text", call("redirect", first, { success: "true" }), []],
  ["null", call("redirect", first, null), []],
  ["no JSON", call("redirect", first, "yes"), []],
  ["yes to what is not JSON", call("redirect", "{", yes), [4]],
  ["no answer", { ...call("redirect", first, yes), response: null }, []],
  ["a call that is not of a check", { ...call("redirect", first, yes), check: undefined } as never, []],
  ["no guard's call", { ...call("redirect", first, yes), purpose: "post-import" }, []],
  ["a call of another address", { ...call("redirect", first, yes), request: exchangeRecord("a").request }, []],
  ["a call of another module", { ...call("redirect", first, yes), module: "frame" }, []],
])("the rows of a login's table that an answer shows: %s", (_, exchange, expected) => {
  expect([...loginRowsTaken([exchange], guards)].map(({ row }) => row)).toEqual(expected);
});

const rowNumbered = (row: number) => loginTable[row - 1] as LoginRow;

/** The coverage of a row. */
function covered(
  name: string,
  checks: readonly CheckResult[],
  { types = ["direct", "redirect", "frame"] as const, rows = [] as readonly number[] } = {},
) {
  const seen = { types: new Set<"direct" | "redirect" | "frame">(types), rows: new Set(rows.map(rowNumbered)) };
  return coverageOf(checks, seen).find(({ row }) => row === name);
}

test.each(["pass", "fail", "warn"] as const)("a check with the result %s exercises a row", (result) => {
  const checks = [checkResult({ result }), checkResult({ result }), checkResult({ id: "import.answer", result })];
  const exercised = { result: "exercised", checks: ["guard.token.expired"], reason: null };
  expect(covered("response: success", checks)).toMatchObject(exercised);
});

test.each(["skip", "inconclusive"] as const)("a check with the result %s does not", (result) => {
  const checks = [checkResult({ result, reason: null }), checkResult({ result, reason: "there is no user" })];
  const not = { result: "not-exercised", checks: [], reason: "there is no user" };
  expect(covered("response: success", checks)).toMatchObject(not);
});

test("a row without checks was not selected", () => {
  const checks = [checkResult({ id: "import.answer" })];
  expect(covered("response: success", checks)).toMatchObject({ reason: "no check for it was selected" });
});

test("a row of a login is exercised if the app took it", () => {
  const at = { rows: [1] };
  expect(covered("direct: success true", [], at)).toMatchObject({ result: "exercised", checks: [] });
  expect(covered("direct: success false", [checkResult()], at)).toMatchObject({ result: "not-exercised" });
});

test.each<[string, readonly ("direct" | "redirect" | "frame")[], string]>([
  ["direct: success true", ["frame"], "the manifest declares no direct guard"],
  ["final verification: success true", ["direct"], "the manifest declares no redirect or frame guard"],
  ["final verification: success true", ["frame"], "why"],
  ["final verification: success true", ["redirect"], "why"],
  ["redirect: callback with code", ["redirect"], "why"],
  [
    "redirect: success true",
    ["redirect"],
    "no redirect guard let anybody in on the first call: name somebody in verify.guards.KEY.lets",
  ],
  [
    "frame: success false",
    ["frame"],
    "no frame guard denied anybody on the first call: name somebody in verify.guards.KEY.denies",
  ],
])("why no login took the row %s where the guards are %j", (row, types, reason) => {
  const checks = [checkResult({ result: "skip", reason: "why" })];
  expect(covered(row, checks, { types: types as never })).toMatchObject({ result: "not-exercised", reason });
});
