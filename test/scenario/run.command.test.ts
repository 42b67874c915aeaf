import { relative } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { scenarioResultSchema } from "../../src/index.ts";
import { scenarioCommand } from "../../src/scenario/command.ts";
import { runCli } from "../rig/cli.ts";
import { type RunningCommand, startCommand, withCall } from "../rig/command.ts";
import {
  type CallHandler,
  type FakeApp,
  manifestOf,
  startFakeApp,
  startSilentPort,
  unusedPort,
  webhookEntry,
} from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { callApi } from "../rig/oauth.ts";
import { exchangesIn, isListening, onlyObject, rawControls } from "../rig/output.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const acknowledge: CallHandler = (call) => call.send("", { status: 204 });
const delivers = "name: it is delivered\nsteps:\n  - deliver: project.approved\n";

let app: FakeApp;
let directory: TempDir;

beforeAll(async () => {
  app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("hook")] }) });
});
afterAll(() => app.close());
afterEach(() => directory[Symbol.dispose]());

type Files = Readonly<Record<string, string>>;
type Changes = Omit<NonNullable<Parameters<typeof startCommand>[1]>, "cwd">;

/** Makes a directory of their own for scenarios, in which they lie by these names. */
function lay(files: Files): string {
  directory = makeTempDir();
  for (const [name, text] of Object.entries(files)) directory.write(name, text);
  return directory.path;
}

/** Runs scenarios from the directory in which they lie. */
function start(files: Files, names: readonly string[], { settings, ...changes }: Changes = {}): RunningCommand {
  return startCommand(withCall(scenarioCommand, { args: names }), {
    cwd: lay(files),
    settings: { app: app.url, port: "0", ...settings },
    ...changes,
  });
}

/** Waits for the end of it, too. */
async function done(...parameters: Parameters<typeof start>) {
  const command = start(...parameters);
  return { code: await command.done, stdout: command.stdout(), stderr: command.stderr() };
}

describe("app-sim run FILE", () => {
  test("as text: a line for each step, exit 0", async () => {
    app.answer(acknowledge);
    const cwd = lay({ "round.yml": delivers });
    const { code, stdout, stderr } = await runCli(["run", "round.yml", "--app", app.url, "--port", "0"], { cwd });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^it is delivered {2}round\.yml\n {2}✓ deliver project\.approved {2}\d+ ms\n\nPassed: 1 scenario\n/,
    );
  });

  test("as JSON: stdout is one object", async () => {
    app.answer(acknowledge);
    const { code, stdout } = await done({ "round.yml": delivers }, ["round.yml"], { format: "json" });
    const result = scenarioResultSchema.parse(onlyObject(stdout));
    expect([code, result.outcome]).toEqual([0, "passed"]);
    expect(result.scenarios).toMatchObject([
      { file: expect.stringMatching(/\/round\.yml$/), name: "it is delivered", steps: [{ line: 3, step: "deliver" }] },
    ]);
    const [webhook] = exchangesIn(directory.path).filter(({ purpose }) => purpose === "webhook");
    expect(result.scenarios[0]?.steps[0]?.exchanges).toEqual([webhook?.id]);
  });

  test("several files, those of a directory and of a pattern, one after another in their order", async () => {
    app.answer(acknowledge);
    const files = { "a/2.yaml": delivers, "a/1.yml": delivers, "a/notes.txt": "none", "b.yml": delivers };
    const { stdout } = await done(files, ["b.yml", "a", "a/*.yml"], { format: "json" });
    const { scenarios } = scenarioResultSchema.parse(onlyObject(stdout));
    expect(scenarios.map(({ file }) => relative(directory.path, file))).toEqual([
      "b.yml",
      "a/1.yml",
      "a/2.yaml",
      "a/1.yml",
    ]);
  });

  test("requests of the app during the run are seen, at the configured port", async () => {
    const port = await unusedPort();
    app.answer(async (call) => {
      call.send("", { status: 204 });
      await callApi({ url: `http://127.0.0.1:${port}` }, null);
    });
    const steps = `${delivers}  - expect: { call: GET /api/v2/projects, status: 401 }\n`;
    const { code, stdout } = await done({ "round.yml": steps }, ["round.yml"], { settings: { port: `${port}` } });
    expect(stdout).toMatch(/✓ expect GET \/api\/v2\/projects with status 401 {2}\d+ ms\n/);
    expect([code, await isListening(port)]).toEqual([0, false]);
  });
});

describe("a scenario that fails", () => {
  test("exit 1: reason, hint, the exchanges in short, and the seed", async () => {
    app.answer((call) => call.send("\u001b[31m", { status: 500 }));
    const { code, stdout } = await done({ "round.yml": `${delivers}  - wait: 1ms\n` }, ["round.yml"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\n {2}✗ deliver project\.approved {2}line 3, failed after \d+ ms\n {6}.*500.*\n/);
    expect(stdout).toMatch(/\n {6}→ POST .*\/hook\n(?:.*\n)* {6}← 500 .*\n/);
    expect(stdout).toMatch(/\n {2}- wait 1ms {2}skipped\n {2}seed (\d+): write `seed: \1` into the file/);
    expect(stdout).toMatch(/\nFailed: 1 of 1 scenario\n/);
    expect(rawControls(stdout)).toEqual([]);
  });

  test("no seed if nothing was random; the JSON has it", async () => {
    app.answer((call) => call.send("", { status: 500 }));
    const steps = "steps:\n  - wait: 1ms\n  - expect: { call: GET /api/v2/projects, within: 1ms }\n";
    const text = await done({ "round.yml": steps }, ["round.yml"]);
    expect(text.code).toBe(1);
    expect(text.stdout).toContain("failed after");
    expect(text.stdout).not.toContain("seed");
  });

  test("exit 3 if the app cannot be reached", async () => {
    const nobody = `http://127.0.0.1:${await unusedPort()}`;
    const { code } = await done({ "round.yml": delivers }, ["round.yml"], { settings: { app: nobody } });
    expect(code).toBe(3);
  });

  test("exit 4 if it takes too long", async () => {
    app.answer((call) => call.hang());
    const settings = { choose: ["webhook.timeout=1000"] };
    const { code } = await done({ "round.yml": delivers }, ["round.yml"], { settings });
    expect(code).toBe(4);
  });

  test("exit 130 when it is interrupted, with the steps so far", async () => {
    const waits = "steps:\n  - expect: { call: GET /x, within: 1h }\n";
    await using command = start({ "round.yml": waits }, ["round.yml"], { format: "json" });
    // It says so when it takes its time.
    await command.printed(/steps/);
    command.signal("SIGINT");
    const [code, stdout] = [await command.done, command.stdout()];
    expect([code, onlyObject(stdout)]).toMatchObject([130, { outcome: "failed", failure: "interrupted" }]);
  });

  test("of several, those that were not started are reported, too", async () => {
    const files = { "a.yml": "steps:\n  - wait: 1h\n", "b.yml": delivers };
    await using command = start(files, ["a.yml", "b.yml"]);
    await command.printed(/steps/);
    command.signal("SIGINT");
    const [code, stdout] = [await command.done, command.stdout()];
    expect([code, stdout]).toEqual([130, expect.stringContaining("\nInterrupted: 1 of 2 scenarios started\n")]);
    expect(stdout).not.toContain("seed");
  });
});

describe("a mistake that shows only when it runs", () => {
  const mistaken = "steps:\n  - deliver: { events: project.approved, set: [projet.id=1] }\n";

  test("exit 2, with the whole report on stdout", async () => {
    app.answer(acknowledge);
    const { code, stdout } = await done({ "a.yml": delivers, "b.yml": mistaken }, ["a.yml", "b.yml"]);
    expect(code).toBe(2);
    expect(stdout).toMatch(
      / {2}✓ deliver project\.approved(?:.*\n)+ {2}✗ deliver .*line 2, failed.*\n {6}.*Did you mean/,
    );
    expect(stdout).toMatch(/\n {6}hint: .*(?:.*\n)+Failed: 1 of 2 scenarios\n/);
  });

  test("exit 1 if something else failed, too", async () => {
    app.answer((call) => call.send("", { status: 500 }));
    const { code } = await done({ "a.yml": delivers, "b.yml": mistaken }, ["a.yml", "b.yml"], { format: "json" });
    expect(code).toBe(1);
  });
});

describe("wrong usage: exit 2, and nothing is sent", () => {
  test("mistakes in a scenario, or a missing one", async () => {
    const cwd = lay({ "a.yml": delivers, "b.yml": "steps:\n  - waitt: 1s\n" });
    const before = app.calls.length;
    const { code, stdout, stderr } = await runCli(["run", "a.yml", "b.yml", "--app", app.url, "--port", "0"], { cwd });
    expect([code, stdout, app.calls.length - before]).toEqual([2, "", 0]);
    expect(stderr).toMatch(/ b\.yml:2:5 steps\[0\] .*Did you mean "wait"\?/);
    const none = await runLine(["run"], { cwd });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("missing required argument")]);
  });

  test.each<[files: Files, names: string[], says: RegExp]>([
    [{ "a.yml": "steps:\n  - wait: 1x\n" }, ["a.yml"], /a\.yml:2:5 steps\[0\]\.wait/],
    [{}, ["a.yml"], /scenario .*a\.yml cannot be read: there is no such file/],
    [{ "a/b.txt": "" }, ["a"], /there is no scenario in a/],
  ])("%j %j", async (files, names, says) => {
    const { message, problems } = await usageErrorOf(start(files, names).done);
    expect([message, ...problems.map(({ path }) => path)].join("\n")).toMatch(says);
  });

  test("a port that is taken", async () => {
    await using other = await startSilentPort();
    const settings = { port: `${other.port}` };
    const { message } = await usageErrorOf(start({ "a.yml": delivers }, ["a.yml"], { settings }).done);
    expect(message).toContain(`port ${other.port} of 127.0.0.1 is taken`);
  });
});
