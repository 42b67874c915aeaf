import { describe, expect, it } from "vitest";
import { type ScenarioResult, type SimulatorOptions, scenarioResultSchema } from "../../src/index.ts";
import { startCallingApp } from "../rig/calling-app.ts";
import { type CallHandler, guardEntry, importEntry, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { callApi, garden, startPlatform } from "../rig/oauth.ts";
import { always, exchangesOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

/** Writes a scenario of these steps, each in one line, into `scenarios/a.yml`. */
function write(directory: TempDir, steps: readonly string[]): string {
  return directory.write("scenarios/a.yml", `steps:\n${steps.map((step) => `  - ${step}\n`).join("")}`);
}

/** What the scenario ended with, and of each step the purposes of the exchanges that it made or matched. */
interface Played {
  readonly result: ScenarioResult;
  readonly purposes: readonly string[][];
}

/** Runs a scenario of these steps on a platform with this app, beside a fixture of one job. */
async function play(app: { readonly url: string }, steps: readonly string[], options: SimulatorOptions = {}) {
  using directory = makeTempDir();
  // A repository: the scenario and the fixture are in different folders of it.
  directory.write(".git/HEAD", "");
  directory.write("job.json", { file: { path: "site.txt" }, targetLanguages: ["uk"], strings: [] });
  directory.write("site.txt", "Hello");
  await using sim = await startPlatform({ app: { ...garden, url: app.url }, ...options });
  const result = await sim.run(write(directory, steps));
  expect(scenarioResultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  const exchanges = sim.journal.list().flatMap((record) => (record.type === "exchange" ? [record] : []));
  const purposes = result.scenarios.flatMap((scenario) =>
    scenario.steps.map((step) =>
      step.exchanges.map((id) => exchanges.find((exchange) => exchange.id === id)?.purpose ?? "none"),
    ),
  );
  return { result, purposes } satisfies Played;
}

/** Runs it with an app that serves this manifest and answers so. */
async function playWith(
  manifest: unknown,
  answer: CallHandler,
  steps: readonly string[],
  options: SimulatorOptions = {},
): Promise<Played> {
  await using app = await startFakeApp({ manifest });
  app.answer(answer);
  return await play(app, steps, options);
}

describe("login (interface 5.2)", () => {
  /** Runs it on a platform that asks its users, with an app that knows where that is. */
  async function logIn(steps: readonly string[], { faults = [] as string[], isRegistered = true, start = "" } = {}) {
    await using app = await startCallingApp();
    const redirectUris = isRegistered ? [app.callbackUrl] : [];
    const options = {
      app: { ...garden, url: app.url, redirectUris },
      verify: { oauth: start === "" ? null : { start } },
    };
    const platform = { oauth: { consent: "ask" }, faults, ...options } as const;
    await using sim = await startPlatform(platform);
    app.connect(sim);
    using directory = makeTempDir();
    const result = await sim.run(write(directory, steps));
    return {
      result,
      tokens: exchangesOf(sim, "token"),
      asked: exchangesOf(sim, "authorize"),
      clock: sim.clock.state(),
    };
  }

  it("gets the app a token without a person, and does not change the clock; later steps do not see its requests", async () => {
    const { result, tokens, asked, clock } = await logIn(["login: /login", "expect: { no: /**, within: 0ms }"]);
    expect(result).toMatchObject({ outcome: "passed", reason: null, warnings: [] });
    expect(result.scenarios[0]?.steps[0]?.exchanges).toContain(tokens[0]?.id);
    expect([asked.length, tokens.length, clock.offsetMs]).toEqual([1, 1, 0]);
    expect(result.choices).toContain("oauth.code.lifetime");
  });

  it("starts at the configured login link", async () => {
    const { result, tokens } = await logIn(["login: true"], { start: "/login" });
    expect([result.outcome, tokens.length]).toEqual(["passed", 1]);
    expect((await logIn(["login: true"])).result.scenarios[0]?.steps[0]).toMatchObject({
      mistake: true,
      reason: expect.stringContaining("give login.start of the step, or verify.oauth.start"),
    });
  });

  it("or gets a refusal if the user declines, whoever the user is", async () => {
    const { result, tokens } = await logIn(["login: { start: /login, user: admin, deny: true }"]);
    expect([result.outcome, tokens]).toEqual(["passed", []]);
  });

  it.each<[what: string, step: string, ways: Parameters<typeof logIn>[1], reason: string]>([
    ["an app without that link", "login: /log-in", {}, "the app answered 401, not with a redirect to"],
    ["a callback that nobody registered", "login: /login", { isRegistered: false }, "is not registered"],
    ["a platform that declines by itself", "login: /login", { faults: ["consent=denied"] }, "the platform declined"],
    [
      "a page to use the token on that there is not",
      "login: { start: /login, use: /x }",
      {},
      "on login.use of the step the app",
    ],
  ])("fails for %s", async (_, step, ways, reason) => {
    const { result } = await logIn([step], ways);
    expect(result).toMatchObject({ outcome: "failed", failure: "other", reason: expect.stringContaining(reason) });
  });

  it.each([
    ["login: /log-in", /^login\.start of the step, or else verify\.oauth\.start /],
    ["login: http://127.0.0.1:7410/oauth/authorize", /^is that the platform's page\? login\.start of the step is /],
  ])("has no flags to hint at: %s", async (step, hint) => {
    const { result } = await logIn([step]);
    expect(result.scenarios[0]?.steps[0]?.hint).toMatch(hint);
  });

  it("gets a hint with the path if its start differs from the app's address only by https", async () => {
    const app = { url: `http://127.0.0.1:${await unusedPort()}` };
    const { result } = await play(app, [`login: ${app.url.replace("http:", "https:")}/login?to=a&b`]);
    const [step] = result.scenarios[0]?.steps ?? [];
    expect(step).toMatchObject({
      mistake: true,
      hint: expect.stringMatching(/only in https:\/\/: use login\.start: '\/login\?to=a&b'$/),
    });
  });

  it("reports an unreachable app like every step", async () => {
    const app = { url: `http://127.0.0.1:${await unusedPort()}` };
    expect((await play(app, ["login: /login"])).result).toMatchObject({ outcome: "failed", failure: "unreachable" });
  });

  it("must start at the app: the mistake is reported with its line", async () => {
    const { result } = await logIn(["wait: 1ms", "login: https://elsewhere.example/login"]);
    expect(result.scenarios[0]?.steps[1]).toMatchObject({
      line: 3,
      mistake: true,
      reason: expect.stringMatching(/^the login link is at https:\/\/elsewhere\.example/),
    });
  });
});

describe("guard (interface 3.1)", () => {
  const manifest = manifestOf({ guards: [guardEntry("office")] });
  const granted = always({ success: true });
  const denied = always({ success: false });
  const broken: CallHandler = (call) => call.send("", { status: 500 });

  it.each<[step: string, answer: CallHandler, reason: string | null]>([
    ["guard: true", granted, null],
    ["{ guard: { user: manager, mfa: true }, expect: granted }", granted, null],
    ["{ guard: { ipAddress: 198.51.100.7 }, expect: denied }", denied, null],
    ["{ guard: { fail: { password: 99 } }, expect: denied }", granted, null],
    ["guard: true", denied, "denied"],
    ["{ guard: true, expect: denied }", granted, "the login was granted, not denied"],
    ["{ guard: true, expect: denied }", broken, "500"],
    ["guard: true", (call) => call.reply({ type: "redirect" }), ""],
  ])("%s", async (step, answer, reason) => {
    const { result, purposes } = await playWith(manifest, answer, [step]);
    expect(result.outcome).toBe(reason === null ? "passed" : "failed");
    if (reason !== null) expect(result.reason).toContain(reason);
    expect(purposes.flat()).toEqual(step.includes("password") ? [] : ["guard"]);
  });

  it("fails without a guard, because that proves nothing about the app", async () => {
    const { result } = await playWith(manifestOf({}), granted, ["guard: true"]);
    expect(result).toMatchObject({
      outcome: "failed",
      reason: "no auth-guard module is declared: nothing was checked",
    });
  });
});

describe("import (interface 2.3, 2.4)", () => {
  const manifest = manifestOf({ imports: [importEntry("tidy")] });
  const imports = always({ data: { strings: [] } });

  it.each<[step: string, answer: CallHandler, reason: string | null]>([
    ["import: ../job.json", imports, null],
    ["{ import: { file: ../job.json, via: url, user: owner }, expect: imported }", imports, null],
    ["{ import: ../job.json, expect: not-modified }", (call) => call.send("", { status: 304 }), null],
    ["{ import: ../job.json, expect: failed }", (call) => call.send("", { status: 500 }), null],
    ["import: ../job.json", (call) => call.send("", { status: 500 }), "500"],
    ["{ import: ../job.json, expect: failed }", imports, "the job is imported, not failed"],
  ])("%s", async (step, answer, reason) => {
    const { result, purposes } = await playWith(manifest, answer, [step]);
    expect([result.outcome, result.reason]).toEqual(
      reason === null ? ["passed", null] : ["failed", expect.stringContaining(reason)],
    );
    expect(purposes.flat()).toContain("post-import");
  });

  it("does not accept an unreachable app as an expected failure", async () => {
    using directory = makeTempDir();
    const file = directory.write("manifest.json", manifest);
    const app = { ...garden, url: `http://127.0.0.1:${await unusedPort()}`, manifest: file };
    const { result } = await play(app, ["{ import: ../job.json, expect: failed }"], { app });
    expect(result).toMatchObject({ outcome: "failed", failure: "unreachable" });
  });

  it("names the line of an invalid fixture", async () => {
    const { result } = await playWith(manifest, imports, ["import: ../jobs.json"]);
    expect(result.scenarios[0]?.steps).toMatchObject([
      { line: 2, mistake: true, reason: expect.stringContaining("jobs.json") },
    ]);
  });
});

describe("install and uninstall (choice install.event)", () => {
  const manifest = { ...manifestOf({}), events: { installed: "/installed", uninstall: "/uninstall" } };
  const choices = { "install.event": "on" } as const;
  const acknowledges: CallHandler = (call) => call.send("", { status: 204 });

  it("send the event, and pass if the app accepts it; its requests during the call are seen", async () => {
    await using app = await startFakeApp({ manifest });
    const port = await unusedPort();
    app.answer(async (call) => {
      if (call.path === "/installed") await callApi({ url: `http://127.0.0.1:${port}` }, null);
      acknowledges(call);
    });
    const steps = ["install: true", "expect: { call: GET /api/v2/projects }", "uninstall: { user: admin }"];
    const { result, purposes } = await play(app, steps, { choices, port });
    expect([result.outcome, ...purposes]).toEqual(["passed", ["install", "api"], ["api"], ["uninstall"]]);
    expect(result.choices).toContain("install.event");
  });

  it("fail if it does not, or has no address for the event", async () => {
    const refuses: CallHandler = (call) => call.send("", { status: 500 });
    const refused = await playWith(manifest, refuses, ["install: true"], { choices });
    expect(refused.result).toMatchObject({ outcome: "failed", reason: expect.stringContaining("500") });
    const wanted = await playWith(manifest, refuses, ["install: true\n    expect: failed"], { choices });
    expect(wanted.result.outcome).toBe("passed");
    const unwanted = await playWith(manifest, acknowledges, ["install: true\n    expect: failed"], { choices });
    expect(unwanted.result).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("should have refused it"),
    });
    const untold = await playWith(manifestOf({}), refuses, ["uninstall: true"], { choices });
    expect(untold.result).toMatchObject({ outcome: "failed", reason: expect.stringContaining("events.uninstall") });
  });

  it("are a mistake if the choice is off: with line, cause and what to do", async () => {
    const { result } = await playWith(manifest, acknowledges, ["wait: 1ms", "install: true"]);
    expect(result.scenarios[0]?.steps[1]).toMatchObject({
      line: 3,
      mistake: true,
      reason: expect.stringMatching(/^install: the choice install\.event is off/),
      hint: expect.stringContaining('choices: { "install.event": "on" }'),
    });
  });
});
