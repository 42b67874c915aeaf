import { describe, expect, it } from "vitest";
import type { CallbackQuery } from "../../src/guard/rules/callback.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { type FakeApp, guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { awaitPage, begin, callbackQuery, comeBack, refusalOf, whereIs } from "../rig/logins.ts";
import { always, exchangesOf, guardStages, startSimulation } from "../rig/simulation.ts";

// R35, R4: the user comes back twice, too late, from elsewhere, or while the app is away.

const serves = manifestOf({
  guards: [
    guardEntry("terms", { type: "redirect", url: "/page" }),
    guardEntry("presence", { type: "frame", url: "/page" }),
  ],
});
const refuses = always({ success: false });
const wantsCode = (call: FakeApp["calls"][number]) => call.reply({ success: call.body.includes('"code"') });

/** The codes of the calls to one module, null for the first call. */
function codesSent({ calls }: FakeApp, module: string): (string | null)[] {
  const bodies = calls.map((call) => call.json() as { moduleKey: string; code?: string });
  return bodies.flatMap(({ moduleKey, code }) => (moduleKey === module ? [code ?? null] : []));
}

async function atTerms() {
  const run = await startSimulation({ serves, answer: refuses });
  const login = await begin(run.sim, { page: "wait" });
  const { state } = await awaitPage(login, "terms");
  return { run, login, state };
}

describe("R35: an invalid callback leaves the login where it is", () => {
  type Parts = Parameters<typeof callbackQuery>[0];
  it.each<[string, (state: string) => Parts, number, string]>([
    ["without a state", () => ({ code: "c" }), 400, "state-missing"],
    ["with a made-up state", () => ({ state: "made-up", code: "c" }), 400, "state-unknown"],
    ["with a name that objects have", () => ({ state: "__proto__", code: "c" }), 400, "state-unknown"],
    ["with half a state", (state) => ({ state: state.slice(1), code: "c" }), 400, "state-unknown"],
    ["with two states", (state) => ({ state: [state, "other"], code: "c" }), 400, "state-repeated"],
    ["with neither code nor error", (state) => ({ state }), 400, "return-missing"],
    ["with both", (state) => ({ state, code: "c", error: "e" }), 400, "return-ambiguous"],
    ["with two codes", (state) => ({ state, code: ["c", "d"] }), 400, "return-repeated"],
  ])("%s", async (_, parts, status, reason) => {
    const { run, login, state } = await atTerms();
    await using _run = run;
    const before = whereIs(login);
    expect(refusalOf(run.sim.logins.callback("acme", callbackQuery(parts(state))))).toEqual({ status, reason });
    expect(whereIs(login)).toEqual(before);
    // Whoever looks at the only login that waits for a callback is told of it.
    const [trouble, ...others] = login.view().interaction?.troubles ?? [];
    expect([trouble?.reason, others]).toEqual([expect.stringMatching(/^a callback was not accepted: /), []]);
    // The state is still good: what was wrong has not used it up.
    expect(comeBack(run.sim, login, { error: "enough" })).toBe(true);
    expect((await login.result).reason).toBe("enough");
    expect(run.app.calls).toHaveLength(1);
  });

  it("of another organization", async () => {
    const { run, login, state } = await atTerms();
    await using _run = run;
    const before = whereIs(login);
    for (const domain of ["umbrella", "ACME", "", "__proto__"]) {
      const arrival = run.sim.logins.callback(domain, callbackQuery({ state, code: "c" }));
      expect(refusalOf(arrival)).toEqual({ status: 404, reason: "domain-foreign" });
    }
    expect(whereIs(login)).toEqual(before);
  });

  it("with the state of a frame guard; and a frame cannot return with that of a redirect guard", async () => {
    const { run, login, state } = await atTerms();
    await using _run = run;
    const framed = await begin(run.sim, { modules: ["presence"], page: "wait" });
    const frameState = (await awaitPage(framed)).state;
    const before = [login.view(), framed.view()];
    const arrival = run.sim.logins.callback("acme", callbackQuery({ state: frameState, code: "c" }));
    expect(refusalOf(arrival)).toEqual({ status: 400, reason: "state-unknown" });
    expect(run.sim.logins.frameReturned(login, state, { code: "c" })).toBe(false);
    // Nor does another login's page bring its user back.
    expect(run.sim.logins.frameReturned(login, frameState, { code: "c" })).toBe(false);
    expect(run.sim.logins.frameReturned(framed, "made-up", { code: "c" })).toBe(false);
    expect([login.view(), framed.view()]).toEqual(before);
    expect(login.view()).toBe(before[0]);
    expect(run.sim.logins.frameReturned(framed, frameState, { error: "no" })).toBe(true);
    expect((await framed.result).reason).toBe("no");
  });

  it("moves only the login that its state belongs to", async () => {
    await using run = await startSimulation({ serves, answer: wantsCode });
    const users = ["member", "manager"] as const;
    const [mine, theirs] = await Promise.all(
      users.map((user) => begin(run.sim, { user, modules: ["terms"], page: "wait" })),
    );
    if (mine === undefined || theirs === undefined) throw new Error("two logins");
    const [, other] = await Promise.all([awaitPage(mine), awaitPage(theirs)]);
    const before = mine.view();
    const arrival = run.sim.logins.callback("acme", callbackQuery({ state: other.state, code: "c" }));
    expect(arrival).toMatchObject({ ok: true, login: theirs });
    expect((await theirs.result).outcome).toBe("granted");
    expect(mine.view()).toBe(before);
    const final = run.app.calls.filter((call) => call.body.includes('"code"'));
    expect(final.map((call) => call.json())).toMatchObject([{ userId: 103, code: "c" }]);
  });
});

describe("R35: a state is valid once", () => {
  it.each<[string, Parameters<typeof callbackQuery>[0]]>([
    ["the same code", { code: "first" }],
    ["another code", { code: "second" }],
    ["an error", { error: "second" }],
  ])("a double click with %s makes one final call, with the first code", async (_, second) => {
    const { run, login, state } = await atTerms();
    await using _run = run;
    run.app.answer(wantsCode);
    const query = (parts: Parameters<typeof callbackQuery>[0]): CallbackQuery => callbackQuery({ state, ...parts });
    const [one, two] = [query({ code: "first" }), query(second)].map((each) => run.sim.logins.callback("acme", each));
    expect(one).toMatchObject({ ok: true, login });
    expect(two && refusalOf(two)).toEqual({ status: 409, reason: "state-used" });
    await awaitPage(login, "presence");
    expect(codesSent(run.app, "terms")).toEqual([null, "first"]);
  });

  it("Back and Reload find it used in every later state of the login, even long after its end", async () => {
    await using run = await startSimulation({ serves });
    const login = await begin(run.sim, { page: "wait" });
    (await run.app.nextCall()).reply({ success: false });
    const { state } = await awaitPage(login, "terms");
    const again = () => refusalOf(run.sim.logins.callback("acme", callbackQuery({ state, code: "again" })));
    const used = { status: 409, reason: "state-used" };
    expect(comeBack(run.sim, login, { code: "c0de" })).toBe(true);
    const final = await run.app.nextCall();
    expect(again()).toEqual(used);
    final.reply({ success: true });
    (await run.app.nextCall()).reply({ success: false });
    await awaitPage(login, "presence");
    expect(again()).toEqual(used);
    comeBack(run.sim, login, { code: "c0de" });
    (await run.app.nextCall()).reply({ success: true });
    expect((await login.result).outcome).toBe("granted");
    expect(again()).toEqual(used);
    expect(codesSent(run.app, "terms")).toEqual([null, "c0de"]);
    expect(codesSent(run.app, "presence")).toEqual([null, "c0de"]);
  });

  it("a frame that reports twice is heard once", async () => {
    await using run = await startSimulation({ serves, answer: wantsCode });
    const login = await begin(run.sim, { modules: ["presence"], page: "wait" });
    const { state } = await awaitPage(login);
    const returned = (["first", "second"] as const).map((code) => run.sim.logins.frameReturned(login, state, { code }));
    expect(returned).toEqual([true, false]);
    expect((await login.result).outcome).toBe("granted");
    expect(run.sim.logins.frameReturned(login, state, { error: "third" })).toBe(false);
    expect(codesSent(run.app, "presence")).toEqual([null, "first"]);
  });
});

describe("R4: an app that restarts while its user is at the page", () => {
  const modules = ["terms", "presence"];

  it.each(modules)("%s: the login continues as if nothing had happened", async (module) => {
    const before = await startFakeApp({ manifest: serves });
    before.answer(refuses);
    await using sim = await startPlatform({ app: { url: before.url } });
    const login = await begin(sim, { modules: [module], page: "wait" });
    await awaitPage(login);
    const waiting = login.view();
    await before.close();
    expect(login.view()).toBe(waiting);
    await using after = await startFakeApp({ manifest: serves, port: before.port });
    after.answer(wantsCode);
    expect(comeBack(sim, login, { code: "c0de" })).toBe(true);
    expect((await login.result).outcome).toBe("granted");
    expect([codesSent(before, module), codesSent(after, module)]).toEqual([[null], ["c0de"]]);
  });

  it.each(modules)("%s: a final call that does not reach it denies, and is never made again", async (module) => {
    const before = await startFakeApp({ manifest: serves });
    before.answer(refuses);
    await using sim = await startPlatform({ app: { url: before.url } });
    const login = await begin(sim, { modules: [module], page: "wait" });
    const { state } = await awaitPage(login);
    await before.close();
    expect(comeBack(sim, login, { code: "c0de" })).toBe(true);
    const result = await login.result;
    expect(result).toMatchObject({ outcome: "failed", deniedBy: null, failure: "unreachable" });
    await using after = await startFakeApp({ manifest: serves, port: before.port });
    after.answer(wantsCode);
    sim.logins.callback("acme", callbackQuery({ state, code: "c0de" }));
    sim.logins.frameReturned(login, state, { code: "c0de" });
    // A login that runs to its end gives any call that should not be time to come.
    await sim.guard({ modules: [module], page: { code: "next" } });
    expect(codesSent(after, module)).toEqual([null, "next"]);
    expect(login.view().result).toBe(result);
    const made = exchangesOf(sim, "guard").slice(0, 2);
    expect(made.map(({ outcome }) => outcome.kind)).toEqual(["answered", "unreachable"]);
    expect(guardStages(result)[0]?.exchanges).toEqual(made.map(({ id }) => id));
  });

  it.each([
    ["is reset", (call: FakeApp["calls"][number]) => call.reset()],
    ["is cut", (call: FakeApp["calls"][number]) => call.sendThenReset('{"success":true', 100)],
  ])("a final call that %s may have spent its code: it is not sent again", async (_, answer) => {
    await using run = await startSimulation({
      serves,
      answer: (call) => (call.body.includes('"code"') ? answer(call) : refuses(call)),
    });
    const result = await run.sim.guard({ modules: ["terms"], page: { code: "c0de" } });
    expect(result).toMatchObject({ outcome: "failed", deniedBy: null });
    await run.sim.manifest();
    expect(codesSent(run.app, "terms")).toEqual([null, "c0de"]);
  });
});
