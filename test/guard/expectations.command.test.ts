import { describe, expect, test } from "vitest";
import { startSampleApp } from "../../examples/sample-app/app.js";
import { expectedExitCode, type LoginExpectation } from "../../src/guard/exit-code.ts";
import { guardResultSchema } from "../../src/index.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { type CallHandler, guardEntry, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { startSimulation } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const manifest = manifestOf({
  guards: [guardEntry("office"), guardEntry("account"), guardEntry("agreement", { type: "frame", url: "/page" })],
});

/** How the app answers, one word each. */
const answers = {
  approves: (call) => call.reply({ success: true }),
  denies: (call) => call.reply({ success: false, message: "No." }),
  "denies in account": (call) => call.reply({ success: call.path !== "/account" }),
  "denies in words about its token": (call) => call.reply({ success: false, message: "Invalid token" }),
  "a text for a boolean": (call) => call.reply({ success: "false" }),
  "both answers at once": (call) => call.send('{"success":false,"success":true}'),
  "a refused token": (call) => call.send("", { status: 401 }),
  "a denial with 403": (call) => call.reply({ success: false, message: "No." }, { status: 403 }),
  "a crash": (call) => call.reset(),
} satisfies Record<string, CallHandler>;

const granted: LoginExpectation = { outcome: "granted" };
const denied: LoginExpectation = { outcome: "denied" };
const refused: LoginExpectation = { outcome: "refused" };
const byOffice: LoginExpectation = { outcome: "denied", deniedBy: "office" };

describe("the exit code of a login with an expected outcome", () => {
  test.each<[answer: keyof typeof answers, expected: LoginExpectation, code: number]>([
    ["approves", granted, 0],
    ["approves", denied, 1],
    ["approves", byOffice, 1],
    ["denies", granted, 1],
    ["denies", denied, 0],
    ["denies", byOffice, 0],
    ["denies in account", denied, 0],
    ["denies in account", byOffice, 1],
    ["denies in words about its token", denied, 1],
    // None of these is the guard's own no.
    ["a text for a boolean", denied, 1],
    ["both answers at once", denied, 1],
    ["a refused token", denied, 1],
    ["a refused token", byOffice, 1],
    ["a denial with 403", byOffice, 1],
    ["a crash", denied, 1],
    ["a crash", byOffice, 1],
    // A refusal is a 401 or 403, whatever else it says.
    ["a refused token", refused, 0],
    ["a denial with 403", refused, 0],
    ["a denial with 403", { ...refused, deniedBy: "account" }, 1],
    ["approves", refused, 1],
    ["denies", refused, 1],
    ["a crash", refused, 1],
  ])("%s, %j: %i", async (answer, expected, code) => {
    await using run = await startSimulation({ serves: manifest, answer: answers[answer], listen: false });
    const result = await run.sim.guard({ modules: ["office", "account"] });
    expect(expectedExitCode(result, expected)).toBe(code);
  });

  test.each([granted, denied, byOffice])("an app that is down, %j: 3", async (expected) => {
    using directory = makeTempDir();
    const url = `http://127.0.0.1:${await unusedPort()}`;
    for (const from of [{}, { manifest: directory.write("manifest.json", manifest) }]) {
      await using sim = await startPlatform({ app: { url, ...from }, listen: false });
      expect(expectedExitCode(await sim.guard(), expected)).toBe(3);
    }
  });

  test("a guard that sends the user to a page has neither let in nor denied: 1", async () => {
    await using run = await startSimulation({ serves: manifest, answer: answers.denies, listen: false });
    const result = await run.sim.guard({ modules: ["agreement"] });
    expect([granted, denied].map((expected) => expectedExitCode(result, expected))).toEqual([1, 1]);
  });
});

describe.concurrent("app-sim guard --expect, --expect-denied-by", () => {
  const direct = ["--module", "office", "account"];

  test.each<[answer: keyof typeof answers, args: readonly string[], code: number, last: RegExp]>([
    ["approves", ["--expect", "granted"], 0, /^as expected: granted$/],
    [
      "approves",
      ["--expect", "denied"],
      1,
      /^not as expected: denied was expected; does the guard judge by .*ipAddress of/,
    ],
    ["denies", ["--expect", "denied"], 0, /^as expected: denied$/],
    ["denies", ["--expect-denied-by", "office"], 0, /^as expected: denied by office$/],
    ["denies in words about its token", ["--expect", "denied"], 1, /not with a message about the token/],
    ["denies in account", ["--expect-denied-by", "office"], 1, /^not as expected: denied by office was expected/],
  ])("%s, %j: exit %i, and the last line gives the reason", async (answer, args, code, last) => {
    await using app = await startFakeApp({ manifest });
    app.answer(answers[answer]);
    const result = await runLine(["guard", "--app", app.url, ...direct, ...args]);
    expect([result.code, result.stdout.trimEnd().split("\n").at(-1)]).toEqual([code, expect.stringMatching(last)]);
  });

  test("a denial as expected, with no sign that the guard lets anybody in: names the command that tries both", async () => {
    using directory = makeTempDir();
    await using app = await startFakeApp({ manifest });
    const said = "Nothing in the journal shows that office lets anybody in. To try both:";
    const run = (...args: readonly string[]) =>
      runLine(["guard", "--app", app.url, "--module", "office", ...args], { cwd: directory.path });
    app.answer(answers.denies);
    const first = await run("--expect", "denied");
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining(said)]);
    expect(first.stdout).toMatch(/app-sim guard --tamper --app \S+ --module office\nas expected: denied\n$/);
    expect((await run("--expect", "granted")).stdout).not.toContain(said);
    app.answer(answers.approves);
    await run();
    app.answer(answers.denies);
    const later = await run("--expect", "denied");
    expect([later.code, later.stdout]).toEqual([0, expect.not.stringContaining(said)]);
  });

  test("an app that is down: exit 3", async () => {
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const { code, stdout } = await runLine(["guard", "--app", url, "--expect", "denied"]);
    expect([code, stdout]).toEqual([3, expect.stringMatching(/\nnot as expected: denied was expected[^\n]*\n$/)]);
  });

  test("an app with another client secret denies everybody, not as expected: exit 1, and the hint says why", async () => {
    const secrets = { clientSecret: "another", appSecret: "app-sim-app-secret" };
    const app = await startSampleApp({
      clientId: "app-sim-client",
      ...secrets,
      authUrl: "http://127.0.0.1:7410",
      port: 0,
    });
    const args = ["guard", "--app", app.url, "--ip", "198.51.100.7", "--expect", "denied"];
    const { code, stdout } = await runLine(args);
    await app.close();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ +hint: .*CLIENT_SECRET/m);
    expect(stdout).toMatch(/\nLogin failed at .*\n[\s\S]*not as expected: denied/);
  });

  test("as JSON: the expectation and whether it was met; null without one", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(answers.denies);
    const expected = [
      [["--expect-denied-by", "office"], 0, { outcome: "denied", deniedBy: "office", isMet: true }],
      [["--expect-denied-by", "account"], 1, { outcome: "denied", deniedBy: "account", isMet: false }],
      [["--expect", "granted"], 1, { outcome: "granted", deniedBy: null, isMet: false }],
      [[], 1, null],
    ] as const;
    for (const [args, code, expectation] of expected) {
      const { stdout, ...end } = await runLine(["guard", "--app", app.url, ...args, "--format", "json"]);
      const result = guardResultSchema.parse(onlyObject(stdout));
      expect({ code: end.code, result }).toMatchObject({ code, result: { outcome: "denied", expectation } });
    }
  });

  test("as JSON: the warnings of a guard's page, which --strict turns into exit 1", async () => {
    const serves = manifestOf({ guards: [guardEntry("terms", { type: "redirect", url: "/page" })] });
    await using app = await startFakeApp({ manifest: serves });
    let status = 301;
    app.answer((call) => {
      if (call.method === "POST") return call.reply({ success: (call.json() as { code?: string }).code === "good" });
      const state = new URL(call.path, app.url).searchParams.get("state");
      const location = `http://127.0.0.1:7410/acme/guard/callback?state=${state}&code=good`;
      return call.send("", { status, headers: { location } });
    });
    const guard = (...args: string[]) => runLine(["guard", "--app", app.url, "--fill", "x=1", ...args]);
    const warned = await guard("--format", "json");
    expect(guardResultSchema.parse(onlyObject(warned.stdout)).stages).toContainEqual(
      expect.objectContaining({
        module: "terms",
        warnings: ["the app sent the user back with HTTP 301, expected HTTP 302 (interface 4.2)"],
      }),
    );
    const strict = await guard("--strict");
    expect([warned.code, strict.code, strict.stdout]).toEqual([
      0,
      1,
      expect.stringMatching(/\nA warning fails this run \(--strict\)\n$/),
    ]);
    status = 302;
    expect((await guard("--strict")).code).toBe(0);
  });

  test.each([
    [["--expect", "granted", "--expect-denied-by", "office"], "expectation-invalid", "exclude each other"],
    [["--expect", "maybe"], "usage", "--expect cannot be maybe"],
  ])("%j: exit 2 and nothing is sent", async (args, code, says) => {
    await using app = await startFakeApp({ manifest });
    const result = await runLine(["guard", "--app", app.url, ...args, "--format", "json"]);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(onlyObject(result.stderr).error).toMatchObject({ code, message: expect.stringContaining(says) });
    expect(app.calls).toEqual([]);
  });
});

test("--expect-denied-by names a guard of the login: any other is a mistake, and not a login that ended otherwise", async () => {
  await using app = await startFakeApp({ manifest });
  app.answer(answers.denies);
  const args = ["guard", "--app", app.url, "--expect-denied-by", "ofice", "--format", "json"];
  const { code, stdout, stderr } = await runLine(args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(onlyObject(stderr).error).toMatchObject({
    code: "unknown-module",
    message: expect.stringContaining('no auth-guard module "ofice" in this login. Did you mean "office"?'),
  });
});
