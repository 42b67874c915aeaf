import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/app-client/ports.ts";
import { type LoginParts, Walk } from "../../../src/guard/walk/walk-control.ts";
import type { WalkAction, WalkState } from "../../../src/guard/walk/walk-state.ts";
import { type LoginSession, UsageError } from "../../../src/index.ts";
import { manifestOf } from "../../rig/fake-app.ts";
import { type Simulation, type SimulationOptions, startSimulation } from "../../rig/simulation.ts";
import { direct, frame, redirect } from "./walk-guards.ts";

interface Walking extends AsyncDisposable {
  readonly simulation: Simulation;
  readonly walk: Walk;
  /** The addresses that were opened. */
  readonly opened: readonly string[];
  /** The login on the screen. */
  readonly login: () => LoginSession | null;
}

async function startWalking(
  guards: readonly unknown[],
  parts: Partial<LoginParts> = {},
  options: Partial<SimulationOptions> = {},
): Promise<Walking> {
  const simulation = await startSimulation({ serves: manifestOf({ guards }), ...options });
  const { sim } = simulation;
  const opened: string[] = [];
  let login: LoginSession | null = null;
  const walk = new Walk({
    begin: async (again) => {
      const begun = await sim.login({ manual: !again, page: "wait" });
      login = begun.ok ? begun.login : null;
      return begun;
    },
    users: sim.logins.users,
    attempts: 3,
    hide: (value) => value,
    open: (url) => opened.push(url),
    clock: systemClock,
    signal: new AbortController().signal,
    ...parts,
  });
  return {
    simulation,
    walk,
    opened,
    login: () => login,
    [Symbol.asyncDispose]: () => simulation[Symbol.asyncDispose](),
  };
}

/** Resolves with the first state, from the present one on, that is so. */
function until(walk: Walk, isSo: (state: WalkState) => boolean): Promise<WalkState> {
  return new Promise((resolve, reject) => {
    const stop = walk.subscribe(look);
    function look() {
      if (!isSo(walk.state())) return;
      stop();
      resolve(walk.state());
    }
    walk.ended.catch(reject);
    look();
  });
}

const act = (walk: Walk, action: WalkAction) => walk.dispatch({ type: "acted", action, extent: { seen: 1, all: 1 } });
const hasBegun = ({ login }: WalkState) => login !== null;
const isOver = ({ login }: WalkState) => login !== null && login.result !== null;
const isShown = ({ link }: WalkState) => link.url !== null;

async function toPage({ walk, simulation }: Walking): Promise<void> {
  await until(walk, hasBegun);
  act(walk, "do-right");
  (await simulation.app.nextCall()).reply({ success: false });
  await until(walk, isShown);
}

describe("the link", () => {
  test("opens by itself when a guard first waits, not for the next guard, and again on request", async () => {
    await using walking = await startWalking([redirect, frame]);
    const { walk, opened, simulation } = walking;
    await toPage(walking);
    expect(opened).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/acme\/login\/[\w-]{43}$/)]);
    const { sim, app } = simulation;
    sim.logins.callback("acme", {
      state: [walking.login()?.interaction()?.state ?? ""],
      code: ["1"],
      error: [],
      others: [],
    });
    (await app.nextCall()).reply({ success: true });
    (await app.nextCall()).reply({ success: false });
    await until(walk, ({ login }) => login?.interaction?.module === "presence");
    act(walk, "open");
    await until(walk, () => opened.length > 1);
    expect(opened).toEqual([opened[0], opened[0]]);
  });

  test("is only shown with --no-open", async () => {
    await using walking = await startWalking([redirect], { open: null });
    await toPage(walking);
    expect(walking.walk.state()).toMatchObject({ canOpen: false, link: { isOpened: false, trouble: null } });
  });

  test("that cannot be served is reported, and the login continues", async () => {
    await using other = await startSimulation({ serves: manifestOf({}) });
    const port = Number(new URL(other.sim.url).port);
    await using walking = await startWalking([redirect], {}, { port, listen: "when-needed" });
    const { walk, simulation, opened } = walking;
    await until(walk, hasBegun);
    act(walk, "do-right");
    (await simulation.app.nextCall()).reply({ success: false });
    const { link, login } = await until(walk, (state) => state.link.trouble !== null);
    expect(link).toMatchObject({ url: null, trouble: { reason: expect.stringContaining(`${port}`) } });
    expect(login?.interaction).not.toBeNull();
    expect(opened).toEqual([]);
  });
});

describe("another login", () => {
  test("needs no keys where the first one passed, and the last result counts", async () => {
    await using walking = await startWalking([direct]);
    const { walk, simulation } = walking;
    await until(walk, hasBegun);
    act(walk, "do-right");
    (await simulation.app.nextCall()).reply({ success: false });
    await until(walk, isOver);
    act(walk, "retry");
    expect(walk.state()).toMatchObject({ login: null, round: 2 });
    (await simulation.app.nextCall()).reply({ success: true });
    await until(walk, isOver);
    act(walk, "quit");
    expect(await walk.ended).toMatchObject({ result: { outcome: "granted" }, interrupted: false });
  });

  test("asks again if a stage before the guards failed", async () => {
    await using walking = await startWalking([direct]);
    const { walk } = walking;
    await until(walk, hasBegun);
    for (let attempt = 0; attempt < 3; attempt++) act(walk, "do-wrong");
    await until(walk, isOver);
    act(walk, "retry");
    const { login } = await until(walk, hasBegun);
    expect(login?.stages[0]).toMatchObject({ stage: "password", status: "needs-user" });
  });
});

describe("the end", () => {
  test.each([
    ["quit", { interrupted: false, result: { outcome: "needs-user", failure: null } }],
    ["interrupt", { interrupted: true, result: { outcome: "needs-user", failure: "interrupted" } }],
  ] as const)("%s at a stage: the login is over, and has a result", async (action, end) => {
    await using walking = await startWalking([direct]);
    const { walk, simulation } = walking;
    await until(walk, hasBegun);
    act(walk, action);
    expect(await walk.ended).toMatchObject(end);
    expect(simulation.sim.journal.list().map(({ type }) => type)).toContain("login");
  });

  test("while the app is being called there is no result yet", async () => {
    await using walking = await startWalking([direct]);
    const { walk, simulation } = walking;
    await until(walk, hasBegun);
    act(walk, "do-right");
    (await simulation.app.nextCall()).hang();
    act(walk, "interrupt");
    expect(await walk.ended).toEqual({ interrupted: true, result: null });
  });

  test("by the signal, even if it came before", async () => {
    const controller = new AbortController();
    await using walking = await startWalking([direct], { signal: controller.signal });
    await until(walking.walk, hasBegun);
    controller.abort();
    expect(await walking.walk.ended).toEqual({ interrupted: false, result: null });
    await using late = await startWalking([direct], { signal: controller.signal });
    expect(await late.walk.ended).toEqual({ interrupted: false, result: null });
  });

  test("opens no link any more", async () => {
    await using walking = await startWalking([direct]);
    const { walk, opened } = walking;
    await until(walk, hasBegun);
    act(walk, "open");
    act(walk, "quit");
    await walking.simulation.sim.close();
    expect(opened).toEqual([]);
  });

  test("comes before a login that was just starting: it is no longer shown", async () => {
    await using simulation = await startSimulation({ serves: manifestOf({ guards: [direct] }) });
    const begun = simulation.sim.login({ manual: true });
    await using walking = await startWalking([direct], { begin: () => begun });
    act(walking.walk, "quit");
    await begun;
    expect(await walking.walk.ended).toEqual({ interrupted: false, result: null });
    expect(walking.walk.state().login).toBeNull();
  });

  test("a login that cannot be started is the user's mistake", async () => {
    const refuse = async () => {
      throw new UsageError("unknown-module", "there is no such guard", "name another");
    };
    await using walking = await startWalking([direct], { begin: refuse });
    await expect(walking.walk.ended).rejects.toThrow("there is no such guard");
  });

  test("a bug is not swallowed", async () => {
    const boom = () => {
      throw new TypeError("boom");
    };
    await using walking = await startWalking([redirect], { open: boom });
    const { walk, simulation } = walking;
    await until(walk, hasBegun);
    act(walk, "do-right");
    (await simulation.app.nextCall()).reply({ success: false });
    await expect(walk.ended).rejects.toThrow("boom");
  });
});

test("S27: secrets are hidden in everything that is shown", async () => {
  const hide: LoginParts["hide"] = (value) => JSON.parse(JSON.stringify(value).replaceAll("tell-nobody", "[hidden]"));
  await using walking = await startWalking([direct], { hide });
  const { walk, simulation } = walking;
  await until(walk, hasBegun);
  act(walk, "do-right");
  (await simulation.app.nextCall()).reply({ success: false, message: "the secret is tell-nobody" });
  const { login } = await until(walk, isOver);
  expect(JSON.stringify(login)).not.toContain("tell-nobody");
  expect(login?.result?.reason).toBe("the secret is [hidden]");
});
