import { describe, expect, it } from "vitest";
import { startSimulator } from "../../src/index.ts";
import { guardEntry, importEntry, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { always, exchangesOf, jobWith, onlyCall, startSimulation } from "../rig/simulation.ts";

// Interface 4.2: endpoints that an app implements.

const serves = manifestOf({
  guards: [guardEntry("guard")],
  imports: [importEntry("import")],
  webhooks: [webhookEntry("webhook")],
});
const answer = always({ success: true, data: { strings: [] } });
const job = { name: "job", job: jobWith([]) };

describe("4.2 a call", () => {
  it("is a POST to {app_base_url} and the module's url, a base path included", async () => {
    const under = manifestOf({
      guards: [{ ...guardEntry("guard"), url: "/check?strict=1" }],
      imports: [importEntry("import")],
      webhooks: [webhookEntry("webhook")],
    });
    await using run = await startSimulation({ serves: undefined });
    run.app.answer((call) => call.reply(call.path === "/base/manifest.json" ? under : { success: true, data: {} }));
    await using sim = await startSimulator({ app: { url: `${run.app.url}/base/` } });
    await sim.guard();
    await sim.postImport(job);
    await sim.webhook("project.approved");
    const posts = run.app.calls.filter(({ path }) => path !== "/base/manifest.json");
    expect(posts.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /base/check?strict=1",
      "POST /base/import",
      "POST /base/webhook",
    ]);
  });

  it("to a guard has exactly these headers", async () => {
    await using run = await startSimulation({ serves, answer });
    await run.sim.guard();
    const call = onlyCall(run.app);
    expect(call.headers.map(([name]) => name.toLowerCase()).sort()).toEqual([
      "accept-encoding",
      "authorization",
      "connection",
      "content-length",
      "content-type",
      "host",
    ]);
    expect(call.header("authorization")).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
    expect(call.header("content-type")).toBe("application/json");
    expect(call.header("accept-encoding")).toBe("identity");
    expect(call.header("content-length")).toBe(String(call.body.length));
  });

  it("is in the journal with the header lines and bytes as they arrived", async () => {
    await using run = await startSimulation({ serves, answer });
    await run.sim.guard();
    await run.sim.postImport(job);
    await run.sim.webhook("project.approved");
    for (const [index, purpose] of (["guard", "post-import", "webhook"] as const).entries()) {
      const [exchange] = exchangesOf(run.sim, purpose);
      const call = run.app.calls[index];
      const lines = (headers: readonly (readonly [string, string])[] = []) =>
        headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort();
      expect(lines(exchange?.request.headers)).toEqual(lines(call?.headers));
      expect(exchange?.request.body.base64).toBe(call?.body.toString("base64"));
      expect(exchange?.response).toMatchObject({ status: 200 });
    }
  });
});

describe("4.2 a verification endpoint is called at most once per login and direct guard", () => {
  it.each([
    [200, { success: true }],
    [200, { success: false }],
    [500, {}],
    [302, {}],
  ])("answering %i %j", async (status, body) => {
    await using run = await startSimulation({ serves, answer: (call) => call.reply(body, { status }) });
    await run.sim.guard();
    expect(run.app.calls).toHaveLength(1);
    await run.sim.guard();
    expect(run.app.calls).toHaveLength(2);
  });
});

describe("4.2 a webhook is acknowledged by", () => {
  it.each([200, 201, 202, 204, 299])("%i", async (status) => {
    await using run = await startSimulation({ serves, answer: (call) => call.send("", { status }) });
    const result = await run.sim.webhook("project.approved");
    expect(result).toMatchObject({ outcome: "acknowledged", reason: null });
    expect(result.deliveries).toMatchObject([{ acknowledged: true, attempts: [{ outcome: "acknowledged", status }] }]);
  });
});

describe("4.2 a webhook is not acknowledged by", () => {
  it.each([
    [300, "redirected"],
    [302, "redirected"],
    [304, "unexpected-status"],
    [307, "redirected"],
    [400, "refused"],
    [401, "refused"],
    [410, "refused"],
    [429, "refused"],
    [500, "server-error"],
    [503, "server-error"],
  ])("%i: %s", async (status, outcome) => {
    await using run = await startSimulation({ serves, answer: (call) => call.send("", { status }) });
    const result = await run.sim.webhook("project.approved");
    const reason = expect.stringMatching(new RegExp(`^the app answered ${status}\\b`));
    expect(result).toMatchObject({ outcome: "failed", reason });
    expect(result.deliveries).toMatchObject([
      { acknowledged: false, attempts: [{ outcome, status, reason, failure: "other" }] },
    ]);
    expect(run.app.calls).toHaveLength(1);
  });

  it("304, which is not a redirect", async () => {
    await using run = await startSimulation({ serves, answer: (call) => call.send("", { status: 304 }) });
    expect((await run.sim.webhook("project.approved")).reason).toBe("the app answered 304");
  });
});
