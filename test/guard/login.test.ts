import { describe, expect, test } from "vitest";
import type { LoginEffect, LoginEvent, LoginState, PlainStage, StageResult } from "../../src/guard/rules/login.ts";
import type { GuardType } from "../../src/platform/manifest.ts";
import {
  approves,
  beforeGuards,
  callFails,
  everythingEnabled,
  failed,
  fails,
  guard,
  nothingEnabled,
  passed,
  plan,
  refuses,
  returns,
  skippedStage,
  walk,
} from "./login-steps.ts";

interface Row {
  readonly row: number;
  readonly name: string;
  /** Types of the first guard that the row speaks of; a direct guard follows it. */
  readonly types: readonly GuardType[];
  /** What happened since the guard's turn came. */
  readonly before: readonly LoginEvent[];
  readonly trigger: LoginEvent;
  readonly position: Pick<LoginState, "at"> & Record<string, unknown>;
  readonly result?: StageResult;
  readonly effects: readonly LoginEffect[];
}

const modulePassed = {
  position: { at: "verifying", guard: 1 },
  result: { stage: "guard", guard: 0, result: "passed" },
  effects: [{ type: "verify", guard: 1, code: null }],
} as const;
const awaitingUser = {
  position: { at: "awaiting-user", guard: 0 },
  effects: [{ type: "send-user", guard: 0 }],
} as const;
const awaitingFinal = {
  position: { at: "verifying-final", guard: 0 },
  effects: [{ type: "verify", guard: 0, code: "c0de" }],
} as const;
const accessDenied = (reason: string) =>
  ({
    position: { at: "denied", guard: 0, reason },
    result: { stage: "guard", guard: 0, result: "denied", reason },
    effects: [{ type: "deny", reason }],
  }) as const;

/** Interface 3.1, row by row. */
const rows: readonly Row[] = [
  {
    row: 1,
    name: "direct, success true → module passed",
    types: ["direct"],
    before: [],
    trigger: approves(0),
    ...modulePassed,
  },
  {
    row: 2,
    name: "direct, success false → access denied with the message",
    types: ["direct"],
    before: [],
    trigger: refuses(0, "office hours only"),
    ...accessDenied("office hours only"),
  },
  {
    row: 3,
    name: "redirect, initial request, success false → awaiting user interaction",
    types: ["redirect"],
    before: [],
    trigger: refuses(0, "not a reason yet"),
    ...awaitingUser,
  },
  {
    row: 4,
    name: "redirect, initial request, success true → module passed, no redirect",
    types: ["redirect"],
    before: [],
    trigger: approves(0),
    ...modulePassed,
  },
  {
    row: 5,
    name: "redirect, callback with code → awaiting final verification",
    types: ["redirect"],
    before: [refuses(0)],
    trigger: returns(0, "c0de"),
    ...awaitingFinal,
  },
  {
    row: 6,
    name: "redirect, callback with error → access denied",
    types: ["redirect"],
    before: [refuses(0)],
    trigger: fails(0, "no token at hand"),
    ...accessDenied("no token at hand"),
  },
  {
    row: 7,
    name: "frame, initial request, success false → awaiting user interaction",
    types: ["frame"],
    before: [],
    trigger: refuses(0),
    ...awaitingUser,
  },
  {
    row: 8,
    name: "frame, verifyAuth with code → awaiting final verification",
    types: ["frame"],
    before: [refuses(0)],
    trigger: returns(0, "c0de"),
    ...awaitingFinal,
  },
  {
    row: 9,
    name: "frame, verifyAuth with error → access denied",
    types: ["frame"],
    before: [refuses(0)],
    trigger: fails(0, "wrong PIN"),
    ...accessDenied("wrong PIN"),
  },
  {
    row: 10,
    name: "final verification, success true → module passed",
    types: ["redirect", "frame"],
    before: [refuses(0), returns(0, "c0de")],
    trigger: approves(0),
    ...modulePassed,
  },
  {
    row: 11,
    name: "final verification, success false → access denied",
    types: ["redirect", "frame"],
    before: [refuses(0), returns(0, "c0de")],
    trigger: refuses(0, "the code is spent"),
    ...accessDenied("the code is spent"),
  },
];

describe("interface 3.1", () => {
  test.each(rows)("3.1 row $row: $name", ({ types, before, trigger, position, result, effects }) => {
    for (const type of types) {
      const guards = plan([guard(type), guard("direct")]);
      const results = result === undefined ? beforeGuards : [...beforeGuards, result];
      expect(walk(guards, passed("password"), ...before, trigger)).toEqual({
        state: { ...position, plan: guards, results },
        effects,
      });
    }
  });

  test("3.1 row 1: after the last guard comes remember-me", () => {
    const last = plan([guard("direct")], { ...nothingEnabled, rememberMe: true });
    const { state, effects } = walk(last, passed("password"), approves(0));
    expect(state.at).toBe("remember-me");
    expect(effects).toEqual([{ type: "ask", stage: "remember-me" }]);
  });

  test("3.1 row 1: after the last guard access is granted if remember-me is not enabled", () => {
    const { state, effects } = walk(plan([guard("direct")]), passed("password"), approves(0));
    expect(state.at).toBe("granted");
    expect(state.results.at(-1)).toEqual(skippedStage("remember-me"));
    expect(effects).toEqual([{ type: "grant" }]);
  });
});

describe("denials", () => {
  test("a denial without a message says so", () => {
    const reason = "the app denied access without a message";
    const { state, effects } = walk(plan([guard("direct")]), passed("password"), refuses(0));
    expect(state).toMatchObject({ at: "denied", guard: 0, reason });
    expect(effects).toEqual([{ type: "deny", reason }]);
  });

  test.each<[string, GuardType, LoginEvent[]]>([
    ["the direct call", "direct", []],
    ["the initial call of redirect", "redirect", []],
    ["the initial call of frame", "frame", []],
    ["the final call of redirect", "redirect", [refuses(0), returns(0, "c0de")]],
    ["the final call of frame", "frame", [refuses(0), returns(0, "c0de")]],
  ])("fails closed: %s that fails is a denial with the reason", (_, type, before) => {
    const guards = plan([guard(type), guard("direct")]);
    expect(walk(guards, passed("password"), ...before, callFails(0, "no answer within 10 s"))).toEqual({
      state: {
        at: "denied",
        guard: 0,
        reason: "no answer within 10 s",
        plan: guards,
        results: [
          ...beforeGuards,
          { stage: "guard", guard: 0, result: "denied", reason: "no answer within 10 s" } satisfies StageResult,
        ],
      },
      effects: [{ type: "deny", reason: "no answer within 10 s" }],
    });
  });

  test("a later guard's denial keeps what the earlier ones said", () => {
    const { state } = walk(plan([guard("direct"), guard("direct")]), passed("password"), approves(0), refuses(1, "no"));
    expect(state.results.slice(3)).toEqual([
      { stage: "guard", guard: 0, result: "passed" },
      { stage: "guard", guard: 1, result: "denied", reason: "no" },
    ]);
  });

  test.each<[PlainStage, LoginEvent[]]>([
    ["password", []],
    ["mfa", [passed("password")]],
    ["device-trust", [passed("password"), passed("mfa")]],
    ["remember-me", [passed("password"), passed("mfa"), passed("device-trust"), approves(0)]],
  ])("a failed %s denies, by no guard", (stage, before) => {
    const { state, effects } = walk(
      plan([guard("direct")], everythingEnabled),
      ...before,
      failed(stage, "not accepted"),
    );
    expect(state).toMatchObject({ at: "denied", guard: null, reason: "not accepted" });
    expect(state.results.at(-1)).toEqual({ stage, result: "denied", reason: "not accepted" });
    expect(effects).toEqual([{ type: "deny", reason: "not accepted" }]);
  });
});
