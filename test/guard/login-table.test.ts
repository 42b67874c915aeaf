import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advance, type LoginEvent, type LoginState } from "../../src/guard/rules/login.ts";
import { loginTable, rowOf } from "../../src/guard/rules/login-table.ts";
import type { GuardType } from "../../src/platform/manifest.ts";
import {
  approves,
  callFails,
  everythingEnabled,
  failed,
  fails,
  guard,
  passed,
  plan,
  refuses,
  returns,
  walk,
} from "./login-steps.ts";

const types: readonly GuardType[] = ["direct", "redirect", "frame"];
const toGuard = [passed("password"), passed("mfa"), passed("device-trust")];
const toUser = [...toGuard, refuses(0)];
const toFinal = [...toUser, returns(0, "c0de")];

describe("there is no row of interface 3.1", () => {
  test.each<[string, GuardType, LoginEvent[], LoginEvent]>([
    ["for a plain stage that is passed", "direct", [], passed("password")],
    ["for a plain stage that is failed", "direct", [], failed("password", "x")],
    ["for a frame guard that passes at once", "frame", toGuard, approves(0)],
    ["for a first call that fails", "redirect", toGuard, callFails(0, "down")],
    ["for a final call that fails", "redirect", toFinal, callFails(0, "down")],
    ["for another guard's answer", "direct", toGuard, approves(1)],
    ["for another guard's user", "redirect", toUser, returns(1, "c0de")],
    ["for a user who was not sent away", "redirect", toGuard, returns(0, "c0de")],
    ["for an answer that nobody waits for", "frame", toUser, approves(0)],
    ["for what follows a denial", "direct", [...toGuard, refuses(0)], approves(0)],
  ])("%s", (_, type, before, event) => {
    const both = plan([guard(type), guard("redirect")], everythingEnabled);
    expect(rowOf(walk(both, ...before).state, event)).toBeNull();
  });
});

test("whatever happens: a row leads where it says, and everything else leads to a denial", () => {
  const events = fc.constantFrom(
    passed("password"),
    ...[0, 1].flatMap((at) => [approves(at), refuses(at), callFails(at, "x"), returns(at, "c"), fails(at, "e")]),
  );
  const guards = fc.array(
    fc.constantFrom(...types).map((type) => guard(type)),
    { minLength: 1, maxLength: 2 },
  );
  fc.assert(
    fc.property(guards, fc.array(events, { maxLength: 12 }), (planned, happened) => {
      let { state } = walk(plan(planned), passed("password"));
      for (const event of happened) {
        const row = loginTable.find((each) => each.row === rowOf(state, event));
        const after = advance(state, event).state;
        const passedAtOnce = typeAt(state) === "frame" && state.at === "verifying" && event.type === "guard-answered";
        if (row !== undefined)
          expect([row.type ?? typeAt(state), row.next]).toEqual([typeAt(state), next(state, after)]);
        else if (after !== state && !passedAtOnce) expect(event.type).toBe("guard-call-failed");
        state = after;
      }
    }),
    { numRuns: 500 },
  );
});

function typeAt(state: LoginState): GuardType | undefined {
  return "guard" in state ? state.plan.guards[state.guard ?? -1]?.type : undefined;
}

function next(before: LoginState, after: LoginState): string {
  if (after.at === "denied") return "access denied";
  if (after.at === "awaiting-user") return "awaiting user";
  if (after.at === "verifying-final") return "awaiting final verification";
  return after.results[before.results.length]?.result === "passed" ? "module passed" : "nothing";
}
