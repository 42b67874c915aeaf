import { describe, expect, it } from "vitest";
import { startSimulator } from "../../src/index.ts";
import {
  type CallHandler,
  guardEntry,
  importEntry,
  manifestOf,
  startFakeApp,
  unusedPort,
  webhookEntry,
} from "../rig/fake-app.ts";
import { always, exchangesOf, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const whole = manifestOf({
  guards: [guardEntry("office"), guardEntry("page", { type: "redirect", url: "/page", applyToAdmins: true })],
  imports: [importEntry("tidy", { fileName: "\\.json$" })],
  webhooks: [webhookEntry("events", ["project.approved"])],
});

describe("a manifest", () => {
  it("is read from the app, every address in full", async () => {
    await using run = await startSimulation({ serves: whole });
    const { url } = run.app;
    const result = await run.sim.manifest();
    expect(result).toMatchObject({ command: "manifest", outcome: "ok", reason: null, warnings: [] });
    expect(result.apps).toEqual([
      {
        url,
        source: `${url}/manifest.json`,
        guards: [
          {
            key: "office",
            name: "Guard office",
            description: null,
            url: `${url}/office`,
            type: "direct",
            applyToAdmins: false,
            optionsUrl: null,
          },
          {
            key: "page",
            name: "Guard page",
            description: null,
            url: `${url}/page`,
            type: "redirect",
            applyToAdmins: true,
            optionsUrl: `${url}/page`,
          },
        ],
        imports: [{ key: "tidy", url: `${url}/tidy`, signaturePatterns: { fileName: "\\.json$" } }],
        webhooks: [{ key: "events", url: `${url}/events`, events: ["project.approved"], environments: null }],
      },
    ]);
    expect(exchangesOf(run.sim, "manifest")).toMatchObject([
      { module: null, request: { method: "GET", url: `${url}/manifest.json` }, outcome: { kind: "answered" } },
    ]);
  });

  it("may be a file: then it is not requested from the app", async () => {
    using directory = makeTempDir();
    const manifest = directory.write("manifest.json", whole);
    const url = `http://127.0.0.1:${await unusedPort()}`;
    await using sim = await startSimulator({ app: { url, manifest } });
    expect(await sim.manifest()).toMatchObject({ outcome: "ok", apps: [{ url, source: manifest }] });
    expect(sim.journal.list()).toEqual([]);
  });

  it("may be at another URL; the modules stay with the app", async () => {
    await using elsewhere = await startFakeApp();
    elsewhere.answer(always(whole));
    await using app = await startFakeApp();
    app.answer(always({ success: true }));
    await using sim = await startSimulator({ app: { url: app.url, manifest: `${elsewhere.url}/my/app.json` } });
    expect((await sim.guard({ modules: ["office"] })).outcome).toBe("granted");
    expect(elsewhere.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /my/app.json"]);
    expect(app.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /office"]);
    expect(elsewhere.calls[0]?.header("authorization")).toBeUndefined();
  });

  it("is read of each installed app", async () => {
    await using one = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("a")] }) });
    await using two = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("a")] }) });
    await using sim = await startSimulator({ apps: [{ url: one.url }, { url: two.url }] });
    const { apps } = await sim.manifest();
    expect(apps.map(({ url, guards, webhooks }) => [url, guards.length, webhooks.length])).toEqual([
      [one.url, 1, 0],
      [two.url, 0, 1],
    ]);
  });

  it("is read again for each action", async () => {
    await using run = await startSimulation({ serves: manifestOf({}), answer: always({ success: true }) });
    await run.sim.guard();
    run.app.manifest = whole;
    await run.sim.guard({ modules: ["office"] });
    expect(run.app.calls.map(({ path }) => path)).toEqual(["/office"]);
  });
});

describe("a manifest that breaks the interface", () => {
  const broken = {
    modules: {
      "auth-guard": [guardEntry("office"), { key: "page", name: "Page", url: "/page", options: { type: "redirect" } }],
      webhook: [{ key: "events", url: "/events", events: [] }],
    },
  };

  it.each(["guard", "webhook"] as const)("is reported with all its errors: %s", async (action) => {
    await using run = await startSimulation({ serves: broken });
    const actions = { guard: run.sim.guard, webhook: () => run.sim.webhook("a") };
    const error = await usageErrorOf(actions[action]());
    expect(error.code).toBe("manifest-invalid");
    expect(error.summary).toBe(`the manifest ${run.app.url}/manifest.json is not valid`);
    expect(error.problems.map(({ path }) => path)).toEqual([
      "modules.auth-guard[1].options.url",
      "modules.webhook[0].events",
    ]);
    const told = error.problems.map(({ path, message }) => `${path} ${message}`).join("; ");
    expect(error.message).toBe(`${error.summary}: ${told}`);
  });

  it("is reported with its warnings, too, which may be the cause", async () => {
    const { name, ...nameless } = guardEntry("office");
    const serves = manifestOf({ guards: [{ ...nameless, nmae: name }] });
    await using run = await startSimulation({ serves });
    const { problems } = await usageErrorOf(run.sim.guard());
    expect(problems).toEqual([
      { path: "modules.auth-guard[0].name", message: expect.stringMatching(/^is missing: /) },
      {
        path: "modules.auth-guard[0].nmae",
        message: 'is not part of the interface; ignored. Did you mean "name"?',
        severity: "warning",
      },
    ]);
  });

  it("with a key twice cannot be read at all (R17)", async () => {
    const body = '{"modules":{"auth-guard":[]},"modules":{}}';
    await using run = await startSimulation({ serves: undefined, answer: (call) => call.send(body) });
    const reason = expect.stringContaining('the body has the key "modules" twice in one object');
    expect(await run.sim.guard()).toMatchObject({ outcome: "failed", reason });
  });

  it("in details causes a warning in every result", async () => {
    const serves = { ...whole, version: 1, modules: { ...whole.modules, "auth-gaurd": [] } };
    await using run = await startSimulation({ serves, answer: always({ success: true, data: { strings: [] } }) });
    const warnings = [
      expect.stringMatching(/^manifest: version .*ignored/),
      expect.stringMatching(/^manifest: modules\.auth-gaurd .*Did you mean "auth-guard"\?/),
    ];
    for (const result of [await run.sim.guard(), await run.sim.webhook("project.approved")])
      expect(result.warnings).toEqual(warnings);
    expect(await run.sim.manifest()).toMatchObject({
      outcome: "failed",
      warnings: warnings.slice(0, 1),
      problems: [
        { path: "version", severity: "warning" },
        { path: "modules.auth-gaurd", severity: "error" },
      ],
      apps: [{ url: run.app.url }],
    });
  });

  it("may omit a guard's type: the choice guard.type.default decides, and is named", async () => {
    await using run = await startSimulation({ serves: manifestOf({ guards: [guardEntry("office")] }) });
    const result = await run.sim.manifest();
    expect(result.apps[0]?.guards[0]?.type).toBe("direct");
    expect(result.choices).toContain("guard.type.default");
    run.app.manifest = manifestOf({ guards: [guardEntry("office", { type: "direct" })] });
    expect((await run.sim.manifest()).choices).not.toContain("guard.type.default");
  });

  it.each([
    ["none", undefined],
    ["no options", { options: null, description: null }],
    ["no type", { options: { type: null }, description: null }],
  ])("may have null instead of omitting a field: %s", async (_, nulls) => {
    const serves = manifestOf({ guards: [{ ...guardEntry("office"), ...nulls }] });
    await using run = await startSimulation({ serves, answer: always({ success: true }) });
    const manifest = await run.sim.manifest();
    expect(manifest).toMatchObject({ warnings: [], choices: ["guard.type.default"] });
    expect(manifest.apps[0]?.guards).toMatchObject([{ type: "direct", description: null }]);
    expect(manifest.apps[0]?.guards[0]).not.toHaveProperty("isDefaultType");
    expect((await run.sim.guard()).choices).toContain("guard.type.default");
  });
});

describe("a manifest that cannot be read", () => {
  it.each([
    ["404", (call) => call.send("", { status: 404 }), /answered 404/],
    ["an HTML page", (call) => call.send("<html></html>"), /an HTML page, expected a manifest/],
    [
      "a redirect",
      (call) => call.send("", { status: 301, headers: { location: "/m" } }),
      /redirect to \/m, which app-sim never/,
    ],
    ["a reset", (call) => call.reset(), /closed the connection/],
  ] satisfies [string, NonNullable<Parameters<typeof startSimulation>[0]["answer"]>, RegExp][])(
    "for %s: nothing is granted, imported or delivered",
    async (_, answer, why) => {
      await using run = await startSimulation({ serves: undefined, answer });
      const reason = expect.stringMatching(why);
      const hint = expect.any(String);
      expect(await run.sim.manifest()).toMatchObject({ outcome: "failed", reason, hint, failure: "other", apps: [] });
      expect(await run.sim.guard()).toMatchObject({ outcome: "failed", deniedBy: null, reason, failure: "other" });
      expect(await run.sim.webhook("project.approved")).toMatchObject({ outcome: "failed", reason, deliveries: [] });
      expect(run.app.calls.map(({ path }) => path)).toEqual(Array(3).fill("/manifest.json"));
    },
  );

  it("for the manifest's address instead of the app's: the hint says what to remove", async () => {
    await using app = await startFakeApp();
    app.answer((call) => call.send("", { status: 404 }));
    await using sim = await startSimulator({ app: { url: `${app.url}/manifest.json` } });
    expect((await sim.manifest()).hint).toBe(
      `give the app's address without /manifest.json: app: { url: "${app.url}" }`,
    );
  });

  it.each<[answer: CallHandler, hint: RegExp]>([
    [(call) => call.send("", { status: 404 }), /^is the app's manifest/],
    [(call) => call.send("<!doctype html><h1>My app", { status: 200 }), /If so, is the app's manifest/],
  ])("for an address of the app with a path: suggests the one without", async (answer, hint) => {
    await using app = await startFakeApp();
    app.answer(answer);
    await using sim = await startSimulator({ app: { url: `${app.url}/guards/network` } });
    const { hint: told } = await sim.manifest();
    expect(told).toMatch(hint);
    expect(told).toContain(
      `at ${app.url}/manifest.json? Then give its address without the path: app: { url: "${app.url}" }; otherwise serve the manifest there`,
    );
    const { checks } = await sim.verify({ only: ["manifest.read.found"] });
    if (checks[0]?.result === "fail") expect(checks[0].hint).toBe(told);
  });

  it("for a base path that the app has: its manifest and its modules are below it", async () => {
    await using app = await startFakeApp();
    const serves = manifestOf({ guards: [guardEntry("network")] });
    app.answer((call) => {
      if (call.path === "/base/manifest.json") return call.reply(serves);
      return call.path === "/base/network" ? call.reply({ success: true }) : call.send("", { status: 404 });
    });
    await using sim = await startSimulator({ app: { url: `${app.url}/base/` } });
    expect(await sim.guard()).toMatchObject({ outcome: "granted" });
  });

  it("for an app that is not running: unreachable", async () => {
    const url = `http://127.0.0.1:${await unusedPort()}`;
    await using sim = await startSimulator({ app: { url } });
    expect(await sim.manifest()).toMatchObject({
      outcome: "failed",
      failure: "unreachable",
      reason: `no manifest from ${url}/manifest.json: nothing listens at ${url}`,
    });
  });

  it.each<[string, { readonly status: number; readonly body: string; readonly location?: string }, RegExp]>([
    [
      "says what the smallest is, where there is none",
      { status: 404, body: "not here" },
      /at least \{"modules":\{\}\}, or give/,
    ],
    ["says so where something else is there", { status: 200, body: "<h1>My app</h1>" }, /at least \{"modules":\{\}\}/],
    [
      "asks what answers where a page is there",
      { status: 200, body: "<!doctype html><h1>My app</h1>" },
      /^does a page, or a catch-all route, answer at this address\? If so, serve the manifest there/,
    ],
    [
      "names line, column and slip where JSON is wrong",
      { status: 200, body: '{\n"modules": {},}' },
      /^line 2 column 14, in `"modules": \{\},\}`: JSON allows no comma after the last/,
    ],
    ["says what is least where nothing was sent", { status: 200, body: "" }, /at least \{"modules":\{\}\}/],
    [
      "shows what the app says of its error, and leads to its log",
      { status: 500, body: "TypeError: boom\n" },
      /^the handler of \/manifest\.json failed: look in the app's own log; its answer says: TypeError: boom$/,
    ],
    [
      "leads to the log where the app says nothing of its error",
      { status: 503, body: "" },
      /^the handler of \/manifest\.json failed: look in the app's own log$/,
    ],
    [
      "says of a login that the manifest is read without one",
      { status: 401, body: "who?" },
      /^the platform fetches the manifest without a token: make \/manifest\.json accessible without a login$/,
    ],
    [
      "sees a login page in front of it",
      { status: 302, body: "", location: "/login?next=%2F" },
      /^does a login page protect it\? Then make \/manifest\.json accessible without a login$/,
    ],
    [
      "names the address where it may be",
      { status: 302, body: "", location: "/app/m.json" },
      /a login page protect.*; if the manifest is at the other address, give that with app: { manifest: "http:.*\/app\/m\.json" }$/,
    ],
    [
      "names the address that differs by a slash",
      { status: 301, body: "", location: "/manifest.json/" },
      /at another address: give it with app: { manifest: "http:.*\/manifest\.json\/" }, or serve it at \/manifest\.json directly/,
    ],
    [
      "names the address with TLS",
      { status: 301, body: "", location: "https://HOST/manifest.json" },
      /^the app requires TLS: give its address with app: { url: "https:/,
    ],
    ["knows no way where a redirect leads nowhere", { status: 301, body: "" }, /at least \{"modules":\{\}\}, or give/],
  ])("%s", async (_, { status, body, location }, hint) => {
    await using app = await startFakeApp();
    const headers = location === undefined ? {} : { location: location.replace("HOST", new URL(app.url).host) };
    app.answer((call) => call.send(body, { status, headers }));
    await using sim = await startSimulator({ app: { url: app.url } });
    expect((await sim.manifest()).hint).toMatch(hint);
  });

  it("for a file that is not there: the user's mistake", async () => {
    await using sim = await startSimulator({ app: { manifest: "nowhere/manifest.json" } });
    const error = await usageErrorOf(sim.manifest());
    expect(error.summary).toMatch(/^manifest \/.*\/nowhere\/manifest\.json cannot be read: there is no such file$/);
    expect(error.hint).toBe(
      "for a path of your app, give its whole address, such as http://127.0.0.1:3000/manifest.json",
    );
  });
});
