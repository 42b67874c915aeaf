import jwt from "jsonwebtoken";
import { describe, expect, it } from "vitest";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { systemClock } from "../../src/app-client/ports.ts";
import type { LoginOptions } from "../../src/index.ts";
import { createPlatformClock, type PlatformClock, type TurnableClock } from "../../src/platform/platform-clock.ts";
import type { Simulator } from "../../src/simulator.ts";
import { type SteeredClock, steeredClock } from "../rig/clock.ts";
import { type CallHandler, type FakeApp, guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { awaitPage, begin, callbackQuery, comeBack, refusalOf } from "../rig/logins.ts";
import { startServer } from "../rig/server.ts";
import { always, assemble, bearerOf, exchangesOf, guardStages, hurriedGateway } from "../rig/simulation.ts";

// R28, R35: what expires goes by the platform's clock, which can be turned; what waits for somebody goes by real time.

const pages = manifestOf({
  guards: [
    guardEntry("direct"),
    guardEntry("redirect", { type: "redirect", url: "/page" }),
    guardEntry("frame", { type: "frame", url: "/page" }),
  ],
});
const types = ["redirect", "frame"] as const;
const refuses = always({ success: false });
const wantsCode: CallHandler = (call) => call.reply({ success: call.body.includes('"code"') });
const YEARS = "3653d";
const minutes = (count: number) => count * 60_000;

interface Run extends AsyncDisposable {
  readonly app: FakeApp;
  readonly sim: Simulator;
  /** Real time, which the test moves. */
  readonly real: SteeredClock;
  readonly clock: PlatformClock;
}

/** A simulator whose real time stands still, too, until the test moves it. */
async function steered(answer: CallHandler, choices: Record<string, unknown> = {}): Promise<Run> {
  const app = await startFakeApp({ manifest: pages });
  app.answer(answer);
  const real = steeredClock();
  const clock = createPlatformClock(real);
  const sim = await assemble({ app: { url: app.url }, choices }, { clock });
  return { app, sim, real, clock: clock.face, [Symbol.asyncDispose]: app.close };
}

/** Whatever was about to happen by itself has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function atPage({ sim }: Pick<Run, "sim">, module: string, options: LoginOptions = {}) {
  const login = await begin(sim, { modules: [module], page: "wait", ...options });
  return { login, state: (await awaitPage(login)).state };
}

function claimsOf(token: string, clock: PlatformClock): jwt.JwtPayload {
  const options = { algorithms: ["HS256" as const], clockTimestamp: clock.now().getTime() / 1000 };
  return jwt.verify(token, "app-sim-client-secret-long-enough-for-HS256", options) as jwt.JwtPayload;
}

describe("R28: turning the platform's clock does not change the deadline of a real request", () => {
  type Turn = (clock: PlatformClock) => void;
  const turns: [string, Turn][] = [
    ["goes on by ten years", (clock) => clock.advance(YEARS)],
    ["goes back by years", (clock) => clock.set("1999-12-31")],
    ["stands still", (clock) => clock.freeze()],
  ];

  async function real(): Promise<{ app: FakeApp; clock: TurnableClock; sim: Simulator } & AsyncDisposable> {
    const app = await startFakeApp({ manifest: pages });
    const clock = createPlatformClock(systemClock);
    const sim = await assemble({ app: { url: app.url } }, { clock, gateway: createAppGateway(clock) });
    return { app, clock, sim, [Symbol.asyncDispose]: app.close };
  }

  it.each(turns)("a guard call during which the clock %s is not cut off", async (_, turn) => {
    await using run = await real();
    const login = await begin(run.sim, { modules: ["direct"] });
    const call = await run.app.nextCall();
    turn(run.clock.face);
    await settled();
    expect(login.view().result).toBeNull();
    call.reply({ success: true });
    expect((await login.result).outcome).toBe("granted");
    const [made] = exchangesOf(run.sim, "guard");
    expect(made).toMatchObject({ outcome: { kind: "answered" } });
    const { totalMs = -1 } = made?.timings ?? {};
    expect(totalMs).toBeGreaterThanOrEqual(0);
    expect(totalMs).toBeLessThan(10_000);
  });

  it.each(turns)(
    "a final call during which the clock %s is not cut off: its state was used in time",
    async (_, turn) => {
      await using run = await real();
      const login = await begin(run.sim, { modules: ["redirect"], page: "wait" });
      (await run.app.nextCall()).reply({ success: false });
      await awaitPage(login);
      expect(comeBack(run.sim, login, { code: "c" })).toBe(true);
      const final = await run.app.nextCall();
      turn(run.clock.face);
      await settled();
      final.reply({ success: true });
      expect((await login.result).outcome).toBe("granted");
    },
  );

  it("a guard that does not answer is cut off even if the clock stands still", async () => {
    await using app = await startFakeApp({ manifest: pages });
    const clock = createPlatformClock(systemClock);
    clock.face.freeze("2031-05-06");
    const sim = await assemble({ app: { url: app.url } }, { clock, gateway: hurriedGateway(50) });
    const [result] = await Promise.all([sim.guard({ modules: ["direct"] }), app.nextCall()]);
    expect(result).toMatchObject({ outcome: "failed", deniedBy: null, failure: "timed-out" });
  });
});

describe("R28: the time limit for a person is in real time", () => {
  it.each(types)("and ends at the page of a %s guard even if the clock stands still", async (module) => {
    await using run = await steered(refuses);
    run.clock.freeze("2040-01-01");
    const { login, state } = await atPage(run, module);
    expect(login.view().interaction).toMatchObject({ expiresAt: Date.UTC(2040, 0, 1, 0, 10), limitMs: minutes(10) });
    run.real.advance(minutes(10) - 1);
    await settled();
    expect(login.view().result).toBeNull();
    run.real.advance(1);
    expect(await login.result).toMatchObject({
      outcome: "needs-user",
      reason: "the user did not come back within 600 s",
    });
    expect(run.sim.logins.callback("acme", callbackQuery({ state, code: "c" })).ok).toBe(false);
  });

  it("and ends at a stage without a state, which turning the clock does not end", async () => {
    await using run = await steered(refuses);
    const login = await begin(run.sim, { manual: true });
    run.clock.advance(YEARS);
    await settled();
    expect(login.view().result).toBeNull();
    run.clock.freeze();
    run.real.advance(minutes(10));
    expect(await login.result).toMatchObject({
      outcome: "needs-user",
      reason: "the user did not come back within 600 s",
    });
  });

  it("is not shortened by turning the clock within the state's lifetime", async () => {
    await using run = await steered(wantsCode);
    const { login } = await atPage(run, "redirect", { interactionTimeout: 5 });
    run.clock.advance("9m59s999ms");
    run.real.advance(0);
    await settled();
    expect(login.view().result).toBeNull();
    expect(comeBack(run.sim, login, { code: "c" })).toBe(true);
    expect((await login.result).outcome).toBe("granted");
  });

  it("ends the walk of a page that never answers even if the clock stands still", async () => {
    await using run = await steered((call) => {
      if (call.method === "POST") call.reply({ success: false });
    });
    run.clock.freeze();
    const login = await begin(run.sim, { modules: ["redirect"], page: { fill: {} } });
    await awaitPage(login);
    run.real.advance(30_000);
    expect(await login.result).toMatchObject({
      outcome: "needs-user",
      reason: "the user did not come back within 30 s",
    });
  });
});

describe("R35: a state expires by the platform's clock", () => {
  const expired = {
    outcome: "needs-user",
    deniedBy: null,
    failure: null,
    reason: "the state of the page expired by the platform's clock: it is valid for 600 s",
    hint: expect.stringContaining("guard.state.lifetime"),
  };

  it.each(types)(
    "which ends the wait at the page of a %s guard as soon as the clock passes its expiry",
    async (type) => {
      await using run = await steered(refuses);
      const { login, state } = await atPage(run, type);
      run.clock.advance("9m59s999ms");
      await settled();
      expect(login.view().result).toBeNull();
      run.clock.advance(1);
      const result = await login.result;
      expect(result).toMatchObject(expired);
      expect(guardStages(result)).toMatchObject([{ module: type, result: "needs-user", reason: expired.reason }]);
      expect(result.choices).toContain("guard.state.lifetime");
      expect(login.view()).toMatchObject({ current: null, interaction: null, call: null, result });
      expect(run.sim.logins.frameReturned(login, state, { code: "c" })).toBe(false);
      // The one and only call: no code went to the app.
      expect(run.app.calls).toHaveLength(1);
      expect(run.sim.journal.list().filter((record) => record.type === "login")).toHaveLength(1);
    },
  );

  it.each<[string, (clock: PlatformClock) => void]>([
    ["after as long as the choice says", (clock) => clock.advance("30s")],
    [
      "while the clock is frozen, too",
      (clock) => {
        clock.freeze();
        clock.advance("30s");
      },
    ],
    ["when the clock is set", (clock) => clock.set("2050-01-01")],
  ])("%s", async (_, turn) => {
    await using run = await steered(refuses, { "guard.state.lifetime": 30 });
    const { login } = await atPage(run, "redirect");
    turn(run.clock);
    expect((await login.result).reason).toMatch(/ valid for 30 s$/);
  });

  it("and a late callback is refused with 410, also over HTTP", async () => {
    await using run = await steered(refuses);
    const server = await startServer(run.sim);
    try {
      const { login, state } = await atPage(run, "redirect");
      const callback = () => fetch(`${server.url}/acme/guard/callback?state=${state}&code=c`, { redirect: "manual" });
      run.clock.advance("11m");
      const late = await callback();
      expect([late.status, (await late.text()).includes("has expired")]).toEqual([410, true]);
      expect(await login.result).toMatchObject(expired);
      expect((await callback()).status).toBe(410);
      expect(run.app.calls).toHaveLength(1);
    } finally {
      await server.close();
    }
  });

  it.each(types)("and a return from a %s page in the same moment is too late", async (type) => {
    await using run = await steered(refuses);
    const { login, state } = await atPage(run, type);
    run.clock.advance("10m");
    // Before the login itself could come to see it.
    if (type === "frame") expect(run.sim.logins.frameReturned(login, state, { code: "c" })).toBe(false);
    else {
      const late = run.sim.logins.callback("acme", callbackQuery({ state, code: "c" }));
      expect(refusalOf(late)).toEqual({ status: 410, reason: "state-expired" });
    }
    expect(login.view().result).toMatchObject(expired);
    expect(run.app.calls).toHaveLength(1);
  });

  it("and is valid for longer if the clock stands still or goes back", async () => {
    await using run = await steered(wantsCode);
    const { login } = await atPage(run, "redirect");
    run.clock.advance("9m");
    run.clock.freeze("2000-01-01");
    run.real.advance(minutes(9));
    run.clock.advance("9m");
    await settled();
    expect(comeBack(run.sim, login, { code: "c" })).toBe(true);
    expect((await login.result).outcome).toBe("granted");
  });

  it("and the state of a finished page ends nothing", async () => {
    await using run = await steered(wantsCode);
    const login = await begin(run.sim, { page: "wait", modules: ["redirect", "frame"] });
    await awaitPage(login, "redirect");
    run.clock.advance("9m");
    comeBack(run.sim, login, { code: "c" });
    await awaitPage(login, "frame");
    run.clock.advance("9m");
    await settled();
    expect(login.view().result).toBeNull();
    comeBack(run.sim, login, { code: "c" });
    expect((await login.result).outcome).toBe("granted");
  });
});

describe("R28: a token is issued at the platform's time", () => {
  it.each<[string, (clock: PlatformClock) => void]>([
    ["advanced", (clock) => clock.advance(YEARS)],
    ["set back", (clock) => clock.set("2001-02-03T04:05:06Z")],
    ["frozen", (clock) => clock.freeze("2040-01-01")],
  ])("which was %s, and expires by it: in the calls to guards and in the addresses of their pages", async (_, turn) => {
    await using run = await steered(refuses);
    turn(run.clock);
    run.clock.freeze();
    const now = Math.floor(run.clock.now().getTime() / 1000);
    const login = await begin(run.sim, { modules: ["frame"], page: "wait" });
    const { pageUrl } = await awaitPage(login);
    const sent = claimsOf(bearerOf(run.app.calls[0] as FakeApp["calls"][number]), run.clock);
    expect(sent).toMatchObject({ module: "frame", iat: now, exp: now + 900 });
    run.clock.advance("5m");
    const shown = new URL(await pageUrl()).searchParams.get("jwtToken") ?? "";
    expect(claimsOf(shown, run.clock)).toMatchObject({ iat: now + 300, exp: now + 1200 });
    run.clock.advance("15m");
    expect(() => claimsOf(shown, run.clock)).toThrow("jwt expired");
  });
});
