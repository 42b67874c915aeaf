import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findLanguage } from "../../src/config/languages.ts";
import type { ImportJob, SimulatorOptions } from "../../src/index.ts";
import { importEntry, manifestOf } from "../rig/fake-app.ts";
import { linesOf } from "../rig/imports.ts";
import { always, jobWith, onlyCall, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const serves = manifestOf({ imports: [importEntry("tidy")] });
const source = '{"title":"Zażółć"}\r\n';
const shortForm = {
  file: { path: "site.json" },
  targetLanguages: ["uk", "ar"],
  strings: [{ identifier: "title", text: "Zażółć" }],
};

/** Writes the fixture beside the files that it names; returns its path. */
function writeFixture(directory: TempDir, fixture: unknown, files: Record<string, unknown>): string {
  for (const [name, content] of Object.entries({ "site.json": source, ...files })) directory.write(name, content);
  return directory.write("fixture.json", fixture);
}

/** The job that reaches the app for a short form in a directory of its own with these other files. */
async function jobFor(fixture: unknown, files: Record<string, unknown> = {}, options: SimulatorOptions = {}) {
  using directory = makeTempDir();
  const file = writeFixture(directory, fixture, files);
  await using run = await startSimulation({ serves, answer: always({ data: { strings: [] } }), ...options });
  await run.sim.postImport(file);
  return { job: onlyCall(run.app).json() as ImportJob, platform: run.sim.url };
}

/** The mistake that such a fixture is; nothing reaches the app. */
async function mistakeIn(fixture: unknown, files: Record<string, unknown> = {}) {
  using directory = makeTempDir();
  const file = writeFixture(directory, fixture, files);
  await using run = await startSimulation({ serves });
  const error = await usageErrorOf(run.sim.postImport([{ name: "a good job", job: jobWith([]) }, file]));
  expect(run.app.calls).toEqual([]);
  return { error, directory: directory.path, file };
}

describe("the short form", () => {
  it("is completed from the world", async () => {
    const { job, platform } = await jobFor(shortForm);
    const hash = createHash("md5").update(source).digest("hex");
    expect(job).toEqual({
      jobType: "file-post-import",
      organization: { id: 200_000_001, domain: "acme", baseUrl: platform, apiBaseUrl: platform },
      project: { id: 501, identifier: "mobile-app", name: "Mobile app" },
      file: { id: expect.any(Number), name: "site.json", content: Buffer.from(source).toString("base64") },
      sourceLanguage: findLanguage("en"),
      targetLanguages: [findLanguage("uk"), findLanguage("ar")],
      strings: [{ identifier: "title", text: "Zażółć", uniqId: `${hash}::1` }],
    });
  });

  it("may have what the configuration would give", async () => {
    const { job } = await jobFor(
      {
        project: "site",
        file: { id: 3, name: "menu.json", content: Buffer.from("{}").toString("base64") },
        sourceLanguage: "de",
        strings: [{ uniqId: "mine", identifier: "a", text: "b" }],
      },
      {},
      {
        projects: [
          { id: 1, identifier: "app", name: "App" },
          { id: 2, identifier: "site", name: "Site" },
        ],
        choices: { "wire.jobType": "after-import" },
      },
    );
    expect(job).toMatchObject({
      jobType: "after-import",
      project: { id: 2, identifier: "site", name: "Site" },
      file: { id: 3, name: "menu.json", content: "e30=" },
      sourceLanguage: { id: "de" },
      targetLanguages: [],
      strings: [{ uniqId: "mine" }],
    });
  });

  it.each([
    [
      "a JSON array",
      "strings.json",
      JSON.stringify([
        { identifier: "a", text: "1" },
        { identifier: "b", text: "2" },
      ]),
    ],
    ["newline-delimited JSON", "strings.ndjson", '{"identifier":"a","text":"1"}\r\n\r\n{"identifier":"b","text":"2"}'],
  ])("takes its strings from a file: %s", async (_, name, content) => {
    const { job } = await jobFor({ ...shortForm, strings: undefined, stringsFile: name }, { [name]: content });
    expect(job.strings).toMatchObject([
      { identifier: "a", text: "1" },
      { identifier: "b", text: "2" },
    ]);
    expect(new Set(job.strings?.map(({ uniqId }) => uniqId)).size).toBe(2);
  });
});

describe("a mistake in a fixture", () => {
  it.each<[string, Record<string, unknown>, string, string]>([
    ["an unknown language", { targetLanguages: ["uk", "ukr"] }, "unknown-language", 'targetLanguages[1] "ukr"'],
    ["an unknown source language", { sourceLanguage: "xx-XX" }, "unknown-language", 'sourceLanguage "xx-XX"'],
    ["an unknown project", { project: "mobile-ap" }, "unknown-project", 'Did you mean "mobile-app"?'],
  ])("is reported with the fixture's name: %s", async (_, changes, code, named) => {
    const { error, file } = await mistakeIn({ ...shortForm, ...changes });
    expect(error.code).toBe(code);
    expect(error.message).toContain(`fixture ${file}: `);
    expect(error.message).toContain(named);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ["an unknown key", { targetLanguage: ["uk"] }, "targetLanguage", 'Did you mean "targetLanguages"?'],
    ["an unknown key of the file", { file: { path: "site.json", nmae: "x" } }, "file.nmae", 'Did you mean "name"?'],
    ["a string without text", { strings: [{ identifier: "a" }] }, "strings[0].text", "is missing"],
    [
      "an unknown key of a string",
      { strings: [{ identifier: "a", text: "b", label: [] }] },
      "strings[0].label",
      '"labels"',
    ],
    ["strings and stringsFile", { stringsFile: "x.json" }, "strings", "either strings or stringsFile"],
    ["neither path nor content", { file: { name: "x" } }, "file", "either path or content"],
    ["content without a name", { file: { content: "e30=" } }, "file.name", "required without path"],
  ])("is told with its path: %s", async (_, changes, path, message) => {
    const { error, file } = await mistakeIn({ ...shortForm, ...changes });
    expect(error.code).toBe("fixture-invalid");
    expect(error.message).toContain(file);
    expect(error.problems).toContainEqual({ path, message: expect.stringContaining(message) });
  });

  it("shows how a file is named if it is missing", async () => {
    const { error } = await mistakeIn({ strings: [] });
    expect(error.hint).toContain('such as "file": { "path": "en.json" };');
  });

  it.each<[string, unknown, string]>([
    [
      "plural text without hasPlurals",
      { identifier: "a", text: { one: "b" } },
      "expected a string, because hasPlurals is not true",
    ],
    ["hasPlurals with plain text", { identifier: "a", text: "b", hasPlurals: true }, "expected an object"],
  ])("is reported in %s: inline and in a file", async (_, string, message) => {
    const problem = (path: string) => ({ path, message: expect.stringContaining(message) });
    const inline = await mistakeIn({ ...shortForm, strings: [string] });
    expect(inline.error.problems).toEqual([problem("strings[0].text")]);
    const files = { "strings.json": [string] };
    const named = await mistakeIn({ ...shortForm, strings: undefined, stringsFile: "strings.json" }, files);
    expect(named.error.problems).toEqual([problem("[0].text")]);
    const wire = await mistakeIn(jobWith([{ uniqId: "1", ...(string as object) } as never]));
    expect(wire.error.problems).toEqual([problem("strings[0].text")]);
  });

  it("may be a repeated uniqId", async () => {
    const twice = ["a", "b", "a", undefined, undefined, "a"].map((uniqId) => ({ uniqId, identifier: "i", text: "t" }));
    const message = 'is "a", like that of an earlier string';
    const problems = [{ path: "strings[2].uniqId", message }];
    const short = await mistakeIn({ ...shortForm, strings: twice });
    expect(short.error).toMatchObject({ code: "fixture-invalid", problems });
    const files = { "strings.json": twice };
    const named = await mistakeIn({ ...shortForm, strings: undefined, stringsFile: "strings.json" }, files);
    expect(named.error).toMatchObject({ code: "fixture-invalid", problems });
    const wire = await mistakeIn(jobWith(twice.map((string, at) => ({ ...string, uniqId: string.uniqId ?? `${at}` }))));
    expect(wire.error).toMatchObject({ code: "fixture-invalid", problems });
    const lines = { "strings.ndjson": `\n${linesOf(twice)}` };
    const inLines = await mistakeIn({ ...shortForm, strings: undefined, stringsFile: "strings.ndjson" }, lines);
    expect(inLines.error).toMatchObject({
      code: "fixture-invalid",
      summary: `${join(inLines.directory, "strings.ndjson")} has a repeated uniqId`,
      problems: [{ path: "line 4: uniqId", message }],
    });
  });

  it("may be a line that is not UTF-8", async () => {
    const latin1 = Buffer.concat([
      Buffer.from('{"identifier":"a","text":"ü"}\n{"identifier":"b","text":"'),
      Buffer.from([0xfc]),
      Buffer.from('"}\n'),
    ]);
    using directory = makeTempDir();
    writeFileSync(join(directory.path, "strings.ndjson"), latin1);
    const file = writeFixture(directory, { ...shortForm, strings: undefined, stringsFile: "strings.ndjson" }, {});
    await using run = await startSimulation({ serves });
    const error = await usageErrorOf(run.sim.postImport(file));
    expect(error.code).toBe("not-json");
    expect(error.message).toContain("strings.ndjson, line 2 is not UTF-8: invalid byte at offset 26");
  });

  it.each<[string, { fixture?: string; strings?: string }, string]>([
    ["the fixture", { fixture: '{"file":{},"file":{}}' }, "file"],
    ["a line of its strings", { strings: '{"identifier":"a","text":"b","t\\u0065xt":"c"}' }, "text"],
  ])("R17: may be a repeated key: in %s", async (_, { fixture, strings }, key) => {
    const short = { ...shortForm, strings: undefined, stringsFile: "strings.ndjson" };
    const { error } = await mistakeIn(fixture ?? short, { "strings.ndjson": strings ?? "" });
    expect(error.message).toContain(`has the key "${key}" twice in one object`);
  });

  it("in a file that it names is reported with that file's name", async () => {
    const strings = { ...shortForm, strings: undefined, stringsFile: "strings.ndjson" };
    const inLine = await mistakeIn(strings, { "strings.ndjson": '{"identifier":"a","text":"1"}\n{"identifier"' });
    expect(inLine.error.message).toContain(`${join(inLine.directory, "strings.ndjson")}, line 2 `);
    const inField = await mistakeIn(strings, { "strings.ndjson": '{"identifier":"a","text":1}' });
    expect(inField.error.message).toContain(join(inField.directory, "strings.ndjson"));
    expect(inField.error.message).toContain(", line 1 is not a valid string");
    expect(inField.error.problems).toMatchObject([{ path: "text" }]);
    const missing = await mistakeIn({ ...shortForm, file: { path: "none.json" } });
    expect(missing.error.message).toContain(`${missing.file}: file.path ${join(missing.directory, "none.json")}`);
    expect(missing.error.message).toContain("there is no such file");
  });

  it("may be the file itself", async () => {
    await using run = await startSimulation({ serves });
    const missing = await usageErrorOf(run.sim.postImport("nowhere/job.json"));
    expect(missing.summary).toBe("fixture nowhere/job.json cannot be read: there is no such file");
    const { error, file } = await mistakeIn("{");
    expect(error.message).toContain(`fixture ${file}: the file is not valid JSON`);
  });

  it("in a wire job is reported with its path", async () => {
    const { sourceLanguage, ...rest } = jobWith([]);
    const { error } = await mistakeIn({ ...rest, targetLanguages: [{ ...sourceLanguage, pluralCategoryNames: [] }] });
    expect(error.problems.map(({ path }) => path)).toEqual([
      "sourceLanguage",
      "targetLanguages[0].pluralCategoryNames",
    ]);
  });
});
