import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { basename, join, parse, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { fixtureResultSchema } from "../../src/formats/fixture-result.ts";
import { shortFixtureSchema } from "../../src/protocol/fixture.ts";
import { runLine } from "../rig/line.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const samples = resolve(import.meta.dirname, "../../fixtures/files");
const files: [name: string, format: string, strings: number, plurals: number, withContext: number, targets: string][] =
  [
    ["en.json", "json", 7, 1, 0, ""],
    ["messages.yaml", "yaml", 3, 1, 2, ""],
    ["strings.xml", "android", 7, 1, 1, ""],
    ["Localizable.strings", "strings", 3, 0, 3, ""],
    ["Localizable.stringsdict", "stringsdict", 1, 1, 0, ""],
    ["messages.po", "gettext", 4, 1, 4, "pl"],
    ["messages.xlf", "xliff", 3, 0, 1, "de"],
    ["app_en.arb", "arb", 2, 0, 2, ""],
    ["messages.properties", "properties", 3, 0, 2, ""],
  ];

function copySamples(dir: TempDir, ...names: readonly string[]): void {
  for (const name of names) copyFileSync(join(samples, name), join(dir.path, name));
}

function readJson(...parts: string[]) {
  return JSON.parse(readFileSync(join(...parts), "utf8"));
}

test("makes a fixture of each format, beside its file, and tells what it did", async () => {
  using dir = makeTempDir();
  copySamples(dir, ...files.map(([name]) => name));
  const args = ["fixture", ...files.map(([name]) => name)];
  const { code, stdout, stderr } = await runLine([...args, "--format", "json"], { cwd: dir.path });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { fixtures } = fixtureResultSchema.parse(JSON.parse(stdout));
  const facts = fixtures.map((row) => [
    row.file,
    row.format,
    row.strings,
    row.plurals,
    row.withContext,
    row.targetLanguages.join(),
  ]);
  expect(facts).toEqual(files);
  for (const { file, fixture } of fixtures) {
    // Three files are called messages.*, two Localizable.*, so those keep their endings.
    const name = /^(messages|Localizable)\./.test(file) ? file : parse(file).name;
    expect(fixture).toBe(`${name}.fixture.json`);
    expect(shortFixtureSchema.parse(readJson(dir.path, `${name}.fixture.json`)).file.path).toBe(file);
  }
  const text = await runLine([...args, "--force"], { cwd: dir.path });
  expect(text.stdout).toMatch(/^fixture +format +strings +plurals +with context +languages +translations\n/);
  expect(text.stdout).toContain(
    "\nmessages.po.fixture.json              gettext      4        1        4             en → pl    4\n",
  );
  expect(text.stdout).toContain("\nen.json:\n  a number is no text, left out: version\n");
});

test("puts it into fixtures/jobs where that is, or into --out, with the way back to the file", async () => {
  using dir = makeTempDir();
  copySamples(dir, "en.json");
  mkdirSync(join(dir.path, "fixtures/jobs"), { recursive: true });
  await runLine(["fixture", "en.json"], { cwd: dir.path });
  await runLine(["fixture", "en.json", "--out", "a/b"], { cwd: dir.path });
  expect(readJson(dir.path, "fixtures/jobs/en.fixture.json").file).toEqual({ path: "../../en.json" });
  expect(readJson(dir.path, "a/b/en.fixture.json").file).toEqual({ path: "../../en.json" });
});

test("--translations pairs files by key, --source and --type beat what names say", async () => {
  using dir = makeTempDir();
  copySamples(dir, "en.json", "uk.json", "messages.po");
  dir.write("source.txt", '{"app":{"title":"Orchard"}}');
  const paired = await runLine(
    [
      "fixture",
      "source.txt",
      "--type",
      "json",
      "--source",
      "en-GB",
      "--translations",
      "uk=uk.json",
      "--format",
      "json",
    ],
    { cwd: dir.path },
  );
  const [row] = fixtureResultSchema.parse(JSON.parse(paired.stdout)).fixtures;
  expect(row).toMatchObject({ sourceLanguage: "en-GB", targetLanguages: ["uk"], translations: 1 });
  expect(row?.notes.join()).toMatch(/^uk: the source has no such string, left out: app\.tagline, basket\.apples, /);
  expect(readJson(dir.path, "source.fixture.json").strings[0].translations).toEqual({ uk: { text: "Сад" } });
});

describe("refuses, and writes nothing", () => {
  const big = "big.json";
  test.each([
    ["an unknown ending", ["en.json", "a.txt"], "unknown-format", /a\.txt: the ending \.txt does not tell the format/],
    ["an unknown type", ["en.json", "--type", "jsn"], "unknown-format", /Did you mean "json"\?/],
    [
      "an unknown language",
      ["en.json", "--source", "xx"],
      "unknown-language",
      /--source: "xx" is not a known language id/,
    ],
    [
      "a pair without a language",
      ["en.json", "--translations", "uk.json"],
      "translations-unclear",
      /does not say language and file/,
    ],
    [
      "translations of two files",
      ["en.json", "uk.json", "--translations", "pl=uk.json"],
      "translations-unclear",
      /there are 2/,
    ],
    [
      "a file that is not there",
      ["en.json", "none.json"],
      "file-unreadable",
      /none\.json cannot be read: there is no such file/,
    ],
    ["a file of 100 MB", ["en.json", big], "file-unreadable", /big\.json is larger than 16 MiB/],
    ["a broken file", ["en.json", "bad.yaml"], "file-invalid", /bad\.yaml, line \d: cannot be read as yaml/],
    [
      "two files of one name",
      ["en.json", "sub/en.json", "--out", "."],
      "fixture-exists",
      /en\.json and sub\/en\.json would both become/,
    ],
    [
      "a country for a language",
      ["en.json", "--translations", "ua=uk.json"],
      "unknown-language",
      /Did you mean "uk"\?/,
    ],
    ["a file without strings", ["none/en.json"], "no-strings", /^none\/en\.json holds no strings: a number is no text/],
    [
      "a directory without strings",
      ["none"],
      "no-strings",
      /^none of the 2 files holds a string: none\/en\.json: a number/,
    ],
    ["a directory without files", ["empty"], "no-localization-file", /^there is no localization file in empty$/],
    ["a pattern without files", ["*.yml"], "no-localization-file", /^there is no localization file in \*\.yml$/],
    [
      "what would replace a file that is read",
      ["mine.txt", "--type", "json", "--translations", "uk=mine.fixture.json", "--force"],
      "fixture-exists",
      /the fixture of mine\.txt would replace .*mine\.fixture\.json, which was read/,
    ],
  ])("%s", async (_, args, errorCode, message) => {
    using dir = makeTempDir();
    copySamples(dir, "en.json", "uk.json");
    dir.write("a.txt", "x");
    dir.write("bad.yaml", 'a: "b\nc: d\n');
    dir.write("sub/en.json", { a: "b" });
    dir.write("none/en.json", { a: 1 });
    dir.write("none/uk.json", {});
    dir.write("mine.fixture.json", { a: "b" });
    dir.write("mine.txt", '{"a":"b"}');
    mkdirSync(join(dir.path, "empty"));
    truncateSync(dir.write(big, ""), 100 * 1024 * 1024);
    const { code, stdout, stderr } = await runLine(["fixture", ...args, "--format", "json"], { cwd: dir.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ code: errorCode, message: expect.stringMatching(message) });
    const left = readdirSync(dir.path, { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => /fixture|partial/.test(basename(name)))).toEqual(["mine.fixture.json"]);
  });

  test("a fixture that is there already, but for --force", async () => {
    using dir = makeTempDir();
    copySamples(dir, "en.json", "messages.yaml");
    dir.write("messages.fixture.json", "mine");
    const refused = await runLine(["fixture", "en.json", "messages.yaml"], { cwd: dir.path });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/messages\.fixture\.json exists already \(--force/),
    });
    expect(existsSync(join(dir.path, "en.fixture.json"))).toBe(false);
    expect(readFileSync(join(dir.path, "messages.fixture.json"), "utf8")).toBe("mine");
    expect((await runLine(["fixture", "en.json", "messages.yaml", "--force"], { cwd: dir.path })).code).toBe(0);
    expect(readJson(dir.path, "messages.fixture.json").sourceLanguage).toBe("en");
  });
});

test("directories and patterns are read, fixtures made before are not, and a file without strings gives none", async () => {
  using dir = makeTempDir();
  copySamples(dir, "en.json");
  dir.write("locales/pl/common.yaml", "a: b\n");
  dir.write("locales/pl/empty.json", {});
  dir.write("locales/pl/readme.txt", "x");
  dir.write("locales/node_modules/a/en.json", { a: "b" });
  for (const force of [[], ["--force"]]) {
    const { code, stdout } = await runLine(["fixture", "locales", "en.*", ...force], { cwd: dir.path });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nlocales\/pl\/common\.fixture\.json +yaml .*\nnone +json +0 .*\nen\.fixture\.json +json /);
    expect(stdout).toContain("\nlocales/pl/empty.json:\n  holds no strings, so no fixture was made of it\n");
  }
  const found = readdirSync(dir.path, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("fixture"));
  expect(found.sort()).toEqual(["en.fixture.json", "locales/pl/common.fixture.json"]);
});

test("others may read what is written as they may read any new file", async () => {
  using dir = makeTempDir();
  copySamples(dir, "en.json");
  await runLine(["fixture", "en.json", "--out", "a/b"], { cwd: dir.path });
  const modeOf = (name: string) => statSync(join(dir.path, name)).mode & 0o777;
  const umask = process.umask();
  expect(["a", "a/b", "a/b/en.fixture.json"].map(modeOf)).toEqual([0o777 & ~umask, 0o777 & ~umask, 0o666 & ~umask]);
});

test("Slavic plurals without other are found, what they lack is untranslated", async () => {
  using dir = makeTempDir();
  dir.write("en.json", { c_one: "a cat", c_other: "cats", items: { one: "an item", other: "items" } });
  dir.write("uk.json", {
    c_one: "кіт",
    c_few: "коти",
    c_many: "котів",
    items: { one: "річ", few: "речі", many: "речей" },
  });
  const args = ["fixture", "en.json", "--translations", "uk=uk.json", "--format", "json"];
  const { stdout } = await runLine(args, { cwd: dir.path });
  const [row] = fixtureResultSchema.parse(JSON.parse(stdout)).fixtures;
  expect(row).toMatchObject({ plurals: 2, translations: 2, notes: [] });
  const { strings } = shortFixtureSchema.parse(readJson(dir.path, "en.fixture.json"));
  expect(strings?.map(({ translations }) => translations?.uk?.text)).toEqual([
    { one: "кіт", few: "коти", many: "котів", other: "" },
    { one: "річ", few: "речі", many: "речей", other: "" },
  ]);
});

test("what a file says is harmless on a terminal", async () => {
  using dir = makeTempDir();
  dir.write("en.json", '{"a\\u001b[31m\\u202e":1,"b":""}');
  const { stdout } = await runLine(["fixture", "en.json"], { cwd: dir.path });
  expect(stdout).toContain("a number is no text, left out: a␛[31m<U+202E>");
});
