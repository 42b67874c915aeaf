import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { manifestResultSchema } from "../../src/index.ts";
import {
  type FakeApp,
  guardEntry,
  importEntry,
  manifestOf,
  startFakeApp,
  unusedPort,
  webhookEntry,
} from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { fixturePath, onlyObject } from "../rig/output.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const good = manifestOf({
  guards: [guardEntry("office", { type: "frame", applyToAdmins: true, url: "/page" })],
  imports: [importEntry("tidy", { fileName: "\\.md$", fileContent: "^#" }), importEntry("any")],
  webhooks: [{ ...webhookEntry("events"), environments: ["platform-enterprise"] }],
});

let app: FakeApp;

beforeAll(async () => {
  app = await startFakeApp();
});
afterAll(() => app.close());
afterEach(() => {
  app.manifest = good;
});

const manifest = (...args: string[]) => runLine(["manifest", "--app", app.url, ...args]);

describe("a manifest that the app serves", () => {
  test("as text: every module with its full address, exit 0", async () => {
    app.manifest = good;
    const { code, stdout, stderr } = await manifest();
    expect([code, stderr]).toEqual([0, ""]);
    const rows = stdout.split("\n").map((line) => line.trim().split(/ {2,}/));
    expect(rows.slice(0, 5)).toEqual([
      [`App ${app.url} with the manifest ${app.url}/manifest.json`],
      ["auth-guard", "office", `${app.url}/office`, `frame, admins too, page ${app.url}/page`],
      ["file-post-import", "tidy", `${app.url}/tidy`, "name \\.md$, content ^#"],
      ["file-post-import", "any", `${app.url}/any`, "every file"],
      ["webhook", "events", `${app.url}/events`, "project.translated, project.approved; only platform-enterprise"],
    ]);
  });

  test("as JSON", async () => {
    app.manifest = good;
    const { code, stdout } = await manifest("--format", "json");
    expect(code).toBe(0);
    const { outcome, apps } = manifestResultSchema.parse(onlyObject(stdout));
    expect(outcome).toBe("ok");
    expect(apps).toMatchObject([
      {
        url: app.url,
        source: `${app.url}/manifest.json`,
        guards: [{ key: "office", type: "frame", applyToAdmins: true, optionsUrl: `${app.url}/page` }],
        imports: [{ key: "tidy" }, { key: "any", signaturePatterns: {} }],
        webhooks: [{ key: "events", url: `${app.url}/events`, environments: ["platform-enterprise"] }],
      },
    ]);
  });

  test("wrong content is a warning with its path, and the manifest is still read", async () => {
    app.manifest = { ...good, nmae: "x", modules: { ...good.modules, "file-tidy": [] } };
    const { code, stdout, stderr } = await manifest();
    expect(code).toBe(0);
    expect(stdout).toContain("office");
    expect(stderr).toMatch(/^warning: manifest: nmae .*\nwarning: manifest: modules\.file-tidy .*\n$/);
  });
});

describe("--manifest", () => {
  test("a file, relative to the working directory; the app is not asked", async () => {
    using directory = makeTempDir();
    directory.write("my/manifest.json", good);
    const args = ["manifest", "--app", "http://127.0.0.1:9", "--manifest", "my/manifest.json", "--format", "json"];
    const { code, stdout } = await runLine(args, { cwd: directory.path });
    expect(code).toBe(0);
    expect(onlyObject(stdout).apps[0].guards[0].url).toBe("http://127.0.0.1:9/office");
  });

  test("a URL elsewhere", async () => {
    await using elsewhere = await startFakeApp({ manifest: good });
    const { code, stdout } = await manifest("--manifest", `${elsewhere.url}/manifest.json`);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`with the manifest ${elsewhere.url}/manifest.json\n`)]);
  });

  test("the fixture with all three types of guards has no warning", async () => {
    const { code, stderr } = await manifest("--manifest", fixturePath("manifests/access-control.json"));
    expect([code, stderr]).toEqual([0, ""]);
  });
});

describe("a manifest with errors", () => {
  const bad = {
    modules: {
      "auth-guard": [
        { key: "a", name: "A", url: "/a" },
        { key: "a", url: "b", options: { type: "redirect" } },
        { key: "c", name: "C", url: "/c", options: { type: "framed" } },
      ],
      webhook: [{ key: "ключ", url: "/w", events: [] }],
    },
  };
  const paths = [
    "modules.auth-guard[1].name",
    "modules.auth-guard[1].url",
    "modules.auth-guard[1].options.url",
    "modules.auth-guard[2].options.type",
    "modules.webhook[0].key",
    "modules.webhook[0].events",
    "modules.auth-guard[1].key",
  ];

  test("as text: all of them by their paths, exit 1; every other command refuses to run, exit 2", async () => {
    app.manifest = bad;
    const { code, stdout, stderr } = await manifest();
    expect([code, stderr]).toEqual([1, ""]);
    expect([...stdout.matchAll(/^ {2}(modules\S+) /gm)].map(([, path]) => path)).toEqual(paths);
    expect(stdout).toContain('Did you mean "frame"?');
    for (const args of [["guard"], ["webhook", "e"]]) {
      const other = await runLine([...args, "--app", app.url]);
      expect([other.code, other.stdout]).toEqual([2, ""]);
      expect([...other.stderr.matchAll(/^ {2}(\S+) /gm)].map(([, path]) => path)).toEqual(paths);
    }
  });

  test("as JSON: the same as problems", async () => {
    app.manifest = bad;
    const { code, stdout, stderr } = await manifest("--format", "json");
    expect([code, stderr]).toEqual([1, ""]);
    const { outcome, problems } = manifestResultSchema.parse(onlyObject(stdout));
    expect(outcome).toBe("failed");
    expect(problems.map(({ path }) => path)).toEqual(paths);
  });
});

test.each([
  [
    "cannot be used for them",
    { name: undefined },
    ["any"],
    /; modules that cannot be used because of them are not listed$/,
  ],
  ["can be used all the same", { type: "frame" }, ["office", "any"], /^the manifest has mistakes$/],
])("modules that %s: the result says what happens to them", async (_, changes, keys, reason) => {
  app.manifest = manifestOf({ guards: [{ ...guardEntry("office"), ...changes }, guardEntry("any")] });
  const { stdout } = await manifest("--format", "json");
  const result = manifestResultSchema.parse(onlyObject(stdout));
  expect(result.reason).toMatch(reason);
  expect(result.apps[0]?.guards.map(({ key }) => key)).toEqual(keys);
});

describe("whatever is wrong with a manifest: outcome failed, exit 1, one JSON shape", () => {
  const twice = { modules: { "auth-guard": [guardEntry("a")], webhook: [webhookEntry("a")] } };
  const guardWith = (changes: object) => manifestOf({ guards: [{ ...guardEntry("office"), ...changes }] });
  const faults: Readonly<Record<string, [served: unknown, path: string]>> = {
    "an HTML page": ["<!doctype html><h1>Hello</h1>", ""],
    "broken JSON": ['{"modules": {', ""],
    "a list": [[], ""],
    "no modules": [{ "auth-guard": [] }, "modules"],
    "a missing key": [guardWith({ key: undefined }), "modules.auth-guard[0].key"],
    "a duplicate key": [twice, "modules.webhook[0].key"],
    "a pattern that no language reads": [
      manifestOf({ imports: [importEntry("tidy", { fileName: "(" })] }),
      "modules.file-post-import[0].signaturePatterns.fileName",
    ],
    "a misspelt module type": [{ modules: { "auth-guards": [guardEntry("a")] } }, "modules.auth-guards"],
    "letters of a type in another order": [{ modules: { webhoko: [webhookEntry("a")] } }, "modules.webhoko"],
    "a misspelt field": [guardWith({ option: { type: "frame" }, options: undefined }), "modules.auth-guard[0].option"],
    "an option outside of options": [guardWith({ type: "frame", options: undefined }), "modules.auth-guard[0].type"],
    "an address elsewhere": [guardWith({ url: "http://127.0.0.1:9/office" }), "modules.auth-guard[0].url"],
  };

  test.each(Object.entries(faults))("%s", async (_, [served, path]) => {
    app.manifest = undefined;
    app.answer((call) => (typeof served === "string" ? call.send(served) : call.reply(served)));
    const { code, stdout, stderr } = await manifest("--format", "json");
    expect([code, stderr]).toEqual([1, ""]);
    const result = manifestResultSchema.parse(onlyObject(stdout));
    expect(result).toMatchObject({ outcome: "failed", failure: "other", reason: expect.any(String) });
    expect(result.problems).toContainEqual(expect.objectContaining({ app: app.url, path, severity: "error" }));
    const isList = Array.isArray(served);
    const told = isList ? "\n  must be a JSON object with a top-level object `modules`\n" : path || "no manifest from";
    expect((await manifest()).stdout).toContain(told);
  });

  test("a file with broken JSON has the same result; a missing one is the user's mistake, exit 2", async () => {
    using directory = makeTempDir();
    directory.write("manifest.json", "{");
    const read = (file: string) =>
      runLine(["manifest", "--manifest", file, "--format", "json"], { cwd: directory.path });
    const { code, stdout } = await read("manifest.json");
    expect([code, manifestResultSchema.parse(onlyObject(stdout)).problems]).toMatchObject([
      1,
      [{ path: "", severity: "error", message: expect.stringContaining("manifest.json") }],
    ]);
    expect(await read("nowhere.json")).toMatchObject({ code: 2, stdout: "" });
  });

  test.each<[what: string, served: unknown, path: string]>([
    [
      "types of another deployment",
      { modules: { "file-pre-import": [], "file-post-export": [], "project-menu": [] } },
      "modules.file-pre-import",
    ],
    ["a field of another deployment", guardWith({ icon: "/icon.svg" }), "modules.auth-guard[0].icon"],
    [
      "a pattern of another language",
      manifestOf({ imports: [importEntry("tidy", { fileName: "(?i)\\.md$" })] }),
      "modules.file-post-import[0].signaturePatterns.fileName",
    ],
    ["an absolute address of its own", "own", "modules.auth-guard[0].url"],
  ])("%s: a warning, exit 0, and exit 1 with --strict", async (_, served, path) => {
    app.manifest = served === "own" ? guardWith({ url: `${app.url}/office` }) : served;
    const { code, stdout } = await manifest("--format", "json");
    const { outcome, problems } = manifestResultSchema.parse(onlyObject(stdout));
    expect([code, outcome]).toEqual([0, "ok"]);
    expect(problems).toContainEqual(expect.objectContaining({ path, severity: "warning" }));
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(await manifest("--strict")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/\nA warning fails this run \(--strict\)\n$/),
    });
  });
});

describe("a manifest that cannot be read", () => {
  test("nothing listens: exit 3", async () => {
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const { code, stdout } = await runLine(["manifest", "--app", url, "--format", "json"]);
    expect(code).toBe(3);
    expect(manifestResultSchema.parse(onlyObject(stdout))).toMatchObject({
      outcome: "failed",
      reason: `no manifest from ${url}/manifest.json: nothing listens at ${url}`,
      failure: "unreachable",
    });
  });

  test("the app has none: exit 1, and how to give another", async () => {
    app.manifest = undefined;
    app.answer((call) => call.send("<h1>Not found</h1>", { status: 404 }));
    const { code, stdout } = await manifest();
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ .*404.*\n +hint: .*--manifest/);
  });
});
