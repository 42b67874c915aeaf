import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ImportJob, importResultSchema } from "../../src/index.ts";
import type { CliOptions } from "../rig/cli.ts";
import { type CallHandler, type FakeApp, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { linesOf, oneImport, returning } from "../rig/imports.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { jobWith, record } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const strings = [record("1", "Save"), record("2", "Open")];

let app: FakeApp;
let directory: TempDir;

beforeAll(async () => {
  app = await startFakeApp({ manifest: oneImport });
});
afterAll(() => app.close());
beforeEach(() => {
  directory = makeTempDir();
  app.answer(echo);
  return () => directory[Symbol.dispose]();
});

/** Gives back what it got. */
const echo: CallHandler = (call) => call.reply(returning((call.json() as ImportJob).strings ?? []));

async function postImport(args: readonly string[], options: CliOptions = {}) {
  const before = app.calls.length;
  const env = { APP_SIM_PORT: String(await unusedPort()), ...options.env };
  const result = await runLine(["post-import", "--app", app.url, ...args], { cwd: directory.path, ...options, env });
  return { ...result, calls: app.calls.slice(before) };
}

async function jobsOf(...args: string[]) {
  const { code, stdout, calls } = await postImport([...args, "--format", "json"]);
  return { code, calls, jobs: importResultSchema.parse(onlyObject(stdout)).jobs };
}

describe("several fixtures", () => {
  const names = ["jobs/a.json", "jobs/deep/b.json", "jobs/deep/c.json"];

  beforeEach(() => {
    for (const name of names) directory.write(name, jobWith(strings));
    directory.write("jobs/readme.txt", "none");
    directory.write("jobs/node_modules/x/package.json", "{}");
  });

  test("are those of a directory, and the end has a line for each", async () => {
    const { code, stdout, calls } = await postImport(["jobs"]);
    expect([code, calls.length]).toEqual([0, 3]);
    expect(stdout.trimEnd().split("\n").slice(-5)).toEqual([
      ...names.map((name) => expect.stringMatching(new RegExp(`^✓ ${name}: .*uk.*, imported; 0 changed, `))),
      "3 jobs: 3 imported, 0 not modified, 0 failed, 0 skipped",
      expect.stringMatching(/^Only valid requests were sent. .*: app-sim post-import --tamper --app \S+$/),
    ]);
  });

  test("are those of a quoted pattern, in the order of the arguments", async () => {
    const { code, jobs } = await jobsOf("jobs/deep/*.json", "jobs/a.json");
    expect([code, jobs.map(({ fixture }) => fixture)]).toEqual([0, [...names.slice(1), "jobs/a.json"]]);
  });

  test.each([
    ["a directory without any", ["empty"], "there is no fixture in empty"],
    ["a pattern without any", ["jobs/*.yaml"], "there is no fixture in jobs/*.yaml"],
    ["one of several arguments without any", ["jobs", "empty"], "there is no fixture in empty"],
    ["an expected answer", ["jobs/a.expected.ndjson"], "that is an expected answer, not a fixture"],
  ])("%s: exit 2, nothing is sent", async (_, args, says) => {
    mkdirSync(join(directory.path, "empty"));
    directory.write("jobs/a.expected.ndjson", "");
    const { code, stdout, stderr, calls } = await postImport([...args, "--format", "json"]);
    expect({ code, stdout, calls }).toEqual({ code: 2, stdout: "", calls: [] });
    expect(onlyObject(stderr).error).toMatchObject({ code: "no-fixture", message: expect.stringContaining(says) });
  });
});

describe("what is no fixture", () => {
  test("no file at all: names those that are there, or how the first is made", async () => {
    directory.write("fixtures/jobs/one.json", jobWith(strings));
    const { code, stderr } = await postImport([]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("app-sim post-import fixtures/jobs/one.json;")]);
    rmSync(join(directory.path, "fixtures"), { recursive: true });
    expect((await postImport([])).stderr).toMatch(
      /'file': the fixture[^\n]*\nhint: .*`app-sim fixture FILE`.*`app-sim init`/,
    );
  });

  test("no file, but one in verify.fixtures of the configuration: that one is imported", async () => {
    directory.write("fixtures/jobs/[one].json", jobWith(strings));
    directory.write("fixtures/jobs/two.json", jobWith(strings));
    directory.write("app-sim.config.json", { verify: { fixtures: ["fixtures/jobs/[one].json"] } });
    const { code, jobs, calls } = await jobsOf();
    expect([code, calls.length, jobs.map(({ fixture }) => fixture)]).toEqual([0, 1, ["fixtures/jobs/[one].json"]]);
  });

  test("no file, but several in verify.fixtures of the configuration: names those, and imports none", async () => {
    for (const name of ["a.json", "b.json", "fixtures/jobs/c.json"]) directory.write(name, jobWith(strings));
    directory.write("app-sim.config.json", { verify: { fixtures: ["b.json", "a.json"] } });
    const { code, stderr, calls } = await postImport([]);
    expect([code, calls]).toEqual([2, []]);
    expect(stderr).toContain("hint: app-sim post-import b.json; also there: a.json;");
  });

  test.each([
    ["x.yml", "steps:\n  - wait: 1s\n", /`app-sim fixture \S+x\.yml` .*`app-sim run \S+x\.yml` plays it/],
    ["x.po", 'msgid "a"\n', /is not a fixture, which is a JSON file\nhint: `app-sim fixture \S+x\.po`/],
    ["x.py", "print(1)\n", /is not a fixture, which is a JSON file with the strings to import\nhint: if it is a local/],
    ["x.json", { steps: [] }, /it looks like a scenario: `app-sim run \S+x\.json`/],
    ["x.json", { modules: {} }, /it looks like a manifest: `app-sim manifest --manifest \S+x\.json`/],
    ["x.json", { event: "project.translated" }, /it looks like a webhook payload: `app-sim webhook --data \S+x\.json`/],
    ["x.json", { app: {} }, /it looks like a configuration: `app-sim post-import FIXTURE --config \S+x\.json`/],
    ["x.json", { app: { url: "http://127.0.0.1:3000" } }, /it looks like a configuration/],
    ["x.json", { steps: ["Choose", "Pay"] }, /if it is a localization file/],
    ["x.json", { modules: { login: "Log in" } }, /if it is a localization file/],
    ["x.json", { event: "An event", events: { one: "event" } }, /if it is a localization file/],
    ["x.json", { app: { title: "Orchard", url: "Address" }, apps: ["Apps"] }, /if it is a localization file/],
    ["x.json", { app: {}, organization: {} }, /it looks like a configuration: /],
    ["x.json", { hello: "Hello" }, /if it is a localization file, `app-sim fixture \S+x\.json`/],
    ["x.json", "hello", /the file is not valid JSON/],
  ])("%s with %j: names the command that accepts it", async (name, content, says) => {
    directory.write(name, content);
    const { code, stderr, calls } = await postImport([name]);
    expect({ code, calls }).toEqual({ code: 2, calls: [] });
    expect(stderr).toMatch(says);
  });
});

test("the key of a module instead of a file: the hint says what to name", async () => {
  const { code, stderr } = await postImport(["tidy-strings"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("is it the key of a module? Name only files")]);
  directory.write("jobs/a.json", jobWith(strings));
  expect((await postImport(["job"])).stderr).toMatch(/\nhint: did you mean jobs, in the same folder\?\n$/);
});

describe("expected answers", () => {
  test("are written by --update, and compared: same, then different (exit 1)", async () => {
    directory.write("jobs/a.json", jobWith(strings));
    const written = await postImport(["jobs", "--update"]);
    expect(written.code).toBe(0);
    expect(readdirSync(join(directory.path, "jobs"))).toEqual(["a.expected.ndjson", "a.json"]);
    expect(written.stdout).toContain("a.expected.ndjson");
    // The pattern finds them as well: they are no fixtures.
    const same = await jobsOf("jobs/*");
    expect(same).toMatchObject({ code: 0, jobs: [{ expected: { file: "jobs/a.expected.ndjson", result: "same" } }] });
    app.answer((call) => call.reply(returning([{ ...strings[0], text: "Save!" }, strings[1]])));
    const different = await jobsOf("jobs");
    expect(different.code).toBe(1);
    expect(different.jobs).toMatchObject([
      { outcome: "imported", expected: { result: "different", differences: { changed: 1, unchanged: 1 } } },
    ]);
    expect((await postImport(["jobs"])).stdout).toMatch(/Save\{\+!\+\}/);
  });
});

test("--strict: a warning fails the run", async () => {
  const file = directory.write("a.json", jobWith(strings));
  app.answer((call) => call.reply(returning([record("1", "Save"), { ...record("2", "Open"), uniqId: "9" }])));
  expect((await postImport([file])).code).toBe(0);
  const failing = await postImport([file, "--strict"]);
  expect(failing.code).toBe(1);
  expect(failing.stdout).toContain("\nA warning fails this run (--strict)\n");
  app.answer(echo);
  const passing = await postImport([file, "--strict"]);
  expect(passing.code).toBe(0);
  expect(passing.stdout).not.toContain("--strict");
});

test("--save writes jobs and answers as JSON, only for the user, where the command runs", async () => {
  for (const name of ["a.json", "b.json"]) directory.write(name, jobWith(strings));
  expect((await postImport(["a.json", "b.json", "--save", "saved.json"])).code).toBe(0);
  const { jobs } = JSON.parse(readFileSync(join(directory.path, "saved.json"), "utf8"));
  expect(jobs).toHaveLength(2);
  for (const { job, answer } of jobs) {
    expect([job.strings, answer.strings]).toEqual([strings, strings]);
    expect(answer.outcome).toBe("imported");
  }
});

test("--preview is not shown in CI, and the run ends", async () => {
  const file = directory.write("a.json", jobWith(strings));
  const preview = Buffer.from("<p>Save").toString("base64");
  app.answer((call) => call.reply({ data: { strings, preview } }));
  const { code, stderr } = await postImport([file, "--preview"], { env: { CI: "true" } });
  expect(code).toBe(0);
  expect(stderr).toContain("the preview is not shown, because CI is set\n");
});

describe("an option reaches the run", () => {
  const oneFixture = () => directory.write("a.json", jobWith(strings, { targetLanguages: [] }));

  test("--via url: the app reads the strings from the platform", async () => {
    let came = "";
    app.answer(async (call) => {
      const { stringsUrl = "" } = call.json() as ImportJob;
      came = await (await fetch(stringsUrl)).text();
      call.reply(returning(strings));
    });
    const { code, jobs } = await jobsOf(oneFixture(), "--via", "url");
    expect([code, came]).toEqual([0, linesOf(strings)]);
    expect(jobs).toMatchObject([{ sent: { via: "url", contentVia: "url" } }]);
  });

  test("--occasion", async () => {
    const { jobs } = await jobsOf(oneFixture(), "--occasion", "source-update");
    expect(jobs).toMatchObject([{ occasion: "source-update", languages: [] }]);
  });

  test("--as", async () => {
    const { jobs, calls } = await jobsOf(oneFixture(), "--as", "admin");
    expect(jobs).toMatchObject([{ outcome: "imported", user: { role: "admin" } }]);
    expect(calls).toHaveLength(1);
    const nobody = await postImport([oneFixture(), "--as", "nobody"]);
    expect(nobody).toMatchObject({ code: 2, calls: [], stderr: expect.stringContaining('"nobody"') });
  });

  test.each([
    ["standard", "only members of the project may use it"],
    ["enterprise", "only users in the organization's projects may use it"],
  ])("--edition %s", async (edition, says) => {
    const { jobs, calls } = await jobsOf(oneFixture(), "--edition", edition, "--as", "outsider");
    expect(jobs).toMatchObject([{ outcome: "skipped", error: expect.stringContaining(says) }]);
    expect(calls).toEqual([]);
  });

  test("--allow-origin: strings may come from there", async () => {
    await using files = await startFakeApp();
    files.answer((call) => call.send(linesOf(strings)));
    app.answer((call) => call.reply({ data: { stringsUrl: `${files.url}/strings` } }));
    expect((await jobsOf(oneFixture())).jobs).toMatchObject([{ outcome: "failed" }]);
    expect(files.calls).toEqual([]);
    expect((await jobsOf(oneFixture(), "--allow-origin", files.url)).jobs).toMatchObject([{ outcome: "imported" }]);
    expect(files.calls).toHaveLength(1);
  });
});
