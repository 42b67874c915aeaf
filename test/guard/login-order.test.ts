import { describe, expect, test } from "vitest";
import { advance, type LoginEvent, type LoginPlan, type LoginState, newLogin } from "../../src/guard/rules/login.ts";
import {
  approves,
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

describe("the order of a login", () => {
  /** Approves whatever the platform does, and lists what it did. */
  function approveAll(from: LoginPlan): { did: string[]; state: LoginState } {
    const did: string[] = [];
    let step = newLogin(from);
    for (;;) {
      expect(step.effects).toHaveLength(1);
      const [effect] = step.effects;
      if (effect?.type === "ask") {
        did.push(effect.stage);
        step = advance(step.state, passed(effect.stage));
      } else if (effect?.type === "verify") {
        did.push(`guard ${effect.guard}`);
        step = advance(step.state, approves(effect.guard));
      } else return { did: [...did, effect?.type ?? "nothing"], state: step.state };
    }
  }

  test("begins with the password", () => {
    const begun = plan([guard("direct")], everythingEnabled);
    expect(newLogin(begun)).toEqual({
      state: { at: "password", failures: [], plan: begun, results: [] },
      effects: [{ type: "ask", stage: "password" }],
    });
  });

  test("all stages enabled: password, MFA, device trust, the guards in sequence, remember-me, granted", () => {
    const { did, state } = approveAll(plan([guard("direct"), guard("frame"), guard("redirect")], everythingEnabled));
    expect(did).toEqual(["password", "mfa", "device-trust", "guard 0", "guard 1", "guard 2", "remember-me", "grant"]);
    expect(state.results).toEqual([
      { stage: "password", result: "passed" },
      { stage: "mfa", result: "passed" },
      { stage: "device-trust", result: "passed" },
      { stage: "guard", guard: 0, result: "passed" },
      { stage: "guard", guard: 1, result: "passed" },
      { stage: "guard", guard: 2, result: "passed" },
      { stage: "remember-me", result: "passed" },
    ]);
  });

  test.each([
    ["mfa", { ...everythingEnabled, mfa: false }],
    ["device-trust", { ...everythingEnabled, deviceTrust: false }],
    ["remember-me", { ...everythingEnabled, rememberMe: false }],
  ] as const)("%s is skipped with a reason if it is not enabled", (stage, enabled) => {
    const { did, state } = approveAll(plan([guard("direct")], enabled));
    const all = ["password", "mfa", "device-trust", "guard 0", "remember-me", "grant"];
    expect(did).toEqual(all.filter((name) => name !== stage));
    expect(state.results.filter(({ result }) => result === "skipped")).toEqual([skippedStage(stage)]);
    expect(state.results.map((result) => result.stage)).toEqual([
      "password",
      "mfa",
      "device-trust",
      "guard",
      "remember-me",
    ]);
  });

  test("without guards and optional stages, the password alone grants access", () => {
    expect(approveAll(plan([])).did).toEqual(["password", "grant"]);
  });

  test("exempt guards are skipped with their reason and never called, wherever they are in the order", () => {
    const owner = "the organization owner is exempt";
    const guards = [guard("direct", owner), guard("direct"), guard("frame", owner), guard("redirect", owner)];
    const { did, state } = approveAll(plan(guards));
    expect(did).toEqual(["password", "guard 1", "grant"]);
    expect(state.results.filter(({ stage }) => stage === "guard")).toEqual([
      { stage: "guard", guard: 0, result: "skipped", reason: owner },
      { stage: "guard", guard: 1, result: "passed" },
      { stage: "guard", guard: 2, result: "skipped", reason: owner },
      { stage: "guard", guard: 3, result: "skipped", reason: owner },
    ]);
  });
});

describe("a failed stage", () => {
  const wrong = [1, 2, 3].map((attempt) => failed("mfa", `wrong code ${attempt}`));
  const [first, second, third] = wrong as [LoginEvent, LoginEvent, LoginEvent];
  const withMfa = plan([guard("direct")], { ...nothingEnabled, mfa: true }, 3);
  const atMfa = [{ stage: "password", result: "passed" }];

  test("is asked again, with the reason for each failed try", () => {
    expect(walk(withMfa, passed("password"), first, second)).toEqual({
      state: { at: "mfa", failures: ["wrong code 1", "wrong code 2"], plan: withMfa, results: atMfa },
      effects: [{ type: "ask", stage: "mfa" }],
    });
  });

  test("can be passed at the last try, and its result counts the tries", () => {
    const { state, effects } = walk(withMfa, passed("password"), first, second, passed("mfa"));
    expect(state.results).toEqual([
      ...atMfa,
      { stage: "mfa", result: "passed", attempts: 3 },
      skippedStage("device-trust"),
    ]);
    expect(effects).toEqual([{ type: "verify", guard: 0, code: null }]);
  });

  test("denies, by no guard, when all tries are used up, with the last reason", () => {
    const reason = "wrong code 3";
    const denied = walk(withMfa, passed("password"), first, second, third);
    expect(denied).toEqual({
      state: {
        at: "denied",
        guard: null,
        reason,
        plan: withMfa,
        results: [...atMfa, { stage: "mfa", result: "denied", reason, attempts: 3 }],
      },
      effects: [{ type: "deny", reason }],
    });
    expect(advance(denied.state, passed("mfa"))).toEqual({ state: denied.state, effects: [] });
  });

  test("leaves the next stage all its tries", () => {
    const both = plan([], everythingEnabled, 2);
    const { state } = walk(both, failed("password", "x"), passed("password"), failed("mfa", "y"));
    expect(state).toMatchObject({ at: "mfa", failures: ["y"] });
  });

  test("that is passed in one of several ways says which one", () => {
    const { state } = walk(plan([], { ...nothingEnabled, rememberMe: true }), passed("password"), {
      type: "stage-passed",
      stage: "remember-me",
      note: "not remembered",
    });
    expect(state.results.at(-1)).toEqual({ stage: "remember-me", result: "passed", reason: "not remembered" });
  });
});

describe("an event that does not fit changes nothing", () => {
  const guards = plan([guard("redirect"), guard("direct")], { ...nothingEnabled, mfa: true });
  const toGuard = [passed("password"), passed("mfa")];
  const toUser = [...toGuard, refuses(0)];
  const toFinal = [...toUser, returns(0, "c0de")];
  const toGranted = [...toGuard, approves(0), approves(1)];
  const toDenied = [...toGuard, callFails(0, "down")];

  test.each<[string, LoginEvent[], LoginEvent[]]>([
    ["at the password", [], [passed("mfa"), failed("mfa", "x"), passed("remember-me"), approves(0), returns(0, "c")]],
    ["at MFA", [passed("password")], [passed("password"), failed("password", "x"), callFails(0, "x")]],
    [
      "verifying",
      toGuard,
      [approves(1), refuses(1), callFails(1, "x"), approves(-1), returns(0, "c"), fails(0, "x"), passed("mfa")],
    ],
    [
      "awaiting the user",
      toUser,
      [approves(0), refuses(0), callFails(0, "x"), returns(1, "c"), fails(1, "x"), passed("remember-me")],
    ],
    [
      "verifying finally",
      toFinal,
      [returns(0, "again"), fails(0, "x"), approves(1), refuses(1), callFails(1, "x"), passed("password")],
    ],
    [
      "granted",
      toGranted,
      [approves(1), refuses(1), callFails(1, "x"), failed("remember-me", "x"), passed("password")],
    ],
    ["denied", toDenied, [approves(0), returns(0, "c"), passed("password"), passed("remember-me"), callFails(0, "y")]],
  ])("%s", (_, before, events) => {
    const { state } = walk(guards, ...before);
    for (const event of events) {
      const step = advance(state, event);
      expect(step.state, JSON.stringify(event)).toBe(state);
      expect(step.effects).toEqual([]);
    }
  });
});
