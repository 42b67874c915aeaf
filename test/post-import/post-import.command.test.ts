import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { importResultSchema, type StringRecord } from "../../src/index.ts";
import { type AppCall, type FakeApp, importEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { fixturePath, onlyObject } from "../rig/output.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const greetings = fixturePath("jobs/greetings.json");

let app: FakeApp;
let directory: TempDir;

beforeAll(async () => {
  app = await startFakeApp({ manifest: manifestOf({ imports: [importEntry("tidy", { fileName: "\\.json$" })] }) });
  directory = makeTempDir();
});
afterAll(async () => {
  directory[Symbol.dispose]();
  await app.close();
});
afterEach(() => app.answer((call) => call.reset()));

/** Changes the first string, drops the second, adds one, and leaves the rest as they were. */
function rework(call: AppCall): void {
  const { strings } = call.json() as { strings: StringRecord[] };
  const [first, , ...rest] = strings;
  const changed = { ...first, text: "Good day, {name}!" };
  const added = { uniqId: "new::1", identifier: "extra", text: "Extra" };
  call.reply({ data: { strings: [changed, ...rest, added] } });
}

async function postImport(answer: (call: AppCall) => void, ...args: string[]) {
  app.answer(answer);
  const before = app.calls.length;
  const result = await runLine(["post-import", "--app", app.url, ...args], { cwd: directory.path });
  return { ...result, calls: app.calls.slice(before) };
}

async function postImportJson(answer: (call: AppCall) => void, ...args: string[]) {
  const { stdout, code, calls } = await postImport(answer, ...args, "--format", "json");
  return { code, calls, jobs: importResultSchema.parse(onlyObject(stdout)).jobs };
}

describe("an import that the app changes", () => {
  test("as text: what was sent, what came back, each change, exit 0", async () => {
    const { code, stdout } = await postImport(rework, greetings);
    expect(code).toBe(0);
    expect(stdout).toContain(`Import of ${greetings} by tidy: translation upload (uk), 5 strings sent inline\n`);
    expect(stdout).toContain("imported: 5 strings came back; 1 changed, 1 added, 1 removed, 3 unchanged\n");
    expect(stdout).toContain("- text: [-Hello-], {name}!");
    expect(stdout).toContain("+ text: {+Good day+}, {name}!");
    expect(stdout).toMatch(/^ +added extra$/m);
    expect(stdout).toMatch(/^ +removed farewell$/m);
    expect(stdout).toContain('1 string did not come back: "farewell"');
    expect(stdout).not.toMatch(/fault/);
  });

  test("a string that the app dropped is a warning, which --strict turns into exit 1", async () => {
    expect((await postImport(rework, greetings, "--strict")).code).toBe(1);
    const kept = (call: AppCall) => call.reply({ data: { strings: (call.json() as { strings: unknown }).strings } });
    expect((await postImport(kept, greetings, "--strict")).code).toBe(0);
    const unchanged = ["--choose", "postImport.omitted=unchanged"];
    expect((await postImport(rework, greetings, "--strict", ...unchanged)).code).toBe(0);
  });

  test("as JSON: counts, before and after of each", async () => {
    const { code, jobs, calls } = await postImportJson(rework, greetings);
    expect(code).toBe(0);
    expect(jobs).toMatchObject([
      {
        fixture: greetings,
        module: "tidy",
        outcome: "imported",
        error: null,
        sent: { strings: 5, via: "inline", bytes: calls[0]?.body.length },
        received: { strings: 5, via: "inline" },
        changes: { changed: 1, added: 1, removed: 1, unchanged: 3 },
        findings: [{ check: "import.string.removed", result: "warn" }],
      },
    ]);
    expect(jobs[0]?.changes.strings).toContainEqual({
      uniqId: expect.any(String),
      identifier: "greeting",
      change: "changed",
      fields: [{ field: "text", before: "Hello, {name}!", after: "Good day, {name}!" }],
    });
  });

  test("the short form is sent as a complete job of interface 2.3, with the file's bytes in base64", async () => {
    const { calls, stderr } = await postImport((call) => call.send("", { status: 304 }), greetings, "--preview");
    expect(stderr).toContain("there is no preview: the app answered 304, which cannot have one");
    const job = calls[0]?.json() as { file: { content: string } } | undefined;
    expect(job).toMatchObject({
      jobType: "file-post-import",
      organization: { id: 200_000_001, domain: "acme" },
      project: { id: 501, identifier: "mobile-app" },
      file: { name: "greetings.en.json" },
      sourceLanguage: { id: "en", pluralCategoryNames: ["one", "other"] },
      targetLanguages: [{ id: "uk", pluralCategoryNames: ["one", "few", "many", "other"] }],
    });
    expect(Buffer.from(job?.file.content ?? "", "base64")).toEqual(
      readFileSync(fixturePath("files/greetings.en.json")),
    );
  });
});

describe("several files", () => {
  test("each has its own result; one without a matching module is skipped; the exit code is that of the worst", async () => {
    const notJson = directory.write("other.json", {
      file: { name: "other.txt", content: "" },
      strings: [{ identifier: "a", text: "A" }],
    });
    const { code, jobs } = await postImportJson((call) => call.send("", { status: 304 }), greetings, notJson);
    expect(code).toBe(0);
    expect(jobs).toMatchObject([
      { fixture: greetings, outcome: "not-modified", changes: { unchanged: 5 } },
      { fixture: notJson, outcome: "skipped", error: expect.stringContaining("tidy"), sent: { bytes: 0 } },
    ]);
    const skipped = await postImport(rework, notJson);
    expect(skipped).toMatchObject({ code: 1, calls: [], stdout: expect.stringContaining("skipped: ") });
  });

  test("a name is shown as the user wrote it", async () => {
    directory.write("sub/short.json", {
      file: { name: "a.json", content: "" },
      strings: [{ identifier: "a", text: "A" }],
    });
    const { jobs } = await postImportJson((call) => call.send("", { status: 304 }), "sub/short.json");
    expect(jobs).toMatchObject([{ fixture: "sub/short.json" }]);
  });
});

test("error.message is shown to the user: exit 1", async () => {
  const { code, stdout } = await postImport((call) => call.reply({ error: { message: "No glossary." } }), greetings);
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ failed: No glossary\.\n/);
});

describe("--details", () => {
  const many = () =>
    directory.write("many.json", {
      file: { name: "many.json", content: "" },
      strings: Array.from({ length: 30 }, (_, index) => ({ identifier: `key-${index}`, text: `Text ${index}` })),
    });
  const shout = (call: AppCall) => {
    const { strings } = call.json() as { strings: { text: string }[] };
    call.reply({ data: { strings: strings.map((string) => ({ ...string, text: string.text.toUpperCase() })) } });
  };
  const changed = (stdout: string) => stdout.match(/^ +changed key-\d+$/gm)?.length;

  test("shows every change; the text without it shows only the first, and the number of others", async () => {
    const [all, some] = [await postImport(shout, many(), "--details"), await postImport(shout, many())];
    expect(changed(all.stdout)).toBe(30);
    expect(changed(some.stdout)).toBe(10);
    expect(some.stdout).toContain("… and 20 more strings; --details shows all");
  });
});

describe("wrong usage", () => {
  const good = { file: { name: "a.json", content: "" }, strings: [] };
  const bad = { file: { name: "a.json" }, sourceLangage: "en", strings: [{ identifer: "a", text: 1 }] };
  const cases: [what: string, content: unknown, code: string, says: string][] = [
    ["no such file", null, "file-unreadable", "no such file"],
    ["not JSON", "{", "not-json", "not valid JSON"],
    [
      "an unknown language",
      { ...good, targetLanguages: ["ukk"] },
      "unknown-language",
      'targetLanguages[0] "ukk" is not a known language id. Did you mean',
    ],
    ["unknown names", bad, "fixture-invalid", 'Did you mean "sourceLanguage"?'],
  ];

  test.each(cases)("%s: exit 2, nothing is sent", async (_, content, code, says) => {
    const file = content === null ? "nowhere.json" : directory.write("bad.json", content);
    const { calls, stderr, ...result } = await postImport(rework, greetings, file, "--format", "json");
    expect({ ...result, calls }).toMatchObject({ code: 2, stdout: "", calls: [] });
    const { error } = onlyObject(stderr);
    expect(error.code).toBe(code);
    const problems = (error.problems ?? []) as { path: string; message: string }[];
    expect([error.message, ...problems.map(({ message }) => message)].join("\n")).toContain(says);
  });

  test("as text: every problem of the file by its path", async () => {
    const { code, stdout, stderr } = await postImport(rework, directory.write("bad.json", bad));
    expect([code, stdout]).toEqual([2, ""]);
    for (const path of ["sourceLangage", "strings[0].identifer", "strings[0].text"]) {
      expect(stderr).toContain(`\n  ${path} `);
    }
  });
});
