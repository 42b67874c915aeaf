import fc from "fast-check";
import { expect, it } from "vitest";
import type { PlainStage } from "../../src/guard/rules/login.ts";
import type { StageInput } from "../../src/guard/rules/stages.ts";
import type { LoginSession, Role } from "../../src/index.ts";
import type { Simulator } from "../../src/simulator.ts";
import { type SteeredClock, steeredClock } from "../rig/clock.ts";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { begin, callbackQuery, refusalOf, whereIs } from "../rig/logins.ts";
import { assemble } from "../rig/simulation.ts";
import { type GuardAnswer, type SteeredGateway, steeredGateway } from "../rig/steered-gateway.ts";
import {
  ATTEMPTS,
  answerModelled,
  beginModelled,
  type Came,
  closeModelled,
  comeBackModelled,
  type Enabled,
  emptyModel,
  enterModelled,
  guardOf,
  leaveModelled,
  type Model,
  type ModelGuard,
  type ModelLogin,
  PATIENCE_MS,
  waitModelled,
} from "./login-model.ts";

// Issue: no login is ever granted past a guard that did not pass, and no callback moves another login.

interface Real {
  readonly sim: Simulator;
  readonly clock: SteeredClock;
  readonly gateway: SteeredGateway;
  readonly stop: AbortController;
  readonly logins: LoginSession[];
  /** The states of `Model.states`. */
  readonly states: string[];
}

type Command = fc.AsyncCommand<Model, Real, false>;

/** Each login comes from an address of its own, by which the calls to the app are told apart. */
const addressOf = (login: number) => `10.0.0.${login + 1}`;

function at<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`no element ${index} of ${list.length}`);
  return element;
}

/** Resolves once a login can do nothing by itself: it is over, its user's turn, or the app is being asked. */
function settled({ logins, gateway }: Real, index: number): Promise<void> {
  const login = at(logins, index);
  return new Promise((resolve) => {
    const isSettled = () => {
      const { result, stages, current } = login.view();
      return result !== null || stages[current ?? -1]?.status === "needs-user" || gateway.pending(addressOf(index));
    };
    const look = () => {
      if (!isSettled()) return;
      for (const stop of stops) stop();
      resolve();
    };
    const stops = [login.subscribe(look), gateway.subscribe(look)];
    look();
  });
}

function expectAsModelled({ logins, gateway }: Real, model: ModelLogin, index: number): void {
  const view = at(logins, index).view();
  const { stages, current, result, call, interaction } = view;
  if (model.end !== null) {
    expect(result).toMatchObject(model.end);
    expect({ current, call, interaction }).toEqual({ current: null, call: null, interaction: null });
    expect(gateway.pending(addressOf(index))).toBeNull();
    return;
  }
  const place = at(model.places, model.at);
  const standing = at(stages, current ?? -1);
  const isUsersTurn = model.phase === "asked" || model.phase === "page";
  expect(result).toBeNull();
  expect(standing.module ?? standing.stage).toBe(typeof place === "string" ? place : place.key);
  expect(standing.status).toBe(isUsersTurn ? "needs-user" : "running");
  expect(standing.failures).toHaveLength(model.failures);
  expect(interaction?.module).toBe(model.phase === "page" ? guardOf(model).key : undefined);
  expect(gateway.pending(addressOf(index))?.body ?? null).toEqual(
    isUsersTurn ? null : expect.objectContaining({ moduleKey: guardOf(model).key }),
  );
  expect(gateway.pending(addressOf(index))?.body.code ?? null).toBe(isUsersTurn ? null : model.code);
  const before = stages.slice(0, current ?? 0).map(({ status }) => status);
  const after = stages.slice((current ?? 0) + 1).map(({ status }) => status);
  expect(before.filter((status) => status !== "passed" && status !== "skipped")).toEqual([]);
  expect(after.filter((status) => status !== "waiting" && status !== "skipped")).toEqual([]);
}

/** A command that acts on the model and the simulator, and says which logins it may have moved. */
function command(
  name: string,
  isPossible: (model: Model) => boolean,
  act: (model: Model, real: Real) => Promise<readonly number[]> | readonly number[],
): Command {
  return {
    toString: () => name,
    check: (model) => isPossible(model),
    async run(model, real) {
      const before = real.logins.map(whereIs);
      const moved = await act(model, real);
      for (const index of moved) await settled(real, index);
      const opened = model.states[real.states.length];
      if (opened !== undefined) real.states.push(at(real.logins, opened.login).interaction()?.state ?? "none");
      expect(real.states).toHaveLength(model.states.length);
      for (const [index, login] of model.logins.entries()) {
        expectAsModelled(real, login, index);
        if (!moved.includes(index)) expect(whereIs(at(real.logins, index))).toEqual(before[index]);
      }
    },
  };
}

const open = ({ logins }: Model) => [...logins.entries()].filter(([, { phase }]) => phase !== "over");
const chosen = <T>(list: readonly T[], pick: number): T => at(list, pick % list.length);

/** A place in the list, counted from its end. */
const newest = (list: readonly unknown[], pick: number): number => list.length - 1 - (pick % list.length);

const BEGUN_AT_MOST = 6;

const begins = (user: Role, enabled: Enabled) =>
  command(
    `begin ${user} ${JSON.stringify(enabled)}`,
    ({ logins, isClosed }) => !isClosed && logins.length < BEGUN_AT_MOST,
    async (model, { sim, logins }) => {
      beginModelled(model, user, enabled);
      const ipAddress = addressOf(logins.length);
      return [logins.push(await begin(sim, { user, ipAddress, ...enabled, manual: true, page: "wait" })) - 1];
    },
  );

const inputOf = (login: LoginSession, stage: PlainStage, isRight: boolean): StageInput => {
  switch (stage) {
    case "password":
      return { stage, password: isRight ? "app-sim-password" : "guess" };
    case "mfa":
      return { stage, code: isRight ? login.authenticator().code : "é23456" };
    case "device-trust":
      return { stage, trusted: isRight };
    case "remember-me":
      return { stage, remember: isRight };
  }
};

function enter(model: Model, { logins }: Real, index: number, stage: PlainStage, isRight: boolean): number[] {
  const moves = enterModelled(model, at(model.logins, index), stage, isRight);
  at(logins, index).enter(inputOf(at(logins, index), stage, isRight));
  return moves ? [index] : [];
}

const enters = (pick: number, stage: PlainStage, isRight: boolean) =>
  command(
    `login ${pick} enters ${stage} ${isRight ? "rightly" : "wrongly"}`,
    ({ logins }) => logins.length > 0,
    (model, real) => enter(model, real, pick % model.logins.length, stage, isRight),
  );

function answer(model: Model, { gateway }: Real, index: number, what: GuardAnswer): number[] {
  answerModelled(model, at(model.logins, index), what);
  gateway.answer(addressOf(index), what);
  return [index];
}

const isAsked = ({ phase }: ModelLogin) => phase === "first" || phase === "final";
const answers = (pick: number, what: GuardAnswer) =>
  command(
    `the app answers login ${pick}: ${what}`,
    ({ logins }) => logins.some(isAsked),
    (model, real) => {
      const asked = open(model).filter(([, login]) => isAsked(login));
      return answer(model, real, chosen(asked, pick)[0], what);
    },
  );

/** A callback in every form, good and bad; `form` null is the one that the interface knows. */
type Form = "unknown" | "no-state" | "two-states" | "both" | "none" | "two-codes" | "foreign";

const callbacks = (pick: number, came: Came, form: Form | null) =>
  command(
    `callback with state ${pick}, ${JSON.stringify(came)}, ${form ?? "well-formed"}`,
    ({ states }) => states.length > 0,
    (model, { sim, states, logins }) => {
      const index = newest(states, pick);
      const state = at(states, index);
      const isAccepted = form === null && comeBackModelled(model, index, "redirect", came);
      const query = {
        unknown: { state: `${state}x`, ...came },
        "no-state": { ...came },
        "two-states": { state: [state, at(states, 0)], ...came },
        both: { state, code: "c", error: "e" },
        none: { state },
        "two-codes": { state, code: ["c", "c"] },
        foreign: { state, ...came },
        good: { state, ...came },
      }[form ?? "good"];
      const arrival = sim.logins.callback(form === "foreign" ? "umbrella" : "acme", callbackQuery(query));
      const { login } = at(model.states, index);
      if (isAccepted) expect(arrival).toEqual({ ok: true, login: logins[login] });
      else expect(refusalOf(arrival)?.status).toBeGreaterThanOrEqual(400);
      return isAccepted ? [login] : [];
    },
  );

const frameReturns = (loginPick: number, statePick: number, came: Came) =>
  command(
    `the page of login ${loginPick} returns state ${statePick}, ${JSON.stringify(came)}`,
    ({ states }) => states.length > 0,
    (model, { sim, states, logins }) => {
      const index = newest(states, statePick);
      const login = newest(logins, loginPick);
      const isOwn = at(model.states, index).login === login;
      const isAccepted = isOwn && comeBackModelled(model, index, "frame", came);
      expect(sim.logins.frameReturned(at(logins, login), at(states, index), came)).toBe(isAccepted);
      return isAccepted ? [login] : [];
    },
  );

const leaves = (pick: number) =>
  command(
    `login ${pick} is left`,
    ({ logins }) => logins.length > 0,
    (model, { logins }) => {
      const index = pick % logins.length;
      at(logins, index).leave({ reason: "left", hint: null, failure: null });
      return leaveModelled(model, at(model.logins, index)) ? [index] : [];
    },
  );

const waits = (milliseconds: number) =>
  command(
    `${milliseconds} ms go by`,
    () => true,
    async (model, { clock, logins }) => {
      const before = open(model);
      waitModelled(model, milliseconds);
      clock.advance(milliseconds);
      const ended = before.filter(([, login]) => login.phase === "over").map(([index]) => index);
      await Promise.all(ended.map((index) => at(logins, index).result));
      return ended;
    },
  );

const closes = () =>
  command(
    "the simulator is closed",
    ({ logins }) => logins.length > 2,
    async (model, { stop, logins }) => {
      const ended = open(model).map(([index]) => index);
      closeModelled(model);
      stop.abort();
      await Promise.all(ended.map((index) => at(logins, index).result));
      return ended;
    },
  );

/** One step of a login, so that logins come far: the one that leads on, over the user's page if there is one. */
const proceeds = (pick: number, how: "over the page" | "directly" | "badly", code: string) =>
  command(
    `login ${pick} goes on ${how}`,
    (model) => open(model).length > 0,
    (model, real) => {
      const [index, login] = chosen(open(model), pick);
      const place = at(login.places, login.at);
      const isGood = how !== "badly";
      if (typeof place === "string") return enter(model, real, index, place, isGood);
      if (login.phase === "first" && how === "over the page" && place.type !== "direct")
        return answer(model, real, index, "refuse");
      if (login.phase !== "page") return answer(model, real, index, isGood ? "approve" : "refuse");
      const state = at(real.states, login.state ?? -1);
      const came = isGood ? { code } : { error: "no" };
      comeBackModelled(model, login.state ?? -1, place.type === "frame" ? "frame" : "redirect", came);
      const { logins } = real.sim;
      if (place.type === "frame") expect(logins.frameReturned(at(real.logins, index), state, came)).toBe(true);
      else expect(logins.callback("acme", callbackQuery({ state, ...came })).ok).toBe(true);
      return [index];
    },
  );

const guardLists: fc.Arbitrary<ModelGuard[]> = fc
  .array(fc.record({ type: fc.constantFrom("redirect", "frame", "direct"), applyToAdmins: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((guards) => guards.map((guard, index) => ({ ...guard, key: `g${index}` })));

const picks = fc.nat({ max: 20 });
/** Counted from the newest: those that are still open are among the first. */
const fresh = fc.oneof(fc.nat({ max: 2 }), picks);
const codes = fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 });
const cames: fc.Arbitrary<Came> = fc.oneof(fc.record({ code: codes }), fc.record({ error: codes }));
const enabled = fc.record({ mfa: fc.boolean(), deviceTrust: fc.boolean(), rememberMe: fc.boolean() });
const users = fc.constantFrom<Role[]>("member", "manager", "admin");
const stages = fc.constantFrom<PlainStage[]>("password", "mfa", "device-trust", "remember-me");
const badForms = ["unknown", "no-state", "two-states", "both", "none", "two-codes", "foreign"] as const;
const forms = fc.oneof(fc.constant(null), fc.constantFrom<Form[]>(...badForms));
const badAnswers = ["refuse", "status", "no-boolean", "garbage", "unreachable"] as const;
const going = fc
  .tuple(
    picks,
    fc.oneof(
      { weight: 6, arbitrary: fc.constant("over the page" as const) },
      { weight: 2, arbitrary: fc.constant("directly" as const) },
      { weight: 1, arbitrary: fc.constant("badly" as const) },
    ),
    codes,
  )
  .map((args) => proceeds(...args));

const commands = fc.commands(
  [
    ...Array.from({ length: 6 }, () => going),
    fc.tuple(users, enabled).map((args) => begins(...args)),
    fc.oneof(
      { weight: 3, arbitrary: fc.tuple(picks, stages, fc.boolean()).map((args) => enters(...args)) },
      {
        weight: 1,
        arbitrary: fc.tuple(picks, fc.constantFrom<GuardAnswer[]>(...badAnswers)).map((args) => answers(...args)),
      },
    ),
    fc.tuple(fresh, cames, forms).map((args) => callbacks(...args)),
    fc.tuple(fresh, fresh, cames).map((args) => frameReturns(...args)),
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(1_000, 1_000, PATIENCE_MS / 2, PATIENCE_MS).map(waits) },
      { weight: 2, arbitrary: picks.map(leaves) },
      { weight: 1, arbitrary: fc.constant(null).map(closes) },
    ),
  ],
  { maxCommands: 80, size: "max" },
);

async function newWorld(guards: readonly ModelGuard[]): Promise<{ model: Model; real: Real }> {
  const entries = guards.map(({ key, type, applyToAdmins }) => guardEntry(key, { type, applyToAdmins, url: "/page" }));
  const gateway = steeredGateway(manifestOf({ guards: entries }));
  const clock = steeredClock();
  const stop = new AbortController();
  const config = { app: { url: "http://127.0.0.1:1" }, choices: { "login.attempts": ATTEMPTS } };
  const sim = await assemble(config, { clock, gateway, signal: stop.signal });
  return { model: emptyModel(guards), real: { sim, clock, gateway, stop, logins: [], states: [] } };
}

/** What holds however it went, told from what the app was asked and answered, and from the journal. */
async function expectSound(guards: readonly ModelGuard[], { logins, states, gateway, sim, stop }: Real) {
  stop.abort();
  const results = await Promise.all(logins.map(({ result }) => result));
  const records = sim.journal.list().filter((record) => record.type === "login");
  expect(records).toHaveLength(logins.length);
  expect(new Set(states).size).toBe(states.length);
  for (const [index, result] of results.entries()) {
    const made = gateway.calls.filter(({ body }) => body.ipAddress === addressOf(index));
    const isExempt = (guard: ModelGuard) => result.user.role === "admin" && !guard.applyToAdmins;
    for (const guard of guards) {
      const calls = made.filter(({ body }) => body.moduleKey === guard.key);
      const withCode = calls.map(({ body }) => "code" in body);
      expect([[], [false], [false, true]]).toContainEqual(withCode);
      if (guard.type === "direct") expect(withCode).not.toContain(true);
      if (isExempt(guard)) expect(calls).toEqual([]);
      else if (result.outcome === "granted") expect(calls.at(-1)?.answer).toBe("approve");
      expect(calls.slice(0, -1).filter(({ answer: first }) => first !== "refuse")).toEqual([]);
    }
    // The guards are asked in turn, and nobody after one that did not pass.
    const order = guards.filter((guard) => made.some(({ body }) => body.moduleKey === guard.key));
    expect(order).toEqual(guards.filter((guard) => !isExempt(guard)).slice(0, order.length));
    const lastOf = (key: string) => made.findLast(({ body }) => body.moduleKey === key)?.answer;
    expect(order.slice(0, -1).map(({ key }) => lastOf(key))).toEqual(order.slice(0, -1).map(() => "approve"));
  }
}

it("R35: logins of several users with any callbacks: each ends as the interface says", async () => {
  await fc.assert(
    fc.asyncProperty(guardLists, commands, async (guards, made) => {
      const world = await newWorld(guards);
      await fc.asyncModelRun(() => world, made);
      await expectSound(guards, world.real);
    }),
    { numRuns: 60 },
  );
});
