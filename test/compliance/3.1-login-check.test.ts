import { describe, expect, it } from "vitest";
import { loginTable } from "../../src/guard/rules/login-table.ts";
import type { GuardResult, LoginOptions } from "../../src/index.ts";
import { type CallHandler, guardEntry, manifestOf } from "../rig/fake-app.ts";
import { awaitPage, begin } from "../rig/logins.ts";
import { guardStages, startSimulation } from "../rig/simulation.ts";

// Interface 3.1: the login check by auth-guard modules, over HTTP.

type Type = "direct" | "redirect" | "frame";

/** A guard of this type, and a direct one after it: whether that is asked shows that the first was passed. */
const serves = (type: Type) =>
  manifestOf({ guards: [guardEntry("first", { type, url: "/page" }), guardEntry("next")] });

const answers =
  (first: boolean, final = false): CallHandler =>
  (call) => {
    const { moduleKey, code } = call.json() as { moduleKey: string; code?: string };
    const success = moduleKey === "next" || (code === undefined ? first : final);
    call.reply(success ? { success } : { success, message: "The app's reason." });
  };

interface Way {
  readonly rows: readonly number[];
  readonly type: Type;
  readonly answer: CallHandler;
  readonly page?: LoginOptions["page"];
  /** The calls to the app: whether each had a code; `next` for the guard that follows. */
  readonly calls: readonly ("first" | "final" | "next")[];
  readonly end: Pick<GuardResult, "outcome" | "reason">;
}

const granted = { outcome: "granted", reason: null } as const;
const denied = { outcome: "denied", reason: "The app's reason." } as const;
const pageTypes = ["redirect", "frame"] as const;
const withPage = pageTypes.flatMap((type): Way[] => {
  const [ask, code, error] = type === "redirect" ? [3, 5, 6] : [7, 8, 9];
  const asked = { type, page: { code: "c0de" } } as const;
  return [
    { ...asked, rows: [ask, code, 10], answer: answers(false, true), calls: ["first", "final", "next"], end: granted },
    { ...asked, rows: [ask, code, 11], answer: answers(false, false), calls: ["first", "final"], end: denied },
    {
      type,
      page: { error: "The page's reason." },
      rows: [ask, error],
      answer: answers(false, true),
      calls: ["first"],
      end: { outcome: "denied", reason: "The page's reason." },
    },
  ];
});
const ways: readonly Way[] = [
  { rows: [1], type: "direct", answer: answers(true), calls: ["first", "next"], end: granted },
  { rows: [2], type: "direct", answer: answers(false), calls: ["first"], end: denied },
  { rows: [4], type: "redirect", answer: answers(true), calls: ["first", "next"], end: granted },
  ...withPage,
];

describe("3.1 a login follows the rows", () => {
  it.each(ways)("$rows: $type, $end.outcome", async ({ rows, type, answer, page, calls, end }) => {
    await using run = await startSimulation({ serves: serves(type), answer });
    const result = await run.sim.guard(page === undefined ? {} : { page });
    expect(result).toMatchObject({ ...end, deniedBy: end.outcome === "denied" ? "first" : null });
    expect(guardStages(result)[0]?.rows).toEqual(rows);
    const made = run.app.calls.map((call) => {
      const { moduleKey, code } = call.json() as { moduleKey: string; code?: string };
      return moduleKey === "next" ? "next" : code === undefined ? "first" : "final";
    });
    // 4.2: at most two calls per login and module, the first without a code.
    expect(made).toEqual(calls);
  });

  it("all of them, in these logins", () => {
    const taken = new Set(ways.flatMap(({ rows }) => rows));
    expect([...taken].sort((a, b) => a - b)).toEqual(loginTable.map(({ row }) => row));
  });
});

describe("3.1 awaiting user interaction", () => {
  it.each(pageTypes)("of %s: no guard is called and nothing is granted until the user is back", async (type) => {
    await using run = await startSimulation({ serves: serves(type), answer: answers(false, true) });
    const login = await begin(run.sim, { page: "wait" });
    const url = new URL(await (await awaitPage(login)).pageUrl());
    expect([...url.searchParams.keys()]).toEqual(type === "redirect" ? ["jwtToken", "state"] : ["jwtToken"]);
    expect(login.view().result).toBeNull();
    expect(run.app.calls).toHaveLength(1);
  });
});

describe("3.1 the order of a login", () => {
  it("password, MFA, device trust, the guards in sequence, remember-me, granted", async () => {
    await using run = await startSimulation({ serves: serves("redirect"), answer: answers(false, true) });
    const result = await run.sim.guard({
      mfa: true,
      deviceTrust: true,
      rememberMe: true,
      page: { code: "c0de" },
    });
    expect(result.outcome).toBe("granted");
    expect(result.stages.map(({ stage, module, result: end }) => [module ?? stage, end])).toEqual(
      ["password", "mfa", "device-trust", "first", "next", "remember-me"].map((stage) => [stage, "passed"]),
    );
  });
});
