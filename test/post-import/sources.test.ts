import { describe, expect, it } from "vitest";
import type { ImportJob } from "../../src/index.ts";
import { importing, linesOf, oneImport, returning } from "../rig/imports.ts";
import { always, jobWith, onlyCall, record, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const strings = [record("1", "Save")];
const answer = always(returning(strings));
const short = {
  file: { name: "site.json", content: "e30=" },
  targetLanguages: ["uk"],
  strings: [{ uniqId: "1", identifier: "key.1", text: "Save" }],
};

/** The mistake that these sources are; nothing is sent. */
async function mistakeIn(...sources: readonly unknown[]) {
  await using run = await startSimulation({ serves: oneImport, answer });
  const error = await usageErrorOf(run.sim.postImport(sources as never));
  expect(run.app.calls).toEqual([]);
  return error;
}

describe("what postImport() takes", () => {
  it("may be a fixture in the short form as an object", async () => {
    await using run = await startSimulation({ serves: oneImport, answer });
    const { jobs } = await run.sim.postImport({ name: "mine", fixture: short });
    expect(jobs).toMatchObject([{ fixture: "mine", outcome: "imported", changes: { unchanged: 1 }, expected: null }]);
    expect(onlyCall(run.app).json()).toMatchObject({ jobType: "file-post-import", file: { name: "site.json" } });
  });

  it("must not be empty: an empty array is the user's mistake", async () => {
    expect(await mistakeIn()).toMatchObject({ code: "no-fixture", summary: "postImport(): there is no fixture" });
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["undefined", undefined],
    ["5", 5],
    ["{}", {}],
    ['{"job":', { job: jobWith(strings) }],
    ['{"name":5', { name: 5, job: jobWith(strings) }],
  ])("must not be %s", async (says, source) => {
    const error = await mistakeIn(source);
    expect(error.code).toBe("source-invalid");
    expect(error.summary).toContain(`postImport(): ${says}`);
    expect(error.hint).toContain("{name, job} or {name, fixture}");
  });

  it.each<[string, unknown]>([
    ["nothing", { name: "x" }],
    ["a job of undefined", { name: "x", job: undefined }],
    ["a fixture of undefined", { name: "x", fixture: undefined }],
    ["a bigint", { name: "x", job: { ...jobWith(strings), id: 5n } }],
  ])("must be valid in JSON, and not %s", async (_, source) => {
    expect(await mistakeIn(source)).toMatchObject({
      code: "source-invalid",
      summary: 'postImport(): "x" cannot be written as JSON',
    });
  });
});

describe("2.5 a fixture in the short form must follow the contract", () => {
  const plural = (text: object) => ({ identifier: "a", text, hasPlurals: true });
  const one = { one: "a", other: "b" };

  it.each<[string, object, string, RegExp]>([
    [
      "a translation into a language that is no target",
      { strings: [{ identifier: "a", text: "b", translations: { de: { text: "c" } } }] },
      "strings[0].translations.de",
      /not for a target language of the job/,
    ],
    ["a category too many", { strings: [plural({ ...one, few: "c" })] }, "strings[0].text.few", /one, other|category/],
    [
      "a category too few in a translation",
      { strings: [{ ...plural(one), translations: { uk: { text: { one: "а", other: "б" } } } }] },
      "strings[0].translations.uk.text",
      /few|many/,
    ],
    [
      "a target language twice",
      { targetLanguages: ["uk", "pl", "uk"] },
      "targetLanguages[2]",
      /^is "uk", like an earl/,
    ],
    [
      "the source language as a target",
      { targetLanguages: ["uk", "en"] },
      "targetLanguages[1]",
      /^is "en", the source language$/,
    ],
  ])("%s", async (_, changes, path, message) => {
    const error = await mistakeIn({ name: "mine", fixture: { ...short, ...changes } });
    expect(error.code).toBe("fixture-invalid");
    expect(error.problems[0]?.path.startsWith(path)).toBe(true);
    expect(error.problems[0]?.message).toMatch(message);
  });

  it("also if its strings are in a file, each by its place", async () => {
    using directory = makeTempDir();
    const foreign = { identifier: "a", text: "b", translations: { de: { text: "c" } } };
    for (const [name, content, where] of [
      ["strings.json", JSON.stringify([short.strings[0], foreign]), "[1].translations.de"],
      ["strings.ndjson", linesOf([...short.strings, foreign]), "translations.de"],
    ] as const) {
      const { strings: _, ...rest } = short;
      directory.write(name, content);
      const error = await mistakeIn(directory.write("fixture.json", { ...rest, stringsFile: name }));
      expect(error).toMatchObject({ code: "fixture-invalid", summary: expect.stringContaining(name) });
      expect(error.problems).toEqual([{ path: where, message: expect.stringContaining("target language") }]);
    }
  });

  it("and a complete job is sent unchanged", async () => {
    const odd = [record("1", "Save", { translations: { de: { text: "c" } } })];
    const { posts } = await importing(odd, always(returning(odd)));
    expect(posts[0]?.json()).toMatchObject({ strings: odd });
  });
});

it("several fixtures with mistakes are all reported, and none is sent", async () => {
  using directory = makeTempDir();
  const good = directory.write("good.json", jobWith(strings));
  const unknown = directory.write("unknown.json", { ...short, targetLanguages: ["ukk"] });
  const untyped = directory.write("untyped.json", { ...short, strings: [{ identifier: 5 }, { identifier: 6 }] });
  const error = await mistakeIn(good, unknown, untyped, "nowhere.json");
  expect(error).toMatchObject({ code: "fixtures-invalid", summary: "3 of 4 fixtures cannot be sent" });
  const told = error.problems.map(({ path, message }) => `${path}: ${message}`).join("\n");
  for (const name of [unknown, untyped, "nowhere.json"]) expect(told).toContain(name);
  expect(error.problems).toHaveLength(3);
  expect(told).toContain("strings[0].identifier");
  expect(told).toMatch(/, and \d more/);
  expect(told).not.toContain(good);
});

describe("a fixture file", () => {
  it("with numbers that JavaScript cannot represent gets a warning, with the place", async () => {
    using directory = makeTempDir();
    const file = directory.write(
      "job.json",
      JSON.stringify(jobWith(strings)).replace('"id":9,', '"id":9,"extra":9007199254740993,'),
    );
    const { result } = await importing(file, answer);
    expect(result.jobs).toMatchObject([{ outcome: "imported" }]);
    expect(result.warnings).toEqual([expect.stringContaining(`${file}: file.extra `)]);
    expect(result.warnings[0]).toMatch(/9007199254740993, .*; it is sent that way$/);
  });

  it("gets a warning once, however many jobs it has", async () => {
    using directory = makeTempDir();
    const targetLanguages = [...jobWith([]).targetLanguages, { ...jobWith([]).sourceLanguage, id: "de" }];
    const job = JSON.stringify(jobWith(strings, { targetLanguages }));
    const file = directory.write("job.json", `{"extra":1e400,${job.slice(1)}`);
    const { result, posts } = await importing(file, answer, { occasion: "translation-upload" });
    expect(posts).toHaveLength(2);
    expect(result.warnings).toHaveLength(1);
  });
});

describe("2.3 null next to its alternative in a complete job counts as missing", () => {
  const { strings: _, file, ...rest } = jobWith(strings);
  const { content, ...named } = file;

  it.each(["inline", "url"] as const)("sent %s", async (via) => {
    using directory = makeTempDir();
    directory.write("strings.ndjson", linesOf(strings));
    directory.write("site.json", "{}");
    const inside = { ...rest, strings, stringsUrl: null, file: { ...file, contentUrl: null } };
    const beside = {
      ...rest,
      strings: null,
      stringsUrl: "strings.ndjson",
      file: { ...named, content: null, contentUrl: "site.json" },
    };
    for (const job of [inside, beside]) {
      const { imported, posts } = await importing(directory.write("job.json", job), answer, { via });
      const sent = posts[0]?.json() as ImportJob;
      const [given, left] = via === "inline" ? ["strings", "stringsUrl"] : ["stringsUrl", "strings"];
      expect(Object.keys(sent)).toContain(given);
      expect(Object.keys(sent)).not.toContain(left);
      expect(Object.keys(sent.file)).not.toContain(via === "inline" ? "contentUrl" : "content");
      expect(imported).toMatchObject({ outcome: "imported", sent: { via }, changes: { unchanged: 1 } });
    }
  });
});
