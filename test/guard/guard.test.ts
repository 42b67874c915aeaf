import { createPublicKey } from "node:crypto";
import jwt from "jsonwebtoken";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/app-client/ports.ts";
import type { Choices } from "../../src/index.ts";
import { type GuardResult, type LoginOptions, startSimulator } from "../../src/index.ts";
import { type CallHandler, guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import {
  always,
  assemble,
  bearerOf,
  byPath,
  exchangesOf,
  guardStages,
  hurriedGateway,
  onlyCall,
  startSimulation,
  usageErrorOf,
} from "../rig/simulation.ts";

const passes = always({ success: true });
const oneGuard = manifestOf({ guards: [guardEntry("office")] });
const clientSecret = "app-sim-client-secret-long-enough-for-HS256";

describe("a direct guard's token", () => {
  const claimsOf = (token: string, key: jwt.Secret | jwt.PublicKey, algorithm: jwt.Algorithm) =>
    jwt.verify(token, key, { algorithms: [algorithm], audience: "app-sim-client", subject: "104", maxAge: "1m" });

  it.each<[string, Partial<Choices>, jwt.Algorithm, string]>([
    ["HS256 and the client secret by default", {}, "HS256", clientSecret],
    ["HS512", { "guard.jwt.algorithm": "HS512" }, "HS512", clientSecret],
    ["the app secret", { "guard.jwt.key": "app-secret" }, "HS256", "app-sim-app-secret"],
  ])("verifies with an independent library: %s", async (_, choices, algorithm, key) => {
    await using run = await startSimulation({ serves: oneGuard, answer: passes, choices });
    expect((await run.sim.guard()).outcome).toBe("granted");
    const token = bearerOf(onlyCall(run.app));
    expect(() => claimsOf(token, key, algorithm)).not.toThrow();
    expect(() => claimsOf(token, `${key}x`, algorithm)).toThrow("invalid signature");
  });

  it.each(["RS256", "ES256"] as const)("verifies with the key that the platform serves: %s", async (algorithm) => {
    await using run = await startSimulation({
      serves: oneGuard,
      answer: passes,
      choices: { "guard.jwt.algorithm": algorithm },
    });
    await run.sim.guard();
    const served = await fetch(`${run.sim.url}/.well-known/jwks.json`);
    const { keys } = (await served.json()) as { keys: { kid: string }[] };
    const token = bearerOf(onlyCall(run.app));
    const kid = jwt.decode(token, { complete: true })?.header.kid;
    const jwk = keys.find((key) => key.kid === kid);
    expect(jwk).not.toHaveProperty("d");
    const key = createPublicKey({ key: { ...jwk }, format: "jwk" });
    expect(claimsOf(token, key, algorithm)).toMatchObject({ module: "office" });
  });

  it("says who logs in where, for which module of which app, and until when", async () => {
    const now = Date.UTC(2031, 4, 6, 7, 8, 9);
    await using app = await startFakeApp({ manifest: oneGuard });
    app.answer(passes);
    const sim = await assemble({ app: { url: app.url } }, { clock: { ...systemClock, now: () => now } });
    await sim.guard();
    const token = bearerOf(onlyCall(app));
    expect(jwt.verify(token, clientSecret, { algorithms: ["HS256"], clockTimestamp: now / 1000 })).toEqual({
      aud: "app-sim-client",
      sub: "104",
      domain: "acme",
      jti: expect.any(String),
      module: "office",
      context: {
        organization_id: 200_000_001,
        organization_domain: "acme",
        user_id: 104,
        user_login: "milan.member",
      },
      iat: now / 1000,
      exp: now / 1000 + 900,
    });
  });
});

describe("several guards", () => {
  const three = manifestOf({ guards: [guardEntry("first"), guardEntry("second"), guardEntry("third")] });

  it("are called in the manifest's order, once each", async () => {
    await using run = await startSimulation({ serves: three, answer: passes });
    const result = await run.sim.guard();
    expect(run.app.calls.map(({ path }) => path)).toEqual(["/first", "/second", "/third"]);
    expect(guardStages(result).map(({ module }) => module)).toEqual(["first", "second", "third"]);
    expect(result.outcome).toBe("granted");
  });

  it("end at the first that denies, with its message as the reason", async () => {
    const answer = byPath({ "/first": passes, "/second": always({ success: false, message: "Not today." }) });
    await using run = await startSimulation({ serves: three, answer });
    expect(await run.sim.guard()).toMatchObject({ outcome: "denied", deniedBy: "second", reason: "Not today." });
    expect(run.app.calls.map(({ path }) => path)).toEqual(["/first", "/second"]);
  });

  it("can be chosen, in the order of the choice", async () => {
    await using run = await startSimulation({ serves: three, answer: passes });
    await run.sim.guard({ modules: ["third", "first"] });
    expect(run.app.calls.map(({ path }) => path)).toEqual(["/third", "/first"]);
  });

  it("must exist to be chosen", async () => {
    await using run = await startSimulation({ serves: three, answer: passes });
    const error = await usageErrorOf(run.sim.guard({ modules: ["first", "secnd"] }));
    expect(error.code).toBe("unknown-module");
    expect(error.message).toContain('"secnd". Did you mean "second"?');
    expect(error.hint).toContain("first, second, third");
    expect(run.app.calls).toEqual([]);
  });

  it("may be missing because of a misspelled type", async () => {
    const manifest = { modules: { "auth-guards": [guardEntry("first")] } };
    await using app = await startFakeApp({ manifest });
    await using sim = await startSimulator({ app: { url: app.url } });
    const error = await usageErrorOf(sim.guard({ modules: ["first"] }));
    expect(error.code).toBe("unknown-module");
    expect(error.hint).toContain("declares no auth-guard module; manifest: modules.auth-guards is not a module type");
    expect(error.hint).toContain('Did you mean "auth-guard"?');
  });

  it("cannot be chosen by an empty list", async () => {
    await using run = await startSimulation({ serves: three, answer: passes });
    const error = await usageErrorOf(run.sim.guard({ modules: [] }));
    expect(error.code).toBe("options-invalid");
    expect(error.message).toContain("an empty list names no guard");
    expect(run.app.calls).toEqual([]);
  });

  it("of several installed apps run in the configured order, each with its app's own secret", async () => {
    await using one = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("a"), guardEntry("b")] }) });
    await using two = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("c")] }) });
    const order: string[] = [];
    for (const app of [one, two]) {
      app.answer((call) => {
        order.push(call.path);
        call.reply({ success: true });
      });
    }
    await using sim = await startSimulator({
      apps: [
        { url: two.url, clientId: "two", clientSecret: "secret of two" },
        { url: one.url, clientId: "one", clientSecret: "secret of one" },
      ],
    });
    const result = await sim.guard();
    expect(order).toEqual(["/c", "/a", "/b"]);
    expect(guardStages(result).map(({ app }) => app)).toEqual([two.url, one.url, one.url]);
    const verify = (token: string, name: string) => jwt.verify(token, `secret of ${name}`, { audience: name });
    expect(() => verify(bearerOf(onlyCall(two)), "two")).not.toThrow();
    for (const call of one.calls) expect(() => verify(bearerOf(call), "one")).not.toThrow();
  });
});

describe("who is checked", () => {
  const serves = manifestOf({
    guards: [guardEntry("everyone", { applyToAdmins: true }), guardEntry("others", { applyToAdmins: false })],
  });

  it.each([
    ["owner", []],
    ["admin", ["/everyone"]],
    ["manager", ["/everyone", "/others"]],
    ["member", ["/everyone", "/others"]],
    ["outsider", ["/everyone", "/others"]],
  ] as const)("%s: %j", async (user, called) => {
    await using run = await startSimulation({ serves, answer: passes });
    const result = await run.sim.guard({ user });
    expect(run.app.calls.map(({ path }) => path)).toEqual(called);
    const skipped = guardStages(result).filter((stage) => stage.result === "skipped");
    expect(skipped).toHaveLength(2 - called.length);
    expect(skipped.every(({ reason }) => reason?.includes("exempt"))).toBe(true);
    expect(result).toMatchObject({ outcome: "granted", user: { role: user } });
  });

  it("is everybody if the choice guard.owner.exempt is false", async () => {
    await using run = await startSimulation({ serves, answer: passes, choices: { "guard.owner.exempt": false } });
    expect((await run.sim.guard({ user: "owner" })).choices).toContain("guard.owner.exempt");
    expect(run.app.calls).toHaveLength(2);
  });

  it("is a configured user; a role that nobody has is a mistake", async () => {
    await using run = await startSimulation({ serves, users: [{ id: 5, role: "manager", login: "m" }] });
    const error = await usageErrorOf(run.sim.guard());
    expect(error).toMatchObject({ code: "unknown-user", hint: "configured roles: manager" });
  });
});

describe.each(["redirect", "frame"] as const)("a %s guard", (type) => {
  const serves = manifestOf({ guards: [guardEntry("page", { type, url: "/page" }), guardEntry("later")] });

  it("lets in at its first call if the app says so", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const result = await run.sim.guard();
    expect(guardStages(result)[0]).toMatchObject({ module: "page", type, result: "passed" });
    expect(result.outcome).toBe("granted");
    expect(run.app.calls.map(({ path }) => path)).toEqual(["/page", "/later"]);
  });

  it("needs its user if the app does not: never granted, and no later guard is called", async () => {
    await using run = await startSimulation({ serves, answer: always({ success: false }) });
    const result = await run.sim.guard();
    expect(result).toMatchObject({ outcome: "needs-user", deniedBy: null, failure: null });
    expect(result.stages.at(-1)).toMatchObject({ module: "page", result: "needs-user" });
    expect(run.app.calls.map(({ path }) => path)).toEqual(["/page"]);
    expect(run.app.calls[0]?.json()).not.toHaveProperty("code");
  });
});

it("gives a guard 10 seconds", async () => {
  await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office"), guardEntry("vpn")] }) });
  app.answer(passes);
  const gateway = hurriedGateway(5_000);
  await (await assemble({ app: { url: app.url } }, { gateway })).guard();
  expect(gateway.limits).toEqual([10_000, 10_000]);
});

it("writes each login into the journal after its exchanges", async () => {
  await using run = await startSimulation({ serves: oneGuard, answer: always({ success: false, message: "No." }) });
  await run.sim.guard({ user: "manager" });
  const [exchange] = exchangesOf(run.sim, "guard");
  expect(run.sim.journal.list().at(-1)).toMatchObject({
    type: "login",
    user: { id: 103, role: "manager" },
    outcome: "denied",
    deniedBy: "office",
    reason: "No.",
    exchanges: [exchange?.id],
  });
});

it("says that nothing was checked if no guard is installed", async () => {
  await using run = await startSimulation({ serves: manifestOf({}) });
  expect(await run.sim.guard()).toMatchObject({
    outcome: "failed",
    reason: "no auth-guard module is declared: nothing was checked",
    hint: expect.stringContaining("`app-sim manifest`"),
    failure: "other",
    warnings: [],
  });
});

describe("a login names the choices of the guards that apply, and of no others", () => {
  const typeless = guardEntry("office");
  const page = guardEntry("page", { type: "redirect", url: "/page" });
  const typed = guardEntry("typed", { type: "direct", applyToAdmins: true });
  const read = ["guard.type.default"];

  it.each([
    ["all of them", [typeless, page], {}, read],
    ["those that were chosen", [typeless, page, typed], { modules: ["typed"] }, []],
    ["the chosen page", [typeless, page], { modules: ["page"] }, []],
    ["those from which the admin is not exempt", [typeless, page, typed], { user: "admin" }, []],
    ["none for the owner", [typeless, page], { user: "owner" }, []],
    ["none without guards", [], {}, []],
  ] as const)("%s", async (_, guards, options, named) => {
    await using run = await startSimulation({ serves: manifestOf({ guards }), answer: passes });
    const { choices } = await run.sim.guard(options);
    expect(choices.filter((id) => read.includes(id))).toEqual(named);
  });
});

describe("a login without a valid answer failed, but no guard denied it", () => {
  it.each<[what: string, answer: CallHandler, failure: GuardResult["failure"]]>([
    ["401", (call) => call.reply({ success: false, message: "bad token" }, { status: 401 }), "refused"],
    ["403", (call) => call.send("", { status: 403 }), "refused"],
    ["a 404 of the router", (call) => call.send("Cannot POST /guard", { status: 404 }), "no-endpoint"],
    ["405", (call) => call.send("", { status: 405 }), "no-endpoint"],
    ["a 404 of the guard itself", (call) => call.reply({ error: "no user 104" }, { status: 404 }), "other"],
    ["500", (call) => call.send("", { status: 500 }), "other"],
    ["no verdict", always({ ok: true }), "other"],
  ])("%s", async (_, answer, failure) => {
    await using run = await startSimulation({ serves: oneGuard, answer });
    const result = await run.sim.guard();
    expect(result).toMatchObject({ outcome: "failed", deniedBy: null, failure });
    expect(result.stages.at(-1)).toMatchObject({ stage: "guard", module: "office", result: "failed" });
  });
});

it.each([
  [
    '"message"',
    { success: true, mesage: "x" },
    { outcome: "granted", stages: [{ warnings: [expect.stringContaining('Did you mean "message"?')] }] },
  ],
  ['"success"', { succes: true }, { outcome: "failed", hint: expect.stringContaining('Did you mean "success"?') }],
])("a misspelled %s in the answer is reported", async (_, body, expected) => {
  await using run = await startSimulation({ serves: oneGuard, answer: always(body) });
  const result = await run.sim.guard();
  expect({ ...result, stages: guardStages(result) }).toMatchObject(expected);
});

it.each<[page: LoginOptions["page"], said: string | null]>([
  [{ code: "c" }, "no guard of this login opened its page, so the code was not used"],
  [{ error: "no" }, "no guard of this login opened its page, so the error was not used"],
  [{ fill: {}, press: "accept" }, "no guard of this login opened its page, so nothing was pressed or filled in"],
  [{ fill: {} }, null],
  ["wait", null],
  [undefined, null],
])("what should have been done at a page, and was not: %j", async (page, said) => {
  await using run = await startSimulation({ serves: oneGuard, answer: passes });
  const { outcome, warnings } = await run.sim.guard(page === undefined ? {} : { page });
  expect([outcome, warnings]).toEqual(["granted", said === null ? [] : [said]]);
});

describe("what to try after a denial", () => {
  const hintFor = async (answer: CallHandler) => {
    await using run = await startSimulation({ serves: oneGuard, answer });
    const { outcome, deniedBy, reason, hint } = await run.sim.guard();
    return { end: deniedBy ?? outcome, reason, hint };
  };

  it.each([
    ["401", undefined],
    ["403", undefined],
    ["401", { success: false }],
    ["403", { success: false, message: "Not you." }],
  ])("%s with %j: the secret of the token", async (status, body) => {
    const { end, hint } = await hintFor((call) => call.reply(body, { status: Number(status) }));
    expect(end).toBe("failed");
    expect(hint).toMatch(/JWT.*CLIENT_SECRET/);
  });

  it("403 with success: true: the status", async () => {
    const { end, hint } = await hintFor((call) => call.reply({ success: true, message: "Welcome" }, { status: 403 }));
    expect([end, hint]).toEqual(["failed", "a guard that lets somebody in answers 200"]);
  });

  it.each([301, 302, 303, 307, 308])("%d: a login page in front of the guard", async (status) => {
    const { end, hint } = await hintFor((call) => call.send("", { status, headers: { location: "/login" } }));
    expect(end).toBe("failed");
    expect(hint).toContain("login page");
  });

  it.each([201, 202, 204])("%d: the reason says what was expected", async (status) => {
    const { end, reason } = await hintFor((call) => call.send("", { status }));
    expect(end).toBe("failed");
    expect(reason).toBe(`the app answered ${status}; expected 200 with {"success": true|false, "message"?: text}`);
  });

  it("R17: an answer that says both no and yes is neither", async () => {
    const body = '{"success":false,"\\u0073uccess":true}';
    const { end, reason } = await hintFor((call) =>
      call.send(body, { headers: { "content-type": "application/json" } }),
    );
    expect(end).toBe("failed");
    expect(reason).toContain('has the key "success" twice in one object');
  });

  it("a denial by the app itself needs no hint", async () => {
    const denial = await hintFor(always({ success: false, message: "No." }));
    expect(denial).toEqual({ end: "office", reason: "No.", hint: null });
  });
});
