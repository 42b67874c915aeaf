import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ImportOptions, StringRecord } from "../../src/index.ts";
import type { CallHandler } from "../rig/fake-app.ts";
import { byUrl, importing, linesOf, oneImport, returning } from "../rig/imports.ts";
import { always, jobWith, record, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const strings = [record("1", "Save"), record("2", "Open"), record("3", "Close")];
const [first, second, third] = strings as [StringRecord, StringRecord, StringRecord];
const tidied = [{ ...first, text: "Save!" }, second, third];
const html = "<p>Save!";
const withPreview = (content: string): CallHandler =>
  always({ data: { ...returning(tidied).data, preview: Buffer.from(content).toString("base64") } });

function fixtureIn(directory: TempDir): string {
  return directory.write("greetings.json", jobWith(strings));
}

/** Accepts the first answer, and then holds the second one against it. */
async function acceptThenRun(accepted: CallHandler, answer: CallHandler, options: ImportOptions = {}) {
  using directory = makeTempDir();
  const fixture = fixtureIn(directory);
  const { imported: written } = await importing(fixture, accepted, { ...options, update: true });
  const { imported } = await importing(fixture, answer, options);
  return { written, expected: imported.expected, imported };
}

describe("--update writes the answer next to the fixture", () => {
  it.each<[string, CallHandler]>([
    ["inline", always(returning(tidied))],
    ["by URL", byUrl(linesOf(tidied))],
  ])("strings %s", async (_, answer) => {
    using directory = makeTempDir();
    const fixture = fixtureIn(directory);
    const { imported } = await importing(fixture, answer, { update: true });
    const file = join(directory.path, "greetings.expected.ndjson");
    expect(imported).toMatchObject({ outcome: "imported", expected: { file, result: "written", reason: null } });
    const head = { outcome: "imported", error: null, preview: null };
    expect(readFileSync(file, "utf8")).toBe(linesOf([head, ...tidied]));
    expect(readdirSync(directory.path).sort()).toEqual(["greetings.expected.ndjson", "greetings.json"]);
  });

  it("with the preview as its digest", async () => {
    using directory = makeTempDir();
    await importing(fixtureIn(directory), withPreview(html), { update: true });
    const [head = ""] = readFileSync(join(directory.path, "greetings.expected.ndjson"), "utf8").split("\n");
    const sha256 = createHash("sha256").update(html).digest("hex");
    expect(JSON.parse(head).preview).toEqual({ bytes: html.length, sha256 });
  });

  it("in place of an earlier one", async () => {
    using directory = makeTempDir();
    const fixture = fixtureIn(directory);
    for (const answer of [returning(strings), returning(tidied)])
      await importing(fixture, always(answer), { update: true });
    expect((await importing(fixture, always(returning(tidied)))).imported.expected?.result).toBe("same");
  });

  it("named by occasion and language if the fixture does not set them", async () => {
    using directory = makeTempDir();
    const fixture = fixtureIn(directory);
    const languages = (ids: string[]) => ids.map((id) => ({ ...jobWith([]).sourceLanguage, id }));
    const several = directory.write("several.json", jobWith(strings, { targetLanguages: languages(["pl", "de"]) }));
    const answer = always(returning(strings));
    await importing(fixture, answer, { update: true, occasion: "source-update" });
    await importing(fixture, answer, { update: true, occasion: "translation-upload" });
    await importing(several, answer, { update: true, occasion: "translation-upload" });
    await importing(several, answer, { update: true });
    const names = readdirSync(directory.path).filter((name) => name.includes("expected"));
    expect(names.sort()).toEqual([
      "greetings.source-update.expected.ndjson",
      "greetings.translation-upload.uk.expected.ndjson",
      "several.expected.ndjson",
      "several.translation-upload.de.expected.ndjson",
      "several.translation-upload.pl.expected.ndjson",
    ]);
    const { result } = await importing(several, answer, { occasion: "translation-upload" });
    expect(result.jobs.map(({ expected }) => expected?.result)).toEqual(["same", "same"]);
    const other = await importing(fixture, answer);
    expect(other.imported.expected).toBeNull();
  });

  it("each of several jobs of one fixture by itself", async () => {
    using directory = makeTempDir();
    const short = {
      file: { name: "site.json", content: "e30=" },
      targetLanguages: ["uk", "pl"],
      strings: [...strings],
    };
    const fixture = directory.write("short.json", { ...short, occasion: "translation-upload" });
    const { result } = await importing(fixture, always(returning(strings)), { update: true });
    expect(result.jobs.map(({ expected }) => expected?.result)).toEqual(["written", "written"]);
    expect(readdirSync(directory.path).sort()).toEqual([
      "short.json",
      "short.translation-upload.pl.expected.ndjson",
      "short.translation-upload.uk.expected.ndjson",
    ]);
  });

  it("next to the fixture, whatever a language is called", async () => {
    using directory = makeTempDir();
    const [language] = jobWith([]).targetLanguages;
    if (language === undefined) throw new Error("the job has a target language");
    const targetLanguages = [{ ...language, id: "/../../EVIL" }];
    const fixture = directory.write("one/two/greetings.json", jobWith(strings, { targetLanguages }));
    const { imported } = await importing(fixture, always(returning(tidied)), {
      update: true,
      occasion: "translation-upload",
    });
    expect(imported.expected?.result).toBe("written");
    const names = ["greetings.json", "greetings.translation-upload.%2F..%2F..%2FEVIL.expected.ndjson"];
    expect(readdirSync(directory.path, { recursive: true }).sort()).toEqual(
      ["one", "one/two", ...names.map((name) => `one/two/${name}`)].sort(),
    );
  });

  it("one of several at the same time, complete", async () => {
    using directory = makeTempDir();
    const fixture = fixtureIn(directory);
    let calls = 0;
    const longTexts = ["a", "b", "c"].map((letter) => [{ ...first, text: letter.repeat(600_000) }, second, third]);
    const answer: CallHandler = (call) => call.reply(returning(longTexts[calls++] ?? []));
    await using run = await startSimulation({ serves: oneImport, answer });
    const results = await Promise.all(longTexts.map(() => run.sim.postImport(fixture, { update: true })));
    expect(results.map(({ jobs }) => jobs[0]?.expected?.result)).toEqual(["written", "written", "written"]);
    const head = { outcome: "imported", error: null, preview: null };
    const written = readFileSync(join(directory.path, "greetings.expected.ndjson"), "utf8");
    expect(longTexts.map((received) => linesOf([head, ...received])).includes(written)).toBe(true);
    expect(readdirSync(directory.path)).toHaveLength(2);
  });

  it("readable for everybody who works on the fixtures", async () => {
    using directory = makeTempDir();
    await importing(fixtureIn(directory), always(returning(tidied)), { update: true });
    const { mode } = statSync(join(directory.path, "greetings.expected.ndjson"));
    expect(mode & 0o777).toBe(0o644 & ~process.umask());
  });

  it("not for a job from memory, which has no file", async () => {
    expect((await importing(strings, always(returning(tidied)), { update: true })).imported.expected).toBeNull();
  });

  it.each<[string, CallHandler]>([
    ["breaks the contract", always(returning([{ uniqId: 5 }]))],
    ["gives strings both ways", always({ data: { ...returning(strings).data, stringsUrl: "http://127.0.0.1:1/" } })],
    ["ends in a bad line", byUrl(`${linesOf(strings)}{`)],
    ["is no JSON", (call) => call.send("<html>")],
    ["is a 500", (call) => call.send("", { status: 500 })],
    ["does not come", (call) => call.reset()],
  ])("not for an answer that %s: the earlier one stays", async (which, answer) => {
    using directory = makeTempDir();
    const fixture = fixtureIn(directory);
    await importing(fixture, always(returning(tidied)), { update: true });
    const file = join(directory.path, "greetings.expected.ndjson");
    const before = readFileSync(file);
    const { imported } = await importing(fixture, answer, { update: true });
    const notWritten = { file, result: "not-written", reason: "an answer that breaks the contract cannot be expected" };
    // What does not come is no answer.
    expect(imported).toMatchObject({ outcome: "failed", expected: which === "does not come" ? null : notWritten });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(directory.path)).toHaveLength(2);
  });
});

describe("a run is compared with the expected answer", () => {
  const answers: Record<string, CallHandler> = {
    "strings inline": always(returning(tidied)),
    "strings by URL": byUrl(linesOf(tidied)),
    "a preview": withPreview(html),
    "an error of the app": always({ error: { message: "No title." } }),
    "a 304": (call) => call.send("", { status: 304 }),
  };

  it.each(Object.keys(answers))("and is the same: %s", async (name) => {
    const answer = answers[name] ?? always({});
    const { written, expected } = await acceptThenRun(answer, answer);
    expect(written.expected?.result).toBe("written");
    expect(expected).toMatchObject({ result: "same", reason: null, differences: { strings: [] } });
  });

  it.each([
    ["strings inline", "strings by URL"],
    ["strings by URL", "strings inline"],
  ])("and is the same however they travel: %s, then %s", async (accepted, answer) => {
    const { expected } = await acceptThenRun(answers[accepted] ?? always({}), answers[answer] ?? always({}));
    expect(expected).toMatchObject({ result: "same" });
  });

  it("and is the same with explicit defaults, in another order", async () => {
    const long = tidied.map((string) => ({ labels: [], maxLength: null, ...string, translations: {} })).reverse();
    for (const answer of [always(returning(long)), byUrl(linesOf(long))]) {
      expect((await acceptThenRun(always(returning(tidied)), answer)).expected?.result).toBe("same");
    }
  });

  it.each<[string, (strings: readonly StringRecord[]) => CallHandler]>([
    ["inline", (received) => always(returning(received))],
    ["by URL", (received) => byUrl(linesOf(received))],
  ])("and differs if the strings do, with each difference: %s", async (_, answering) => {
    const changed = [{ ...first, text: "Save?" }, second, record("9", "New")];
    const { expected, imported } = await acceptThenRun(answering(tidied), answering(changed));
    expect(expected).toMatchObject({
      result: "different",
      reason: null,
      differences: {
        ...{ changed: 1, added: 1, removed: 1, unchanged: 1 },
        strings: [
          { uniqId: "1", change: "changed", fields: [{ field: "text", before: "Save!", after: "Save?" }] },
          { uniqId: "3", change: "removed" },
          { uniqId: "9", change: "added" },
        ],
      },
    });
    // Beside it stands what was done to the job.
    expect(imported.changes.strings[0]?.fields).toEqual([{ field: "text", before: "Save", after: "Save?" }]);
  });

  it("and differs if all strings came back unchanged, but changes were expected", async () => {
    const { expected, imported } = await acceptThenRun(byUrl(linesOf(tidied)), byUrl(linesOf(strings)));
    expect(imported.changes.unchanged).toBe(3);
    expect(expected).toMatchObject({ result: "different", differences: { changed: 1, unchanged: 2 } });
  });

  it.each<[string, CallHandler, CallHandler, RegExp]>([
    [
      "a failure",
      always(returning(tidied)),
      always({ error: { message: "No." } }),
      /^expected imported, but it was failed \(No\.\)$/,
    ],
    [
      "another error",
      always({ error: { message: "No." } }),
      always({ error: { message: "Never." } }),
      /^expected the error "No\.", but it was "Never\."$/,
    ],
    [
      "strings",
      (call) => call.send("", { status: 304 }),
      always(returning(tidied)),
      /^expected not-modified, but it was imported$/,
    ],
    [
      "no preview",
      withPreview(html),
      always(returning(tidied)),
      /^expected a preview of 8 bytes \(SHA-256 [0-9a-f]{12}…\), but there was no preview$/,
    ],
    [
      "another preview",
      withPreview(html),
      withPreview("<p>Open"),
      /a preview of 8 bytes .* but there was a preview of 7 bytes/,
    ],
    [
      "an answer that breaks the contract",
      always(returning(tidied)),
      always({}),
      /^expected imported, but it failed: the app's answer breaks the contract/,
    ],
  ])("and differs if it came as %s", async (_, accepted, answer, reason) => {
    const { expected } = await acceptThenRun(accepted, answer);
    expect(expected).toMatchObject({
      result: "different",
      reason: expect.stringMatching(reason),
      differences: { strings: [] },
    });
  });

  it("with options that were not there when it was accepted", async () => {
    const { expected } = await acceptThenRun(always(returning(tidied)), always(returning(tidied)), { via: "url" });
    expect(expected?.result).toBe("same");
  });
});

describe("an invalid expected answer", () => {
  it.each([
    ["is empty", "", "expected-invalid"],
    ["has no head", linesOf(tidied), "expected-invalid"],
    ["is no JSON", "{", "not-json"],
    [
      "has a line that is no record",
      linesOf([{ outcome: "imported", error: null, preview: null }, { uniqId: "1" }]),
      "fixture-invalid",
    ],
    [
      "has a repeated uniqId",
      linesOf([{ outcome: "imported", error: null, preview: null }, first, first]),
      "expected-invalid",
    ],
  ])("is the user's mistake: one that %s", async (_, content, code) => {
    using directory = makeTempDir();
    const fixture = fixtureIn(directory);
    const file = directory.write("greetings.expected.ndjson", content);
    await using run = await startSimulation({ serves: oneImport, answer: always(returning(tidied)) });
    const error = await usageErrorOf(run.sim.postImport(fixture));
    expect(error.code).toBe(code);
    expect(error.message).toContain(file);
    await importing(fixture, always(returning(tidied)), { update: true });
    expect((await run.sim.postImport(fixture)).jobs[0]?.expected?.result).toBe("same");
  });

  it("and prevents a new one from being written", async () => {
    using directory = makeTempDir();
    const fixture = fixtureIn(directory);
    const file = join(directory.path, "greetings.expected.ndjson");
    mkdirSync(file);
    await using run = await startSimulation({ serves: oneImport, answer: always(returning(strings)) });
    const error = await usageErrorOf(run.sim.postImport(fixture, { update: true }));
    expect(error).toMatchObject({
      code: "file-unwritable",
      message: expect.stringContaining(`the expected answer ${file} is not a regular file`),
    });
    expect(readdirSync(directory.path).sort()).toEqual(["greetings.expected.ndjson", "greetings.json"]);
  });
});
