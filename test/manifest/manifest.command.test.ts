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

  test("what it should not hold is a warning with its path, and it is read all the same", async () => {
    app.manifest = { ...good, nmae: "x", modules: { ...good.modules, "auth-gard": [] } };
    const { code, stdout, stderr } = await manifest();
    expect(code).toBe(0);
    expect(stdout).toContain("office");
    expect(stderr).toMatch(
      /^warning: manifest: nmae .*\nwarning: manifest: modules\.auth-gard .* Did you mean "auth-guard"\?\n$/,
    );
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

  test("the fixture that shows all three types of guards is good without a warning", async () => {
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

  test("as text: all of them at once by their paths, exit 2, for every command", async () => {
    app.manifest = bad;
    const { code, stdout, stderr } = await manifest();
    expect([code, stdout]).toEqual([2, ""]);
    expect([...stderr.matchAll(/^ {2}(\S+) /gm)].map(([, path]) => path)).toEqual(paths);
    expect(stderr).toContain('Did you mean "frame"?');
    for (const args of [["guard"], ["webhook", "e"]]) {
      expect(await runLine([...args, "--app", app.url])).toMatchObject({ code: 2, stdout: "", stderr });
    }
  });

  test("as JSON: the same on stderr", async () => {
    app.manifest = bad;
    const { code, stdout, stderr } = await manifest("--format", "json");
    expect([code, stdout]).toEqual([2, ""]);
    const { error } = onlyObject(stderr);
    expect(error).toMatchObject({ code: "manifest-invalid", hint: expect.any(String) });
    expect(error.problems.map(({ path }: { path: string }) => path)).toEqual(paths);
  });
});

describe("a manifest that cannot be had", () => {
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
