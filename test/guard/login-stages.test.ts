import { describe, expect, it } from "vitest";
import type { PlainStage } from "../../src/guard/rules/login.ts";
import type { StageInput } from "../../src/guard/rules/stages.ts";
import type { GuardResult, LoginSession, LoginView } from "../../src/index.ts";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { awaitPage, begin, comeBack, until } from "../rig/logins.ts";
import { always, startSimulation } from "../rig/simulation.ts";

const serves = manifestOf({ guards: [guardEntry("office")] });
const passes = always({ success: true });
const everything = { mfa: true, deviceTrust: true, rememberMe: true };
const password = "app-sim-password";

/** The stage that the login is at, with its status. */
function standing({ stages, current }: LoginView): string {
  const stage = current === null ? undefined : stages[current];
  return stage === undefined ? "ended" : `${stage.module ?? stage.stage} ${stage.status}`;
}

const rightInputs = (login: LoginSession): Record<PlainStage, StageInput> => ({
  password: { stage: "password", password },
  mfa: { stage: "mfa", code: login.authenticator().code },
  "device-trust": { stage: "device-trust", trusted: true },
  "remember-me": { stage: "remember-me", remember: true },
});

describe("a login that a person walks", () => {
  const guards = [
    guardEntry("office"),
    guardEntry("terms", { type: "redirect", url: "/terms-page" }),
    guardEntry("presence", { type: "frame", url: "/presence-page" }),
  ];

  it("goes through every stage in order, and shows each one", async () => {
    await using run = await startSimulation({ serves: manifestOf({ guards }) });
    const login = await begin(run.sim, { ...everything, manual: true, page: "wait" });
    const seen: string[] = [];
    const look = (view: LoginView) => seen.push(standing(view));
    login.subscribe(() => {
      if (seen.at(-1) !== standing(login.view())) look(login.view());
    });
    look(login.view());
    for (const stage of ["password", "mfa", "device-trust"] as const) login.enter(rightInputs(login)[stage]);
    (await run.app.nextCall()).reply({ success: true });
    for (const module of ["terms", "presence"]) {
      (await run.app.nextCall()).reply({ success: false });
      await awaitPage(login, module);
      expect(comeBack(run.sim, login, { code: `${module} code` })).toBe(true);
      const final = await run.app.nextCall();
      expect(final.json()).toMatchObject({ moduleKey: module, code: `${module} code` });
      final.reply({ success: true });
    }
    await until(login, (view) => standing(view) === "remember-me needs-user");
    login.enter({ stage: "remember-me", remember: false });
    expect((await login.result).outcome).toBe("granted");
    expect(seen).toEqual([
      "password needs-user",
      "mfa needs-user",
      "device-trust needs-user",
      "office running",
      "terms running",
      "terms needs-user",
      "terms running",
      "presence running",
      "presence needs-user",
      "presence running",
      "remember-me needs-user",
      "ended",
    ]);
    expect(login.view().stages.map(({ status }) => status)).toEqual(Array(7).fill("passed"));
    expect((await login.result).stages.at(-1)).toMatchObject({ stage: "remember-me", reason: "not remembered" });
  });

  it("shows from the start which stages will come, and which are skipped and why", async () => {
    await using run = await startSimulation({ serves: manifestOf({ guards }), answer: passes });
    const login = await begin(run.sim, { user: "owner", deviceTrust: true, manual: true });
    const view = login.view();
    expect(view).toMatchObject({ domain: "acme", user: { id: 101, role: "owner", login: "olena.owner" }, current: 0 });
    expect(view.stages.map(({ stage, status }) => [stage, status])).toEqual([
      ["password", "needs-user"],
      ["mfa", "skipped"],
      ["device-trust", "waiting"],
      ["guard", "skipped"],
      ["guard", "skipped"],
      ["guard", "skipped"],
      ["remember-me", "skipped"],
    ]);
    expect(view.stages[3]).toMatchObject({
      module: "office",
      name: "Guard office",
      type: "direct",
      reason: "the organization owner is exempt",
    });
  });

  it("shows the current call and its limit, if there is one", async () => {
    await using run = await startSimulation({
      serves: manifestOf({ guards: [guardEntry("page", { type: "frame", url: "/page" })] }),
      choices: { "guard.timeout.final": 2_000 },
    });
    const login = await begin(run.sim, { page: "wait" });
    const first = await run.app.nextCall();
    expect(login.view()).toMatchObject({ call: { limitMs: 10_000 }, interaction: null });
    first.reply({ success: false });
    await awaitPage(login);
    expect(login.view().call).toBeNull();
    comeBack(run.sim, login, { code: "c" });
    const final = await run.app.nextCall();
    expect(login.view()).toMatchObject({ call: { limitMs: 2_000 }, interaction: null });
    final.reply({ success: true });
    await login.result;
    expect(login.view().call).toBeNull();
  });
});

describe("the view of a login", () => {
  it("is the same object until something changes, and never changes itself", async () => {
    await using run = await startSimulation({ serves });
    const login = await begin(run.sim, { manual: true });
    const atPassword = login.view();
    const copy = structuredClone(atPassword);
    expect(login.view()).toBe(atPassword);
    login.enter({ stage: "mfa", code: "000000" });
    expect(login.view()).toBe(atPassword);
    login.enter({ stage: "password", password });
    const calling = login.view();
    expect(calling).not.toBe(atPassword);
    const copyOfCalling = structuredClone(calling);
    (await run.app.nextCall()).reply({ success: true }, { headers: { "content-type": "text/plain" } });
    await login.result;
    expect(atPassword).toEqual(copy);
    expect(calling).toEqual(copyOfCalling);
    expect(login.view()).toBe(login.view());
    expect(login.view().stages[3]).toMatchObject({ exchanges: [expect.any(String)], warnings: [expect.any(String)] });
  });

  it("has no secret: no password, code, token or state", async () => {
    await using run = await startSimulation({
      serves: manifestOf({ guards: [guardEntry("page", { type: "redirect", url: "/page" })] }),
      answer: always({ success: false }),
    });
    const login = await begin(run.sim, { mfa: true, page: "wait" });
    const { state, pageUrl } = await awaitPage(login);
    const token = new URL(await pageUrl()).searchParams.get("jwtToken") ?? "";
    const text = JSON.stringify(login.view());
    expect(token).toMatch(/^eyJ/);
    for (const secret of [
      state,
      token,
      password,
      login.authenticator().code,
      "app-sim-client-secret-long-enough-for-HS256",
    ])
      expect(text).not.toContain(secret);
    expect(login.view().interaction?.page).toBe(`${run.app.url}/page`);
  });

  it("is sent to every subscriber until it unsubscribes", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const login = await begin(run.sim, { manual: true, mfa: true });
    const told: string[] = [];
    const stop = login.subscribe(() => told.push("first"));
    login.subscribe(() => told.push("second"));
    login.enter({ stage: "password", password: "wrong" });
    expect(told).toEqual(["first", "second"]);
    stop();
    login.enter({ stage: "password", password });
    expect(told).toEqual(["first", "second", "second"]);
  });
});

it("R36: a subscriber that throws causes a warning, and the login continues", async () => {
  await using run = await startSimulation({ serves, answer: passes });
  const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
  const login = await begin(run.sim, { manual: true, rememberMe: true });
  const told: string[] = [];
  login.subscribe(() => {
    throw new Error("this view is broken");
  });
  login.subscribe(() => told.push(standing(login.view())));
  login.enter({ stage: "password", password });
  await until(login, (view) => standing(view) === "remember-me needs-user");
  login.enter({ stage: "remember-me", remember: true });
  expect((await login.result).outcome).toBe("granted");
  expect(told).toEqual(["office running", "remember-me needs-user", "ended"]);
  expect((await warned).message).toBe("this view is broken");
});

describe("a stage that fails on purpose", () => {
  it("is asked again until it is right, and the result counts the tries", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const fail = { password: 2, mfa: 1, "device-trust": 2 };
    const result = await run.sim.guard({ ...everything, fail });
    expect(result.outcome).toBe("granted");
    expect(result.stages.map(({ stage, result: end, attempts }) => [stage, end, attempts])).toEqual([
      ["password", "passed", 3],
      ["mfa", "passed", 2],
      ["device-trust", "passed", 3],
      ["guard", "passed", undefined],
      ["remember-me", "passed", undefined],
    ]);
    expect(result.choices).toContain("login.attempts");
  });

  it.each([
    ["password", "wrong password", 0],
    ["mfa", "wrong code", 1],
    ["device-trust", "the device is not trusted", 2],
  ] as const)("denies when its tries are used up, and no guard is called: %s", async (stage, reason, passed) => {
    await using run = await startSimulation({ serves, answer: passes });
    const result = await run.sim.guard({ ...everything, fail: { [stage]: 3 } });
    expect(result).toMatchObject({ outcome: "denied", deniedBy: null, reason, hint: null, failure: null });
    expect(result.stages.slice(passed)).toEqual([{ stage, result: "denied", reason, attempts: 3, exchanges: [] }]);
    expect(run.app.calls).toEqual([]);
  });

  it("is declined if it is remember-me, which comes after the guards and grants access", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const result = await run.sim.guard({ rememberMe: true, fail: { "remember-me": 1 } });
    expect(result.outcome).toBe("granted");
    expect(result.stages.at(-1)).toMatchObject({ stage: "remember-me", result: "passed", reason: "not remembered" });
    expect(run.app.calls).toHaveLength(1);
  });

  it("is asked if it should fail, but not if it is switched off", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const fail = { mfa: 3, "device-trust": 3 };
    expect(await run.sim.guard({ fail })).toMatchObject({ outcome: "denied", reason: "wrong code" });
    const result = await run.sim.guard({ mfa: false, deviceTrust: false, fail });
    expect(result.outcome).toBe("granted");
    expect(result.choices).not.toContain("login.attempts");
  });

  it.each([1, 2, 5])("has the number of tries of the choice login.attempts: %i", async (attempts) => {
    await using run = await startSimulation({ serves, answer: passes, choices: { "login.attempts": attempts } });
    const [last, short] = [
      await run.sim.guard({ fail: { password: attempts } }),
      await run.sim.guard(attempts === 1 ? {} : { fail: { password: attempts - 1 } }),
    ];
    expect([last.outcome, short.outcome]).toEqual(["denied", "granted"]);
    expect(last.choices).toContain("login.attempts");
    expect(short.choices.includes("login.attempts")).toBe(attempts > 1);
  });
});

describe("a stage that a person fails", () => {
  it("shows why each try failed, and accepts the next", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const login = await begin(run.sim, { manual: true, mfa: true });
    login.enter({ stage: "password", password: "" });
    expect(login.view().stages[0]).toMatchObject({ status: "needs-user", failures: ["wrong password"] });
    login.enter({ stage: "password", password: "guess" });
    expect(login.view().stages[0]?.failures).toEqual(["wrong password", "wrong password"]);
    login.enter({ stage: "password", password });
    expect(login.view().stages[1]).toMatchObject({ stage: "mfa", status: "needs-user", failures: [] });
    login.enter({ stage: "mfa", code: "no code" });
    expect(login.view().stages[1]?.failures).toEqual(["wrong code"]);
    login.enter({ stage: "mfa", code: login.authenticator().code });
    expect((await login.result).outcome).toBe("granted");
  });

  it("R36: accepts any input, and at worst denies", async () => {
    await using run = await startSimulation({ serves, answer: passes, choices: { "login.attempts": 100 } });
    const login = await begin(run.sim, { manual: true, mfa: true });
    login.enter({ stage: "password", password });
    const typed = ["é23456", "💥💥💥", "٠١٢٣٤٥", "123456\u0000", "\ud800".repeat(6), "x".repeat(100_000)];
    for (const code of typed) login.enter({ stage: "mfa", code });
    expect(login.view().stages[1]?.failures).toHaveLength(typed.length);
    login.enter({ stage: "mfa", code: login.authenticator().code });
    expect((await login.result).outcome).toBe("granted");
  });

  it("accepts input only for the current stage", async () => {
    await using run = await startSimulation({ serves });
    const login = await begin(run.sim, { ...everything, manual: true });
    const order = ["password", "mfa", "device-trust"] as const;
    for (const stage of order) {
      const before = login.view();
      const { [stage]: own, ...others } = rightInputs(login);
      for (const input of Object.values(others)) login.enter(input);
      expect(login.view()).toBe(before);
      login.enter(own);
      expect(login.view()).not.toBe(before);
    }
    const call = await run.app.nextCall();
    const calling = login.view();
    for (const input of Object.values(rightInputs(login))) login.enter(input);
    expect(login.view()).toBe(calling);
    call.reply({ success: false });
    const ended = await login.result;
    for (const input of Object.values(rightInputs(login))) login.enter(input);
    expect(login.view().result).toBe(ended);
    expect(ended).toMatchObject({ outcome: "denied", deniedBy: "office" });
  });
});

describe("the stages of a login", () => {
  const enabled = ({ stages }: GuardResult) =>
    stages.filter(({ result }) => result === "passed").map(({ stage }) => stage);

  it("are configured, and an option of one login overrides the configuration", async () => {
    const login = { mfa: true, rememberMe: true };
    await using run = await startSimulation({ serves, answer: passes, login });
    expect(enabled(await run.sim.guard())).toEqual(["password", "mfa", "guard", "remember-me"]);
    expect(enabled(await run.sim.guard({ mfa: false, deviceTrust: true }))).toEqual([
      "password",
      "device-trust",
      "guard",
      "remember-me",
    ]);
  });

  it("each user has a separate password and authenticator", async () => {
    const users = [
      { id: 1, role: "member" as const, login: "m", password: "open sesame", totpSecret: "GEZDGNBVGY3TQOJQ" },
      { id: 2, role: "manager" as const, login: "n" },
    ];
    await using run = await startSimulation({ serves, answer: passes, users });
    const [member, manager] = await Promise.all(
      (["member", "manager"] as const).map((user) => begin(run.sim, { user, manual: true, mfa: true })),
    );
    if (member === undefined || manager === undefined) throw new Error("two logins");
    expect(member.authenticator().code).not.toBe(manager.authenticator().code);
    member.enter({ stage: "password", password });
    expect(member.view().stages[0]?.failures).toEqual(["wrong password"]);
    member.enter({ stage: "password", password: "open sesame" });
    member.enter({ stage: "mfa", code: manager.authenticator().code });
    expect(member.view().stages[1]?.failures).toEqual(["wrong code"]);
    member.enter({ stage: "mfa", code: member.authenticator().code });
    expect((await member.result).outcome).toBe("granted");
  });

  it("a login without a person does everything right by itself", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    expect(enabled(await run.sim.guard(everything))).toEqual([
      "password",
      "mfa",
      "device-trust",
      "guard",
      "remember-me",
    ]);
  });
});
