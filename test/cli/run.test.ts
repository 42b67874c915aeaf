import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { scenarioResultSchema } from "../../src/index.ts";
import { runCli, startCli } from "../rig/cli.ts";
import {
  type CallHandler,
  type FakeApp,
  manifestOf,
  startFakeApp,
  startSilentPort,
  unusedPort,
  webhookEntry,
} from "../rig/fake-app.ts";
import { callApi } from "../rig/oauth.ts";
import { exchangesIn, isListening, onlyObject, rawControls } from "../rig/output.ts";
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

/** Runs scenarios in a directory of their own, in which they lie by these names. */
async function run(files: Readonly<Record<string, string>>, names: readonly string[], ...flags: string[]) {
  directory = makeTempDir();
  for (const [name, text] of Object.entries(files)) directory.write(name, text);
  return runCli(["run", ...names, "--app", app.url, "--port", "0", ...flags], { cwd: directory.path });
}

describe("app-sim run FILE", () => {
  test("as text: a line for each step, exit 0", async () => {
    app.answer(acknowledge);
    const { code, stdout, stderr } = await run({ "round.yml": delivers }, ["round.yml"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^it is delivered {2}round\.yml\n {2}✓ deliver project\.approved {2}\d+ ms\n\nPassed: 1 scenario\n/,
    );
  });

  test("as JSON: stdout is one object", async () => {
    app.answer(acknowledge);
    const { code, stdout } = await run({ "round.yml": delivers }, ["round.yml"], "--format", "json");
    const result = scenarioResultSchema.parse(onlyObject(stdout));
    expect([code, result.outcome]).toEqual([0, "passed"]);
    expect(result.scenarios).toMatchObject([
      { file: "round.yml", name: "it is delivered", steps: [{ line: 3, step: "deliver" }] },
    ]);
    const [webhook] = exchangesIn(directory.path).filter(({ purpose }) => purpose === "webhook");
    expect(result.scenarios[0]?.steps[0]?.exchanges).toEqual([webhook?.id]);
  });

  test("several files, those of a directory and of a pattern, one after another in their order", async () => {
    app.answer(acknowledge);
    const files = { "a/2.yaml": delivers, "a/1.yml": delivers, "a/notes.txt": "none", "b.yml": delivers };
    const { stdout } = await run(files, ["b.yml", "a", "a/*.yml"], "--format", "json");
    const { scenarios } = scenarioResultSchema.parse(onlyObject(stdout));
    expect(scenarios.map(({ file }) => file)).toEqual(["b.yml", "a/1.yml", "a/2.yaml", "a/1.yml"]);
  });

  test("what the app calls meanwhile is seen, at the port that is configured", async () => {
    const port = await unusedPort();
    app.answer(async (call) => {
      call.send("", { status: 204 });
      await callApi({ url: `http://127.0.0.1:${port}` }, null);
    });
    const steps = `${delivers}  - expect: { call: GET /api/v2/projects, status: 401 }\n`;
    const { code, stdout } = await run({ "round.yml": steps }, ["round.yml"], "--port", `${port}`);
    expect(stdout).toMatch(/✓ expect GET \/api\/v2\/projects with status 401 {2}\d+ ms\n/);
    expect([code, await isListening(port)]).toEqual([0, false]);
  });
});

describe("a scenario that fails", () => {
  test("exit 1: reason, hint, the exchanges in short, and the seed", async () => {
    app.answer((call) => call.send("\u001b[31m", { status: 500 }));
    const { code, stdout } = await run({ "round.yml": `${delivers}  - wait: 1ms\n` }, ["round.yml"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\n {2}✗ deliver project\.approved {2}line 3, failed after \d+ ms\n {6}.*500.*\n/);
    expect(stdout).toMatch(/\n {6}→ POST .*\/hook\n(?:.*\n)* {6}← 500 .*\n/);
    expect(stdout).toMatch(/\n {2}- wait 1ms {2}skipped\n {2}seed (\d+): write `seed: \1` into the file/);
    expect(stdout).toMatch(/\nFailed: 1 of 1 scenario\n/);
    expect(rawControls(stdout)).toEqual([]);
  });

  test("exit 3 where the app cannot be reached", async () => {
    const nobody = `http://127.0.0.1:${await unusedPort()}`;
    const { code } = await run({ "round.yml": delivers }, ["round.yml"], "--app", nobody);
    expect(code).toBe(3);
  });

  test("exit 4 where it takes too long", async () => {
    app.answer((call) => call.hang());
    const flags = ["--choose", "webhook.timeout=1000"];
    const { code } = await run({ "round.yml": delivers }, ["round.yml"], ...flags);
    expect(code).toBe(4);
  });

  test("exit 130 when it is interrupted: what was done is told", async () => {
    directory = makeTempDir();
    directory.write("round.yml", "steps:\n  - expect: { call: GET /x, within: 1h }\n");
    await using cli = startCli(["run", "round.yml", "--port", "0", "--format", "json"], { cwd: directory.path });
    // It says so when it takes its time.
    await cli.printed(/steps/);
    cli.child.kill("SIGINT");
    const { code, stdout } = await cli.done;
    expect([code, onlyObject(stdout)]).toMatchObject([130, { outcome: "failed", failure: "interrupted" }]);
  });
});

describe("wrong usage: exit 2, and nothing is sent", () => {
  test.each<[files: Record<string, string>, names: string[], says: RegExp]>([
    [{ "a.yml": "steps:\n  - waitt: 1s\n" }, ["a.yml"], /a\.yml:2:5 steps\[0\] .*Did you mean "wait"\?/],
    [{ "a.yml": delivers, "b.yml": "steps:\n  - wait: 1x\n" }, ["a.yml", "b.yml"], /b\.yml:2:5 steps\[0\]\.wait/],
    [{}, ["a.yml"], /scenario a\.yml cannot be read: there is no such file/],
    [{ "a/b.txt": "" }, ["a"], /there is no scenario in a/],
    [{}, [], /missing required argument/],
  ])("%j %j", async (files, names, says) => {
    app.answer(acknowledge);
    const before = app.calls.length;
    const { code, stdout, stderr } = await run(files, names);
    expect([code, stdout, app.calls.length - before]).toEqual([2, "", 0]);
    expect(stderr).toMatch(says);
  });

  test("a port that is taken", async () => {
    await using other = await startSilentPort();
    const { code, stderr } = await run({ "a.yml": delivers }, ["a.yml"], "--port", `${other.port}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`port ${other.port} of 127.0.0.1 is taken`)]);
  });
});
