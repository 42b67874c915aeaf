import { describe, expect, it } from "vitest";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { type AppGateway, systemClock } from "../../src/app-client/ports.ts";
import type { PlainStage } from "../../src/guard/rules/login.ts";
import type { LoginOptions, LoginSession } from "../../src/index.ts";
import type { Simulator } from "../../src/simulator.ts";
import { type SteeredClock, steeredClock } from "../rig/clock.ts";
import { type FakeApp, guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { awaitPage, begin, callbackQuery, comeBack, refusalOf, until } from "../rig/logins.ts";
import { always, assemble, guardStages, hurriedGateway, startSimulation } from "../rig/simulation.ts";

const pages = manifestOf({
  guards: [
    guardEntry("redirect", { type: "redirect", url: "/page" }),
    guardEntry("frame", { type: "frame", url: "/page" }),
  ],
});
const refuses = always({ success: false });
const everything = { mfa: true, deviceTrust: true, rememberMe: true };
const minutes = (count: number) => count * 60_000;

function loginRecords(sim: Pick<Simulator, "journal">) {
  return sim.journal.list().filter((record) => record.type === "login");
}

/** Does the stages that are not guards, up to the wanted one. */
function enterUpTo(login: LoginSession, wanted: PlainStage): void {
  const inputs = [
    { stage: "password", password: "app-sim-password" },
    { stage: "mfa", code: login.authenticator().code },
    { stage: "device-trust", trusted: true },
  ] as const;
  for (const input of inputs) {
    if (input.stage === wanted) return;
    login.enter(input);
  }
}

interface Run extends AsyncDisposable {
  readonly app: FakeApp;
  readonly sim: Simulator;
  readonly clock: SteeredClock;
}

async function steered(choices: Record<string, unknown> = {}, login = {}): Promise<Run> {
  const app = await startFakeApp({ manifest: pages });
  app.answer(refuses);
  const clock = steeredClock();
  const sim = await assemble({ app: { url: app.url }, choices, login }, { clock });
  return { app, sim, clock, [Symbol.asyncDispose]: app.close };
}

describe("a user who does not return", () => {
  it.each(["redirect", "frame"])("to the page of a %s guard ends the login when its state expires", async (module) => {
    await using run = await steered();
    const login = await begin(run.sim, { modules: [module], page: "wait" });
    const { state, expiresAt } = await awaitPage(login);
    expect(expiresAt).toBe(run.clock.now() + minutes(10));
    expect(login.view().interaction).toMatchObject({ module, expiresAt });
    run.clock.advance(minutes(10) - 1);
    expect(login.view().result).toBeNull();
    run.clock.advance(1);
    const result = await login.result;
    expect(result).toMatchObject({
      outcome: "needs-user",
      deniedBy: null,
      failure: null,
      reason: "the user did not come back within 600 s",
      hint: expect.stringContaining("--interaction-timeout"),
    });
    expect(guardStages(result)).toMatchObject([{ module, result: "needs-user" }]);
    expect(result.choices).toContain("guard.state.lifetime");
    expect(login.interaction()).toBeNull();
    expect(login.view()).toMatchObject({ current: null, interaction: null, call: null, result });
    expect(login.view().stages[3]).toMatchObject({ status: "needs-user", reason: result.reason });

    const late = run.sim.logins.callback("acme", callbackQuery({ state, code: "c" }));
    expect(refusalOf(late)).toEqual(
      module === "redirect" ? { status: 410, reason: "state-expired" } : { status: 400, reason: "state-unknown" },
    );
    expect(run.sim.logins.frameReturned(login, state, { code: "c" })).toBe(false);
    expect(run.app.calls).toHaveLength(1);
    expect(loginRecords(run.sim)).toHaveLength(1);
  });

  it.each(["password", "mfa", "device-trust"] as const)("to the stage %s ends the login, too", async (stage) => {
    await using run = await steered();
    const login = await begin(run.sim, { ...everything, manual: true });
    enterUpTo(login, stage);
    run.clock.advance(minutes(10) - 1);
    expect(login.view().result).toBeNull();
    run.clock.advance(1);
    const result = await login.result;
    expect(result).toMatchObject({ outcome: "needs-user", reason: "the user did not come back within 600 s" });
    expect(result.stages.at(-1)).toMatchObject({ stage, result: "needs-user" });
    expect(result.choices).toContain("guard.state.lifetime");
    expect(run.app.calls).toEqual([]);
  });

  it.each<[string, number, Record<string, unknown>, object, LoginOptions]>([
    ["the choice guard.state.lifetime", 30, { "guard.state.lifetime": 30 }, {}, {}],
    ["the configuration", 20, {}, { interactionTimeout: 20 }, {}],
    ["the option of the login", 1.5, {}, { interactionTimeout: 20 }, { interactionTimeout: 1.5 }],
    ["the lifetime, where more is asked for", 30, { "guard.state.lifetime": 30 }, {}, { interactionTimeout: 60 }],
  ])("has the time that %s gives: %d s", async (_, seconds, choices, login, options) => {
    await using run = await steered(choices, login);
    const waiting = await begin(run.sim, { ...options, page: "wait" });
    await awaitPage(waiting);
    run.clock.advance(seconds * 1000 - 1);
    expect(waiting.view().result).toBeNull();
    run.clock.advance(1);
    expect((await waiting.result).reason).toBe(`the user did not come back within ${seconds} s`);
  });

  it("has the full time again at every stage, try and page", async () => {
    await using run = await steered();
    run.app.answer((call) => call.reply({ success: call.body.includes("c0de") }));
    const login = await begin(run.sim, { mfa: true, manual: true, page: "wait" });
    const almost = async () => {
      run.clock.advance(minutes(10) - 1);
      // What waits for an earlier time is over now, and would act.
      await new Promise((resolve) => setImmediate(resolve));
    };
    await almost();
    login.enter({ stage: "password", password: "wrong" });
    await almost();
    login.enter({ stage: "password", password: "app-sim-password" });
    await almost();
    login.enter({ stage: "mfa", code: login.authenticator().code });
    for (const module of ["redirect", "frame"]) {
      await awaitPage(login, module);
      await almost();
      expect(comeBack(run.sim, login, { code: "c0de" })).toBe(true);
    }
    expect((await login.result).outcome).toBe("granted");
  });

  it("does not shorten a call: only its own time limit counts", async () => {
    await using app = await startFakeApp({ manifest: pages });
    const clock = steeredClock();
    const sim = await assemble({ app: { url: app.url } }, { clock });
    const login = await begin(sim, { modules: ["frame"], page: "wait" });
    const call = await app.nextCall();
    clock.advance(minutes(60));
    expect(login.view().result).toBeNull();
    call.reply({ success: true });
    expect((await login.result).outcome).toBe("granted");
  });
});

describe("a user who leaves", () => {
  const away = { reason: "the window was closed", hint: "open it again", failure: null };

  it.each(["password", "mfa", "device-trust"] as const)("from the stage %s", async (stage) => {
    await using run = await startSimulation({ serves: pages });
    const login = await begin(run.sim, { ...everything, manual: true });
    enterUpTo(login, stage);
    login.leave(away);
    const result = await login.result;
    expect(result).toMatchObject({ ...away, outcome: "needs-user", deniedBy: null });
    expect(result.stages.at(-1)).toEqual({ stage, result: "needs-user", reason: away.reason, exchanges: [] });
    expect(login.view().stages.find((view) => view.stage === stage)).toMatchObject({
      status: "needs-user",
      reason: away.reason,
    });
    expect(run.app.calls).toEqual([]);
  });

  it.each(["redirect", "frame"])("from the page of a %s guard, for good", async (module) => {
    await using run = await startSimulation({ serves: pages, answer: refuses });
    const login = await begin(run.sim, { modules: [module], page: "wait" });
    const interaction = await awaitPage(login);
    login.leave(away);
    login.leave({ ...away, reason: "again" });
    expect(interaction.signal.aborted).toBe(true);
    interaction.comeBack({ code: "c" });
    login.enter({ stage: "password", password: "app-sim-password" });
    const result = await login.result;
    expect(result).toMatchObject({ ...away, outcome: "needs-user" });
    expect(login.view().result).toBe(result);
    expect(loginRecords(run.sim)).toMatchObject([{ outcome: "needs-user", reason: away.reason }]);
    expect(run.app.calls).toHaveLength(1);
  });

  it("cannot leave while the app is being called", async () => {
    await using run = await startSimulation({ serves: pages });
    const login = await begin(run.sim, { page: "wait" });
    const call = await run.app.nextCall();
    login.leave(away);
    expect(login.view().result).toBeNull();
    call.reply({ success: true });
    (await run.app.nextCall()).reply({ success: true });
    expect((await login.result).outcome).toBe("granted");
  });
});

describe("a login that is interrupted", () => {
  interface Interrupted {
    readonly where: string;
    readonly options?: LoginOptions;
    /** Brings the login to where it is interrupted. */
    readonly reach: (login: LoginSession, run: { app: FakeApp; sim: Simulator }) => Promise<unknown>;
    readonly outcome: "failed" | "needs-user";
    readonly calls: number;
  }

  const manual: LoginOptions = { ...everything, manual: true, page: "wait" };
  const atStage = (stage: PlainStage): Interrupted => ({
    where: `at the stage ${stage}`,
    options: manual,
    reach: async (login) => enterUpTo(login, stage),
    outcome: "needs-user",
    calls: 0,
  });
  const refuse = async ({ app }: { app: FakeApp }) => (await app.nextCall()).reply({ success: false });
  const atPage = (module: string): Interrupted => ({
    where: `at the page of a ${module} guard`,
    options: { modules: [module], page: "wait" },
    reach: async (login, run) => {
      await refuse(run);
      await awaitPage(login);
    },
    outcome: "needs-user",
    calls: 1,
  });
  const atFinal = (module: string): Interrupted => ({
    ...atPage(module),
    where: `at the final call of a ${module} guard`,
    reach: async (login, run) => {
      await refuse(run);
      await awaitPage(login);
      comeBack(run.sim, login, { code: "c" });
      await run.app.nextCall();
    },
    outcome: "failed",
    calls: 2,
  });
  const cases: readonly Interrupted[] = [
    atStage("password"),
    atStage("mfa"),
    atStage("device-trust"),
    {
      where: "at the first call of a guard",
      reach: (_, { app }) => app.nextCall(),
      outcome: "failed",
      calls: 1,
    },
    atPage("redirect"),
    atPage("frame"),
    atFinal("redirect"),
    atFinal("frame"),
    {
      where: "at the stage remember-me",
      options: { rememberMe: true, manual: true, modules: ["redirect"] },
      reach: async (login, { app }) => {
        login.enter({ stage: "password", password: "app-sim-password" });
        (await app.nextCall()).reply({ success: true });
        await until(login, ({ stages }) => stages.at(-1)?.status === "needs-user");
      },
      outcome: "needs-user",
      calls: 1,
    },
  ];

  it.each(cases)("$where ends immediately, as interrupted: $outcome", async ({ options, reach, outcome, calls }) => {
    await using app = await startFakeApp({ manifest: pages });
    const stop = new AbortController();
    const sim = await assemble({ app: { url: app.url } }, { signal: stop.signal });
    const login = await begin(sim, options);
    await reach(login, { app, sim });
    stop.abort();
    const result = await login.result;
    expect(result).toMatchObject({ outcome, failure: "interrupted", reason: "interrupted" });
    expect(login.view()).toMatchObject({ result, current: null, interaction: null, call: null });
    expect(loginRecords(sim)).toHaveLength(1);
    expect(app.calls).toHaveLength(calls);
  });

  it.each(cases)("$where ends when the simulator is closed", async ({ options, reach, outcome }) => {
    await using run = await startSimulation({ serves: pages });
    const login = await begin(run.sim, options);
    await reach(login, run);
    await run.sim.close();
    expect(login.view().result).toMatchObject({ outcome, failure: "interrupted" });
    expect(loginRecords(run.sim)).toHaveLength(1);
  });

  it.each([
    ["for its user's page", false, {}],
    ["for a stage", true, { rememberMe: true, manual: true, modules: ["frame"] }],
  ] as const)("after an answer that had already arrived does not wait %s", async (_, success, options) => {
    await using app = await startFakeApp({ manifest: pages });
    app.answer(always({ success }));
    const stop = new AbortController();
    const real = createAppGateway(systemClock);
    // As when the answer is being unpacked while the signal comes.
    const gateway: AppGateway = {
      async call(call) {
        const answer = await real.call(call);
        if (call.method === "POST") stop.abort();
        return answer;
      },
    };
    const sim = await assemble({ app: { url: app.url } }, { gateway, signal: stop.signal });
    const login = await begin(sim, { page: "wait", ...options });
    login.enter({ stage: "password", password: "app-sim-password" });
    expect(await login.result).toMatchObject({ outcome: "needs-user", failure: "interrupted" });
  });

  it("before it began calls no guard", async () => {
    await using app = await startFakeApp();
    app.answer(refuses);
    const manifest = new URL("../../fixtures/manifests/access-control.json", import.meta.url);
    const config = { app: { url: app.url, manifest: manifest.pathname } };
    const sim = await assemble(config, { signal: AbortSignal.abort() });
    expect(await sim.guard()).toMatchObject({ outcome: "failed", failure: "interrupted" });
    expect(await sim.guard({ manual: true })).toMatchObject({ outcome: "needs-user", failure: "interrupted" });
    expect(app.calls).toEqual([]);
  });

  it("releases the signal when it has ended by itself", async () => {
    await using app = await startFakeApp({ manifest: pages });
    app.answer(always({ success: true }));
    const stop = new AbortController();
    const sim = await assemble({ app: { url: app.url } }, { signal: stop.signal });
    const result = await sim.guard();
    stop.abort();
    expect(result.outcome).toBe("granted");
    expect(loginRecords(sim)).toHaveLength(1);
  });
});

describe("an answer that arrives too late", () => {
  it("to the first call changes nothing: the login is denied, and no user is sent anywhere", async () => {
    await using app = await startFakeApp({ manifest: pages });
    const sim = await assemble({ app: { url: app.url } }, { gateway: hurriedGateway(50) });
    const login = await begin(sim, { page: "wait" });
    const call = await app.nextCall();
    const result = await login.result;
    await call.closed;
    call.reply({ success: true });
    expect(result).toMatchObject({ outcome: "failed", deniedBy: null, failure: "timed-out" });
    expect(login.view()).toMatchObject({ result, interaction: null });
    expect(app.calls).toHaveLength(1);
  });

  it("to the final call denies, and neither the same nor another code is sent again", async () => {
    await using app = await startFakeApp({ manifest: pages });
    const sim = await assemble({ app: { url: app.url } }, { gateway: hurriedGateway(200) });
    const login = await begin(sim, { page: "wait" });
    (await app.nextCall()).reply({ success: false });
    const { state } = await awaitPage(login);
    comeBack(sim, login, { code: "c0de" });
    const final = await app.nextCall();
    const result = await login.result;
    await final.closed;
    final.reply({ success: true });
    for (const code of ["c0de", "other"]) {
      const again = sim.logins.callback("acme", callbackQuery({ state, code }));
      expect(refusalOf(again)).toEqual({ status: 409, reason: "state-used" });
    }
    expect(result).toMatchObject({ outcome: "failed", deniedBy: null, failure: "timed-out" });
    expect(login.view().result).toBe(result);
    expect(app.calls).toHaveLength(2);
  });
});
