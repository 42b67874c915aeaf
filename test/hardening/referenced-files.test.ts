import { symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { importEntry, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { always, jobWith, record, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

// S30: a fixture, scenario, payload or config file that comes from elsewhere names files of this machine.

const SECRET = '{"secret":"the beginning of a file of somebody else"}';
const serves = manifestOf({ imports: [importEntry("tidy")], webhooks: [webhookEntry("hook")] });
const strings = [{ identifier: "title", text: "Hello" }];

/** A folder with a fixture, and beside it a file that is none of its business. */
function scene(): TempDir {
  const directory = makeTempDir();
  directory.write("secret.json", SECRET);
  directory.write("from-elsewhere/inside.json", '{"title":"Hello"}');
  return directory;
}

const outside = "../secret.json";
const job = jobWith([record("a", "Hello")]);
const { strings: _, ...withoutStrings } = job;
const fixtures: readonly (readonly [what: string, (place: string) => object])[] = [
  ["file.path", (place) => ({ file: { path: place }, strings })],
  ["stringsFile", (place) => ({ file: { name: "a.json", content: "e30=" }, stringsFile: place })],
  ["file.contentUrl", (place) => ({ ...job, file: { id: 1, name: "a.json", contentUrl: place } })],
  ["stringsUrl", (place) => ({ ...withoutStrings, stringsUrl: place })],
];

describe.each(fixtures)("S30 %s of a fixture", (what, fixture) => {
  it("cannot name a file outside by a path or a link, and no message quotes one", async () => {
    using directory = scene();
    symlinkSync(path.join(directory.path, "secret.json"), path.join(directory.path, "from-elsewhere/link.json"));
    await using run = await startSimulation({ serves, answer: always({ data: { strings: [] } }) });
    for (const place of [
      outside,
      path.join(directory.path, "secret.json"),
      "link.json",
      "/etc/passwd",
      "/proc/self/environ",
    ]) {
      const file = directory.write("from-elsewhere/job.json", fixture(place));
      const error = await usageErrorOf(run.sim.postImport(file));
      expect([place, error.code]).toEqual([place, "file-outside"]);
      expect(error.message).toContain(what);
      expect(error.hint).toContain("--allow-path");
      expect(`${error.message}${error.hint}`).not.toMatch(/the beginning|root:/);
    }
    expect(run.app.calls).toEqual([]);
  });

  it("may name files next to it, and those that the user allows", async () => {
    using directory = scene();
    const places: [string, string[]][] = [
      ["inside.json", []],
      [outside, [directory.path]],
      [outside, [path.join(directory.path, "secret.json")]],
    ];
    for (const [place, allowPaths] of places) {
      await using run = await startSimulation({ serves, allowPaths, answer: always({ data: { strings: [] } }) });
      const file = directory.write("from-elsewhere/job.json", fixture(place));
      const error = await run.sim.postImport(file).then(
        () => null,
        (problem) => problem.code,
      );
      // What is in the file may be wrong; that it is read is what matters.
      expect([place, error]).not.toEqual([place, "file-outside"]);
    }
  });
});

it("S30 an expected answer that is a link to another place is neither read nor written", async () => {
  using directory = scene();
  await using run = await startSimulation({ serves, answer: always({ data: { strings: [] } }) });
  const file = directory.write("from-elsewhere/job.json", { file: { path: "inside.json" }, strings });
  symlinkSync(
    path.join(directory.path, "secret.json"),
    path.join(directory.path, "from-elsewhere/job.expected.ndjson"),
  );
  for (const options of [{}, { update: true }]) {
    expect(await usageErrorOf(run.sim.postImport(file, options))).toMatchObject({ code: "file-outside" });
  }
  expect(run.app.calls).toEqual([]);
});

it("S30 the payload of an event cannot be a link to another place", async () => {
  using directory = scene();
  await using run = await startSimulation({ serves, answer: always({}) });
  symlinkSync(
    path.join(directory.path, "secret.json"),
    path.join(directory.path, "from-elsewhere/project.translated.json"),
  );
  const options = { fixtures: path.join(directory.path, "from-elsewhere") };
  expect(await usageErrorOf(run.sim.webhook("project.translated", options))).toMatchObject({ code: "file-outside" });
  expect(run.app.calls).toEqual([]);
});

it.each(["import: ../secret.json", "deliver: { events: project.translated, fixtures: .. }"])(
  "S30 a step of a scenario stays inside: %s",
  async (step) => {
    using directory = scene();
    await using run = await startSimulation({ serves, answer: always({}) });
    const file = directory.write("from-elsewhere/x.yml", `name: x\nsteps:\n  - ${step}\n`);
    expect(await usageErrorOf(run.sim.run(file))).toMatchObject({ code: "file-outside" });
  },
);

it("S29 a scenario by itself cannot allow public addresses", async () => {
  using directory = scene();
  await using run = await startSimulation({ serves, answer: always({}) });
  const step = "deliver: { events: project.translated, tamper: all, allowPublic: true }";
  const file = directory.write("x.yml", `name: x\nsteps:\n  - ${step}\n`);
  expect(await usageErrorOf(run.sim.run(file))).toMatchObject({ code: "scenario-invalid" });
});

describe("S30 a config file", () => {
  const configs = { manifest: { app: { manifest: outside } }, fixtures: { verify: { fixtures: [outside] } } };
  it.each(Object.entries(configs))("cannot name a %s outside its folder", async (_, config) => {
    using directory = scene();
    directory.write("from-elsewhere/app-sim.config.json", config);
    const cwd = path.join(directory.path, "from-elsewhere");
    expect(await usageErrorOf(loadConfig({}, {}, cwd))).toMatchObject({ code: "file-outside" });
    await loadConfig({ allowPath: [directory.path] }, {}, cwd);
  });

  it("may name files anywhere in its repository", async () => {
    using directory = scene();
    directory.write(".git/HEAD", "ref: refs/heads/main");
    directory.write("from-elsewhere/app-sim.config.json", configs.manifest);
    const { config } = await loadConfig({}, {}, path.join(directory.path, "from-elsewhere"));
    expect(config.apps[0]?.manifest).toBe(path.join(directory.path, "secret.json"));
  });
});
