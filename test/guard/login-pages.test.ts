import { setImmediate } from "node:timers/promises";
import jwt from "jsonwebtoken";
import { describe, expect, it } from "vitest";
import type { LoginPerson } from "../../src/guard/login/login-face.ts";
import type { GuardResult, LoginOptions } from "../../src/index.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { steeredClock } from "../rig/clock.ts";
import { type CallHandler, guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { awaitPage, begin, comeBack, until } from "../rig/logins.ts";
import { always, assemble, exchangesOf, guardStages, onlyCall, startSimulation } from "../rig/simulation.ts";
import { type Answered, ask } from "./visitor.ts";

const pageTypes = ["redirect", "frame"] as const;
const refuses = always({ success: false });
/** Approves the final call with the right code, and denies another. */
const wants =
  (right: string): CallHandler =>
  (call) => {
    const { code } = call.json() as { code?: string };
    call.reply(code === right ? { success: true } : { success: false, message: "Which code is that?" });
  };

function servesPage(type: (typeof pageTypes)[number], url = "/page") {
  return manifestOf({ guards: [guardEntry("page", { type, url })] });
}

describe.each(pageTypes)("the page of a %s guard that is played", (type) => {
  const serves = servesPage(type);
  const rows = { redirect: { ask: 3, code: 5, error: 6 }, frame: { ask: 7, code: 8, error: 9 } }[type];

  it("with the right code: granted, by a final call that differs only by the code and a fresh token", async () => {
    await using run = await startSimulation({ serves, answer: wants("c0de") });
    const result = await run.sim.guard({ page: { code: "c0de" } });
    expect(result).toMatchObject({ outcome: "granted", deniedBy: null, reason: null });
    const [first, final] = run.app.calls;
    expect(run.app.calls).toHaveLength(2);
    expect(final?.json()).toEqual({ ...(first?.json() as object), code: "c0de" });
    expect(first?.json()).not.toHaveProperty("code");
    expect(guardStages(result)).toMatchObject([{ module: "page", result: "passed", rows: [rows.ask, rows.code, 10] }]);
    expect(guardStages(result)[0]?.exchanges).toEqual(exchangesOf(run.sim, "guard").map(({ id }) => id));
  });

  it("with a code that the app refuses: denied with the app's message", async () => {
    await using run = await startSimulation({ serves, answer: wants("c0de") });
    const result = await run.sim.guard({ page: { code: "other" } });
    expect(result).toMatchObject({ outcome: "denied", deniedBy: "page", reason: "Which code is that?", failure: null });
    expect(guardStages(result)).toMatchObject([{ result: "denied", rows: [rows.ask, rows.code, 11] }]);
    expect(run.app.calls).toHaveLength(2);
  });

  it("with an error: denied with its text, without another call", async () => {
    await using run = await startSimulation({ serves, answer: refuses });
    const result = await run.sim.guard({ page: { error: "No token at hand." } });
    expect(result).toMatchObject({ outcome: "denied", deniedBy: "page", reason: "No token at hand.", failure: null });
    expect(guardStages(result)).toMatchObject([{ result: "denied", rows: [rows.ask, rows.error] }]);
    expect(run.app.calls).toHaveLength(1);
  });

  it("gets a hint if its own code is refused: in the same way as the first call, or otherwise", async () => {
    await using run = await startSimulation({ serves });
    const person: LoginPerson = {
      atStage: (login) => login.play("right"),
      async atPage(_, interaction) {
        await setImmediate();
        interaction.comeBack({ code: "c0de" });
      },
    };
    const user = run.sim.logins.usualUser;
    if (user === null) throw new Error("nobody can log in");
    const hintOf = async (answer: CallHandler) => {
      run.app.answer(answer);
      const begun = await run.sim.logins.begin(user, {}, person);
      return begun.ok ? (await begun.login.result).hint : null;
    };
    expect(await hintOf(refuses)).toMatch(/got exactly the answer of the first one: does the guard check `code`/);
    const forgets: CallHandler = (call) =>
      call.reply(call.body.includes("c0de") ? { success: false, message: "no such code" } : { success: false });
    expect(await hintOf(forgets)).toMatch(
      /does not look it up as the page stored it: compare .*, the organization, the module's key/,
    );
  });

  it("is not needed if the app approves immediately", async () => {
    await using run = await startSimulation({ serves, answer: always({ success: true }) });
    const result = await run.sim.guard({ page: { error: "never told" } });
    expect(result.outcome).toBe("granted");
    // Interface 3.1 has no row for a frame guard that passes at once.
    expect(guardStages(result)[0]?.rows).toEqual(type === "redirect" ? [4] : undefined);
  });

  it.each<[string, CallHandler, Partial<GuardResult>]>([
    ["answers with another status", (call) => call.reply({ success: true }, { status: 500 }), { failure: "other" }],
    ["answers with no boolean", always({ success: "yes" }), { failure: "other" }],
    ["resets the connection", (call) => call.reset(), { failure: "other" }],
  ])("fails closed if the final call %s", async (_, answer, expected) => {
    const first: CallHandler = (call) => (call.body.includes("c0de") ? answer(call) : call.reply({ success: false }));
    await using run = await startSimulation({ serves, answer: first });
    const result = await run.sim.guard({ page: { code: "c0de" } });
    expect(result).toMatchObject({ outcome: "failed", deniedBy: null, ...expected });
    expect(run.app.calls).toHaveLength(2);
  });

  it("accepts code and error unchanged, byte for byte", async () => {
    const strange = " %2B+&=\r\n<é>👋\u0000";
    await using run = await startSimulation({ serves, answer: refuses });
    expect((await run.sim.guard({ page: { error: strange } })).reason).toBe(strange);
    await run.sim.guard({ page: { code: strange } });
    expect(run.app.calls.at(-1)?.json()).toMatchObject({ code: strange });
  });

  it("keeps what a visit reports only after it brought its user back", async () => {
    await using run = await startSimulation({ serves, answer: wants("c0de") });
    const person: LoginPerson = {
      atStage: (login) => login.play("right"),
      async atPage(login, interaction) {
        await setImmediate();
        login.comeBack({ error: "No token at hand." });
        interaction.warn("late");
      },
    };
    const user = run.sim.logins.usualUser;
    if (user === null) throw new Error("nobody can log in");
    const begun = await run.sim.logins.begin(user, {}, person);
    if (!begun.ok) throw new Error("the login did not start");
    const result = await begun.login.result;
    expect(result).toMatchObject({ outcome: "denied", deniedBy: "page", reason: "No token at hand." });
    expect(guardStages(result)).toMatchObject([{ module: "page", warnings: ["late"] }]);
  });

  it("is not requested again by a browser that brought its user back, while the visit ends", async () => {
    await using run = await startSimulation({ serves, answer: wants("c0de") });
    const user = run.sim.logins.usualUser;
    if (user === null) throw new Error("nobody can log in");
    let last: Answered | null = null;
    const person: LoginPerson = {
      atStage: (login) => login.play("right"),
      async atPage(login) {
        const page = await login.link();
        login.comeBack({ code: "c0de" });
        last = await ask(page);
      },
    };
    const begun = await run.sim.logins.begin(user, {}, person);
    if (!begun.ok) throw new Error("the login did not start");
    expect(await begun.login.result).toMatchObject({ outcome: "granted" });
    expect(last).toMatchObject({ status: 200, body: expect.not.stringContaining("jwtToken") });
  });

  it("is opened only for a login that waits for a user; otherwise the login ends and says how to continue", async () => {
    await using run = await startSimulation({ serves, answer: refuses });
    const result = await run.sim.guard();
    expect(result).toMatchObject({
      outcome: "needs-user",
      deniedBy: null,
      failure: null,
      reason: `page is a ${type} guard and asks for the user, but nobody is there`,
      hint: expect.stringMatching(/--browser.*--code CODE.*--error TEXT/),
    });
    expect(result.hint?.includes("--fill")).toBe(type === "redirect");
    expect(guardStages(result)).toMatchObject([{ result: "needs-user", rows: [rows.ask] }]);
  });
});

describe("the address of a page", () => {
  it.each(pageTypes)("of a %s guard has a new token each time, and a state only for redirect", async (type) => {
    await using app = await startFakeApp({ manifest: servesPage(type, "/page?lang=uk#top") });
    app.answer(refuses);
    const clock = steeredClock();
    const sim = await assemble({ app: { url: app.url } }, { clock });
    const { state, pageUrl } = await awaitPage(await begin(sim, { page: "wait" }));
    const first = new URL(await pageUrl());
    clock.advance(10_000);
    const second = new URL(await pageUrl());
    expect([first.origin, first.pathname, first.hash]).toEqual([app.url, "/page", "#top"]);
    expect([...first.searchParams.keys()]).toEqual(["lang", "jwtToken", ...(type === "redirect" ? ["state"] : [])]);
    expect([first.searchParams.get("state"), second.searchParams.get("state")]).toEqual(
      type === "redirect" ? [state, state] : [null, null],
    );
    const claims = [first, second].map((url) => {
      const token = url.searchParams.get("jwtToken") ?? "";
      return jwt.verify(token, "app-sim-client-secret-long-enough-for-HS256", {
        algorithms: ["HS256"],
        audience: "app-sim-client",
        subject: "104",
        clockTimestamp: clock.now() / 1000,
      }) as jwt.JwtPayload;
    });
    expect(claims).toMatchObject([{ module: "page" }, { module: "page" }]);
    expect((claims[1]?.exp ?? 0) - (claims[0]?.exp ?? 0)).toBe(10);
  });

  it("replaces parameters of options.url with the names of token and state", async () => {
    const serves = servesPage("redirect", "/page?state=mine&jwtToken=none&state=again");
    await using run = await startSimulation({ serves, answer: refuses });
    const { state, pageUrl } = await awaitPage(await begin(run.sim, { page: "wait" }));
    const { searchParams } = new URL(await pageUrl());
    expect(searchParams.getAll("state")).toEqual([state]);
    expect(searchParams.getAll("jwtToken")).toEqual([expect.stringMatching(/^eyJ/)]);
  });

  it("is absolute if options.url is", async () => {
    const serves = servesPage("frame", "https://pages.example/guard");
    await using run = await startSimulation({ serves, answer: refuses, fileOrigins: ["https://pages.example"] });
    const { pageUrl } = await awaitPage(await begin(run.sim, { page: "wait" }));
    expect(await pageUrl()).toMatch(/^https:\/\/pages\.example\/guard\?jwtToken=eyJ/);
  });

  it("has a new state of 256 bits for every guard and login", async () => {
    const guards = ["a", "b"].map((key) => guardEntry(key, { type: "redirect", url: `/${key}-page` }));
    await using run = await startSimulation({ serves: manifestOf({ guards }), answer: wants("c") });
    const states: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const login = await begin(run.sim, { page: "wait" });
      for (const module of ["a", "b"]) {
        states.push((await awaitPage(login, module)).state);
        comeBack(run.sim, login, { code: "c" });
      }
      await login.result;
    }
    expect(new Set(states).size).toBe(6);
    for (const state of states) expect(state).toMatch(/^[\w-]{43}$/);
  });

  it("belongs to a login with an unguessable address, once the platform listens", async () => {
    await using run = await startSimulation({ serves: servesPage("redirect"), answer: refuses, listen: "when-needed" });
    const logins = await Promise.all([begin(run.sim, { page: "wait" }), begin(run.sim, { page: "wait" })]);
    const links = await Promise.all(logins.map((login) => login.link()));
    expect(links).toEqual(logins.map(({ id }) => `${run.sim.url}/acme/login/${id}`));
    for (const { id } of logins) expect(id).toMatch(/^[\w-]{43}$/);
    expect(logins[0]?.id).not.toBe(logins[1]?.id);
    expect(run.sim.logins.find(logins[0]?.id ?? "")).toBe(logins[0]);
    expect(run.sim.logins.find("x")).toBeNull();
  });
});

describe("what is wrong with a page", () => {
  it("is shown once while the user is there, and is the reason if the user does not return", async () => {
    await using app = await startFakeApp({ manifest: servesPage("frame") });
    app.answer(refuses);
    const clock = steeredClock();
    const sim = await assemble({ app: { url: app.url } }, { clock });
    const login = await begin(sim, { page: "wait" });
    const interaction = await awaitPage(login);
    const trouble = { reason: "the page does not load host.js", hint: "add the script" };
    interaction.report(trouble);
    interaction.report({ ...trouble });
    expect(login.view().interaction?.troubles).toEqual([trouble]);
    clock.advance(600_000);
    expect(await login.result).toMatchObject({ outcome: "needs-user", ...trouble });
    interaction.report({ reason: "too late", hint: null });
    expect(login.view().interaction).toBeNull();
  });

  it("does not affect a user who returns, and is not shown at the next guard", async () => {
    const guards = ["a", "b"].map((key) => guardEntry(key, { type: "frame", url: "/page" }));
    await using run = await startSimulation({ serves: manifestOf({ guards }), answer: wants("c") });
    const login = await begin(run.sim, { page: "wait" });
    const first = await awaitPage(login, "a");
    first.report({ reason: "it took long to load", hint: null });
    comeBack(run.sim, login, { code: "c" });
    await awaitPage(login, "b");
    first.report({ reason: "still about the first", hint: null });
    expect(login.view().interaction?.troubles).toEqual([]);
    comeBack(run.sim, login, { code: "c" });
    expect((await login.result).outcome).toBe("granted");
  });
});

describe("the description of a guard", () => {
  const guards = [
    { ...guardEntry("direct"), description: "About direct." },
    { ...guardEntry("redirect", { type: "redirect", url: "/r" }), description: "About redirect." },
    { ...guardEntry("frame", { type: "frame", url: "/f" }), description: "About frame." },
    guardEntry("plain", { type: "frame", url: "/p" }),
  ];

  it.each([
    ["frame-only", [null, null, "About frame.", null]],
    ["always", ["About direct.", "About redirect.", "About frame.", null]],
    ["never", [null, null, null, null]],
  ] as const)("is shown by the choice guard.description.shown: %s", async (shown, descriptions) => {
    const choices = { "guard.description.shown": shown };
    await using run = await startSimulation({
      serves: manifestOf({ guards }),
      answer: always({ success: true }),
      choices,
    });
    const login = await begin(run.sim, { manual: true });
    const stages = login.view().stages.filter(({ stage }) => stage === "guard");
    expect(stages.map(({ description }) => description)).toEqual(descriptions);
    expect(stages.map(({ name }) => name)).toEqual(guards.map(({ name }) => name));
  });

  it.each<[string, LoginOptions, boolean]>([
    ["of a guard that applies", {}, true],
    ["of none without a description", { modules: ["plain"] }, false],
    ["of none that the user is exempt from", { user: "owner" }, false],
  ])("adds the choice to the result: %s", async (_, options, relies) => {
    await using run = await startSimulation({ serves: manifestOf({ guards }), answer: always({ success: true }) });
    const { choices } = await run.sim.guard(options);
    expect(choices.includes("guard.description.shown")).toBe(relies);
  });
});

describe("guards of several apps", () => {
  it("run in the configured order, each with its own page, app and secret", async () => {
    const order: string[] = [];
    const noting =
      (name: string): CallHandler =>
      (call) => {
        const { moduleKey, code } = call.json() as { moduleKey: string; code?: string };
        order.push(`${name} ${moduleKey} ${code ?? "first"}`);
        call.reply({ success: code !== undefined || moduleKey === "direct" });
      };
    const redirect = guardEntry("same", { type: "redirect", url: "/page" });
    const frame = guardEntry("same", { type: "frame", url: "/page" });
    await using one = await startFakeApp({ manifest: manifestOf({ guards: [redirect, guardEntry("direct")] }) });
    await using two = await startFakeApp({ manifest: manifestOf({ guards: [frame] }) });
    one.answer(noting("one"));
    two.answer(noting("two"));
    await using sim = await startPlatform({
      apps: [
        { url: two.url, clientId: "two", clientSecret: "secret of two" },
        { url: one.url, clientId: "one", clientSecret: "secret of one" },
      ],
    });
    const login = await begin(sim, { page: "wait" });
    const pages: (string | undefined)[] = [];
    for (const [name, type] of [
      ["two", "frame"],
      ["one", "redirect"],
    ] as const) {
      await until(login, ({ interaction }) => interaction?.type === type);
      const url = new URL((await login.interaction()?.pageUrl()) ?? "");
      pages.push(url.origin);
      const token = url.searchParams.get("jwtToken") ?? "";
      expect(() => jwt.verify(token, `secret of ${name}`, { audience: name })).not.toThrow();
      comeBack(sim, login, { code: `code of ${name}` });
    }
    const result = await login.result;
    expect(result.outcome).toBe("granted");
    expect(pages).toEqual([two.url, one.url]);
    expect(order).toEqual([
      "two same first",
      "two same code of two",
      "one same first",
      "one same code of one",
      "one direct first",
    ]);
    expect(guardStages(result).map(({ app, type, rows }) => [app, type, rows])).toEqual([
      [two.url, "frame", [7, 8, 10]],
      [one.url, "redirect", [3, 5, 10]],
      [one.url, "direct", [1]],
    ]);
  });

  it("end at the first that denies, wherever its page is", async () => {
    await using one = await startFakeApp({ manifest: servesPage("redirect") });
    await using two = await startFakeApp({ manifest: servesPage("frame") });
    one.answer(refuses);
    await using sim = await startPlatform({ apps: [{ url: one.url }, { url: two.url }] });
    expect(await sim.guard({ page: { error: "no" } })).toMatchObject({ outcome: "denied", deniedBy: "page" });
    expect(onlyCall(one).json()).not.toHaveProperty("code");
    expect(two.calls).toEqual([]);
  });
});

it("the final call has the limit of the choice guard.timeout.final, and the result names it", async () => {
  await using app = await startFakeApp({ manifest: servesPage("redirect") });
  app.answer((call) => (call.body.includes("c0de") ? call.hang() : call.reply({ success: false })));
  const sim = await assemble({ app: { url: app.url }, choices: { "guard.timeout.final": 100 } });
  const result = await sim.guard({ page: { code: "c0de" } });
  expect(result).toMatchObject({ outcome: "failed", failure: "timed-out", reason: expect.stringContaining("0.1 s") });
  expect(result.choices).toContain("guard.timeout.final");
});
