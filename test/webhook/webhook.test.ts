import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/app-client/ports.ts";
import { type AppCall, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import {
  assemble,
  byPath,
  exchangesOf,
  hurriedGateway,
  onlyCall,
  startSimulation,
  usageErrorOf,
} from "../rig/simulation.ts";

const oneWebhook = manifestOf({ webhooks: [webhookEntry("events")] });
const both = ["project.translated", "project.approved"];

const acknowledges = (call: AppCall) => call.send("", { status: 204 });

function isSigned(call: AppCall, secret = "app-sim-app-secret"): boolean {
  return call.header("x-platform-signature") === createHmac("sha256", secret).update(call.body).digest("hex");
}

function eventsIn(call: AppCall): { event: string; project: { id: unknown }; targetLanguage: { id: unknown } }[] {
  return (call.json() as { events: ReturnType<typeof eventsIn> }).events;
}

describe("a delivery", () => {
  it.each([
    ["plain", []],
    ["é", ["targetLanguage.id=français"]],
    ["an emoji", ["project.id=👩‍💻"]],
    ["slashes", ["project.id=a/b\\/c"]],
    ["quotes and line breaks", ['project.id="\n\u2028']],
  ])("is signed over exactly the bytes that arrive: %s", async (_, set) => {
    await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
    const result = await run.sim.webhook(both, { set });
    expect(result.outcome).toBe("acknowledged");
    const call = onlyCall(run.app);
    expect(isSigned(call)).toBe(true);
    expect(isSigned(call, "another secret")).toBe(false);
    for (const [path = "", value] of set.map((pair) => pair.split("="))) {
      const [object, id] = path.split(".") as ["project" | "targetLanguage", "id"];
      expect(eventsIn(call).map((event) => event[object][id])).toEqual([value, value]);
    }
    const [exchange] = exchangesOf(run.sim, "webhook");
    expect(exchange?.request.body).toEqual({ base64: call.body.toString("base64"), size: call.body.length });
  });

  it("has that many events of each name, with alternating target languages", async () => {
    await using run = await startSimulation({
      serves: oneWebhook,
      answer: acknowledges,
      projects: [{ targetLanguages: ["uk", "de"] }],
    });
    const result = await run.sim.webhook(both, { count: 3 });
    expect(result.deliveries).toMatchObject([{ module: "events", events: 6, result: "acknowledged" }]);
    const event = (name: string, language: string) => ({
      event: name,
      project: { id: "501" },
      targetLanguage: { id: language },
    });
    const languages = ["uk", "de", "uk"];
    expect(eventsIn(onlyCall(run.app))).toEqual(languages.flatMap((id) => both.map((name) => event(name, id))));
  });

  it("has numeric ids if the choice webhook.ids says so", async () => {
    await using run = await startSimulation({
      serves: oneWebhook,
      answer: acknowledges,
      choices: { "webhook.ids": "numbers" },
    });
    await run.sim.webhook("project.translated", { set: ["project.id=7"] });
    expect(eventsIn(onlyCall(run.app))[0]?.project).toEqual({ id: 7 });
    await expect(run.sim.webhook("project.translated", { set: ["project.id=seven"] })).rejects.toThrow("a number");
  });

  it("has the names of a profile", async () => {
    await using run = await startSimulation({
      serves: oneWebhook,
      answer: acknowledges,
      profile: "base64-signature",
      choices: { "wire.headerPrefix": "X-Acme-", "wire.userAgent": "Acme/1" },
    });
    await run.sim.webhook("project.translated");
    const call = onlyCall(run.app);
    const digest = createHmac("sha256", "app-sim-app-secret").update(call.body).digest("base64");
    expect(call.header("x-acme-signature")).toBe(`sha256=${digest}`);
    expect(call.header("user-agent")).toBe("Acme/1");
    expect(call.headers.filter(([name]) => /^x-platform/i.test(name))).toEqual([]);
  });

  it("also signs a timestamp if the choice webhook.signature.content says so", async () => {
    const now = Date.UTC(2031, 4, 6);
    await using app = await startFakeApp({ manifest: oneWebhook });
    app.answer(acknowledges);
    const input = { app: { url: app.url }, choices: { "webhook.signature.content": "timestamp.body" } } as const;
    const sim = await assemble(input, { clock: { ...systemClock, now: () => now } });
    await sim.webhook("project.translated");
    const call = onlyCall(app);
    expect(call.header("x-platform-timestamp")).toBe(String(now / 1000));
    const signed = Buffer.concat([Buffer.from(`${now / 1000}.`), call.body]);
    expect(call.header("x-platform-signature")).toBe(
      createHmac("sha256", "app-sim-app-secret").update(signed).digest("hex"),
    );
  });
});

describe("the modules", () => {
  it("each get one batch with only the events that they name", async () => {
    const serves = manifestOf({
      webhooks: [
        webhookEntry("all"),
        webhookEntry("approved", ["project.approved"]),
        webhookEntry("files", ["file.added"]),
      ],
    });
    await using run = await startSimulation({ serves, answer: acknowledges });
    await run.sim.webhook(both);
    const names = run.app.calls.map((call) => [call.header("x-module-key"), eventsIn(call).map(({ event }) => event)]);
    expect(names).toEqual([
      ["all", both],
      ["approved", ["project.approved"]],
    ]);
    expect(run.app.calls.every((call) => isSigned(call))).toBe(true);
  });

  it.each([
    ["enterprise", ["both", "enterprise-only"], "platform-enterprise"],
    ["standard", ["both", "standard-only"], "platform"],
  ] as const)("exist in their environments: %s", async (edition, called, environment) => {
    const serves = manifestOf({
      webhooks: [
        { ...webhookEntry("both"), environments: ["platform", "platform-enterprise"] },
        { ...webhookEntry("standard-only"), environments: ["platform"] },
        { ...webhookEntry("enterprise-only"), environments: ["platform-enterprise"] },
      ],
    });
    await using run = await startSimulation({ serves, answer: acknowledges, organization: { edition } });
    const { warnings } = await run.sim.webhook(both);
    expect(run.app.calls.map((call) => call.header("x-module-key")).sort()).toEqual(called);
    expect(warnings).toEqual([expect.stringContaining(`this organization is ${environment}`)]);
  });

  it("may name none of the events: the result says so, and which they name", async () => {
    await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
    expect(await run.sim.webhook("project.aproved")).toMatchObject({
      outcome: "no-module",
      reason: 'no webhook module gets project.aproved. Did you mean "project.approved"?',
      hint: "events that the manifest names: project.translated, project.approved",
      deliveries: [],
    });
    expect(run.app.calls).toEqual([]);
  });

  it.each([
    [
      "project.translated,project.approved",
      " Pass each event as a separate argument: project.translated project.approved",
    ],
    [
      "project.translated project.approved",
      " Pass each event as a separate argument: project.translated project.approved",
    ],
    ["project.changed,project.added", ""],
  ])("cannot be matched by two events in one name: %s", async (name, said) => {
    await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
    expect((await run.sim.webhook(name)).reason).toBe(`no webhook module gets ${name}.${said}`);
  });

  it("may misspell their own events: the right name is not reported as misspelled", async () => {
    const serves = manifestOf({ webhooks: [webhookEntry("events", ["project.translatd", "project.approved"])] });
    await using run = await startSimulation({ serves, answer: acknowledges });
    const meant = ' The manifest names "project.translatd": should that be "project.translated"?';
    expect((await run.sim.webhook("project.translated")).reason).toBe(
      `no webhook module gets project.translated.${meant}`,
    );
    expect((await run.sim.webhook(both)).warnings).toEqual([expect.stringContaining(`).${meant}`)]);
    expect((await run.sim.manifest()).problems).toMatchObject([
      {
        path: "modules.webhook[0].events[0]",
        message: expect.stringMatching(/Did you mean "project\.translated"\?$/),
        severity: "warning",
      },
    ]);
    // Delivered all the same: the interface does not show every name.
    expect(await run.sim.webhook("project.translatd")).toMatchObject({
      outcome: "acknowledged",
      warnings: [
        'the manifest names project.translatd, which is not an event that the interface shows. Did you mean "project.translated"?',
      ],
    });
  });

  it.each([[["project.deleted", "file.approved.later", "translated"]], [["project.translated", "project.translate"]]])(
    "may have events of their own: %j",
    async (events) => {
      await using run = await startSimulation({
        serves: manifestOf({ webhooks: [webhookEntry("events", events)] }),
        answer: acknowledges,
      });
      expect((await run.sim.manifest()).problems).toEqual([]);
      expect((await run.sim.webhook(events)).warnings).toEqual([]);
    },
  );

  it("of every installed app are called, each delivery signed with its app's own secret", async () => {
    await using one = await startFakeApp({ manifest: oneWebhook });
    await using two = await startFakeApp({ manifest: oneWebhook });
    one.answer(acknowledges);
    two.answer(acknowledges);
    const sim = await assemble({
      apps: [
        { url: one.url, appSecret: "first-secret" },
        { url: two.url, appSecret: "second-secret" },
      ],
    });
    expect((await sim.webhook(both)).deliveries.map(({ app }) => app)).toEqual([one.url, two.url]);
    expect(isSigned(onlyCall(one), "first-secret")).toBe(true);
    expect(isSigned(onlyCall(two), "second-secret")).toBe(true);
  });
});

describe("an event that no module names", () => {
  const named = "events that the manifest names: project.translated, project.approved";
  const nobodyGets = (name: string) => `no webhook module gets ${name}: it was not sent (${named}).`;

  it("gets a warning if others are delivered, once each", async () => {
    await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
    const result = await run.sim.webhook(["project.approved", "file.added", "file.added", "task.done"], { count: 2 });
    expect(result).toMatchObject({ outcome: "acknowledged", deliveries: [{ events: 2 }] });
    expect(result.warnings).toEqual([nobodyGets("file.added"), nobodyGets("task.done")]);
  });

  it("is not a misspelling if the similar name is also sent, or is a name of the interface", async () => {
    const serves = manifestOf({
      webhooks: [{ ...webhookEntry("events"), events: ["string.added", "project.aproved"] }],
    });
    await using run = await startSimulation({ serves, answer: acknowledges });
    for (const names of [
      ["string.added", "strings.added"],
      ["string.added", "project.approved"],
    ]) {
      expect(await run.sim.webhook(names)).toMatchObject({ outcome: "acknowledged", warnings: [expect.any(String)] });
    }
    expect(await run.sim.webhook(["project.aproved", "strings.added"])).toMatchObject({ outcome: "no-module" });
  });

  it("may have its name from --set: that name counts", async () => {
    await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
    const away = await run.sim.webhook(both, { set: ["events[0].event=file.added"] });
    expect(away.warnings).toEqual([nobodyGets("file.added")]);
    expect(eventsIn(onlyCall(run.app)).map(({ event }) => event)).toEqual(["project.approved"]);
    const towards = await run.sim.webhook("file.added", { set: ["event=project.approved"] });
    expect(towards).toMatchObject({ outcome: "acknowledged", warnings: [] });
  });
});

it("refuses a --set that leaves an event without a name", async () => {
  await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
  await expect(run.sim.webhook("project.approved", { set: ["event="] })).rejects.toMatchObject({
    code: "event-unnamed",
  });
  expect(run.app.calls).toEqual([]);
});

describe("modules of only the other environment", () => {
  it.each([
    ["enterprise", "platform", "platform-enterprise"],
    ["standard", "platform-enterprise", "platform"],
  ] as const)("%s: nothing is sent, the reason names them and the hint what to set", async (edition, only, here) => {
    const serves = manifestOf({ webhooks: [{ ...webhookEntry("events"), environments: [only] }] });
    await using run = await startSimulation({ serves, answer: acknowledges, organization: { edition } });
    const mismatch = `webhook events is only for ${only}, and this organization is ${here}`;
    expect(await run.sim.webhook("project.approved")).toMatchObject({
      outcome: "no-module",
      reason: `no webhook module gets project.approved: ${mismatch}`,
      hint: expect.stringContaining("organization.edition"),
      warnings: [mismatch],
    });
    expect(run.app.calls).toEqual([]);
  });
});

describe("what to try", () => {
  const attemptOf = async (answer: (call: AppCall) => void) => {
    await using run = await startSimulation({ serves: oneWebhook, answer });
    const result = await run.sim.webhook("project.approved");
    const [attempt] = result.deliveries[0]?.attempts ?? [];
    return { outcome: result.outcome, hint: result.hint, attempt };
  };

  it.each([401, 403])("after %d: the raw bytes and the app secret", async (status) => {
    const { outcome, hint, attempt } = await attemptOf((call) => call.send("", { status }));
    expect([outcome, attempt?.hint]).toEqual(["failed", hint]);
    expect(hint).toMatch(/raw bytes.*APP_SECRET/);
  });

  it.each(["text/html", "text/HTML; charset=utf-8"])(
    "after 200 with %s: it is acknowledged, but is it the handler?",
    async (type) => {
      const { outcome, attempt } = await attemptOf((call) =>
        call.send("<html>", { headers: { "content-type": type } }),
      );
      expect(outcome).toBe("acknowledged");
      expect(attempt).toMatchObject({ failure: null, reason: null, hint: expect.stringContaining("HTML page") });
    },
  );

  it.each([
    ["an empty answer", "", 204],
    ["a word", "ok", 200],
  ])("after %s that calls itself HTML, as in Flask: nothing", async (_, body, status) => {
    const { attempt } = await attemptOf((call) =>
      call.send(body, { status, headers: { "content-type": "text/html; charset=utf-8" } }),
    );
    expect(attempt).toMatchObject({ failure: null, hint: null });
  });

  it("after 200 with anything else: no question", async () => {
    const { attempt } = await attemptOf((call) => call.reply({ page: "<html>" }));
    expect(attempt).toMatchObject({ failure: null, hint: null });
  });
});

describe("the user's values", () => {
  it.each([
    [{ set: ["project.name=x"] }, "set-unmatched", "project.name"],
    [{ set: ["events[2].project.id=1"] }, "set-unmatched", "events[2].project.id"],
    [{ set: ["project.id"] }, "set-syntax", "expected path=value"],
    [{ count: 0 }, "options-invalid", "count is 0: expected at least 1"],
    [{ count: 1.5 }, "options-invalid", "count is 1.5: expected a whole number"],
  ])("are never ignored: %j", async (options, code, named) => {
    await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
    const error = await usageErrorOf(run.sim.webhook(both, options));
    expect(error.code).toBe(code);
    expect(error.message).toContain(named);
    expect(run.app.calls).toEqual([]);
  });

  it("can be for one event of the batch", async () => {
    await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
    await run.sim.webhook(both, { set: ["events[1].project.id=other"] });
    expect(eventsIn(onlyCall(run.app)).map(({ project }) => project.id)).toEqual(["501", "other"]);
  });
});

describe("the choice webhook.retries", () => {
  const retrying = async (statuses: number[]) => {
    await using app = await startFakeApp({ manifest: oneWebhook });
    app.answer(byPath({ "/events": (call) => call.send("", { status: statuses.shift() ?? 500 }) }));
    const pauses: number[] = [];
    const clock = { ...systemClock, pause: async (ms: number) => void pauses.push(ms) };
    const sim = await assemble(
      { app: { url: app.url }, choices: { "webhook.retries": 3, "webhook.jitter": 0 } },
      { clock },
    );
    const result = await sim.webhook("project.translated");
    return { result, pauses, calls: app.calls, exchanges: exchangesOf(sim, "webhook") };
  };

  it("sends the same bytes again after doubling pauses, until they are acknowledged", async () => {
    const { result, pauses, calls, exchanges } = await retrying([500, 302, 200]);
    expect(result.outcome).toBe("acknowledged");
    const attempts = result.deliveries[0]?.attempts;
    expect(attempts?.map(({ status, outcome }) => [status, outcome])).toEqual([
      [500, "server-error"],
      [302, "redirected"],
      [200, "acknowledged"],
    ]);
    expect(attempts?.map(({ exchange }) => exchange)).toEqual(exchanges.map(({ id }) => id));
    expect(new Set(calls.map(({ body }) => body.toString()))).toHaveLength(1);
    expect(calls.every((call) => isSigned(call))).toBe(true);
    expect(pauses).toEqual([1000, 2000]);
  });

  it("gives up after the last one", async () => {
    const { result, pauses, calls } = await retrying([]);
    expect(result).toMatchObject({ outcome: "failed", reason: "the app answered 500" });
    expect(calls).toHaveLength(4);
    expect(pauses).toEqual([1000, 2000, 4000]);
  });
});

it("gives the app the time of the choice webhook.timeout, 30 seconds by default", async () => {
  await using app = await startFakeApp({ manifest: oneWebhook });
  app.answer(acknowledges);
  const gateway = hurriedGateway(5_000);
  const input = { app: { url: app.url } };
  await (await assemble(input, { gateway })).webhook(both);
  await (await assemble({ ...input, choices: { "webhook.timeout": 500 } }, { gateway })).webhook(both);
  expect(gateway.limits).toEqual([30_000, 500]);
});

describe("an address that acknowledged before", () => {
  it("has the endpoint, so a later 404 means something else", async () => {
    let calls = 0;
    const answer = (call: AppCall) => call.send("", { status: calls++ === 0 ? 204 : 404 });
    await using run = await startSimulation({ serves: oneWebhook, answer });
    await run.sim.webhook("project.translated");
    const { deliveries } = await run.sim.webhook("project.translated");
    expect(deliveries[0]?.attempts[0]).toMatchObject({
      outcome: "refused",
      reason: "the app answered 404, although it acknowledged here before",
    });
    await using other = await startSimulation({ serves: oneWebhook, answer: (call) => call.send("", { status: 404 }) });
    const { deliveries: never } = await other.sim.webhook("project.translated");
    expect(never[0]?.attempts[0]?.reason).toBe("the app answered 404: it has no such endpoint");
  });
});
