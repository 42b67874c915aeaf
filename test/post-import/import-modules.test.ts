import { afterAll, describe, expect, test } from "vitest";
import { type Choices, defaultChoices, readChoices } from "../../src/config/choices.ts";
import type { ImportModule } from "../../src/platform/manifest.ts";
import { type ImportFile, importMismatch, type MatchPattern } from "../../src/post-import/rules/import-modules.ts";
import { createPatternMatcher } from "../../src/post-import/run/match-pattern.ts";

const choosing = (chosen: Partial<Choices> = {}) => readChoices({ ...defaultChoices, ...chosen });
const matcher = createPatternMatcher();
afterAll(() => matcher.close());

type Patterns = ImportModule["signaturePatterns"];

const mismatch = (patterns: Patterns, file: ImportFile, chosen: Partial<Choices> = {}) =>
  importMismatch({ key: "i", url: "/i", signaturePatterns: patterns }, file, choosing(chosen), matcher.test);

const file = (name: string, content: string | Uint8Array | null = ""): ImportFile => ({
  name,
  content: typeof content === "string" ? Buffer.from(content) : content,
});

const xml = file("strings.xml", '<?xml version="1.0"?><resources/>');
const noXmlName = 'its fileName \\.json$ does not match "strings.xml"';
const noXmlContent = "its fileContent ^\\{ does not match the file's content";

describe("2.1 signaturePatterns", () => {
  test.each<[string, Patterns, string | null, string | null]>([
    ["no pattern", {}, null, null],
    ["only fileName, matching", { fileName: "^strings\\.xml$" }, null, null],
    ["only fileName, not matching", { fileName: "\\.json$" }, noXmlName, noXmlName],
    ["only fileContent, matching", { fileContent: "<resources" }, null, null],
    ["only fileContent, not matching", { fileContent: "^\\{" }, noXmlContent, noXmlContent],
    ["both matching", { fileName: "xml", fileContent: "xml" }, null, null],
    ["fileName alone matching", { fileName: "xml", fileContent: "^\\{" }, noXmlContent, null],
    ["fileContent alone matching", { fileName: "\\.json$", fileContent: "xml" }, noXmlName, null],
    [
      "none matching",
      { fileName: "\\.json$", fileContent: "^\\{" },
      `${noXmlName}; ${noXmlContent}`,
      `${noXmlName}; ${noXmlContent}`,
    ],
  ])("%s", async (_, patterns, whenAll, whenAny) => {
    expect(await mismatch(patterns, xml)).toBe(whenAll);
    expect(await mismatch(patterns, xml, { "postImport.patterns": "any" })).toBe(whenAny);
  });

  test.each<[string, Patterns, string[]]>([
    ["no pattern", {}, []],
    ["only fileName", { fileName: "xml" }, []],
    ["only fileContent", { fileContent: "xml" }, ["postImport.patterns"]],
    ["fileContent without a match", { fileContent: "^\\{" }, ["postImport.patterns"]],
    ["both patterns", { fileName: "xml", fileContent: "xml" }, ["postImport.patterns"]],
  ])("%s: names the choice whenever the content is examined", async (_, signaturePatterns, used) => {
    const choices = choosing();
    await importMismatch({ key: "i", url: "/i", signaturePatterns }, xml, choices, matcher.test);
    expect(choices.used()).toEqual(used);
  });

  test("fileContent looks at the first 64 KiB", async () => {
    const marked = (at: number) => file("f", `${"-".repeat(at)}END`);
    const end = { fileContent: "END" };
    expect(await mismatch(end, marked(65_536 - 3))).toBeNull();
    expect(await mismatch(end, marked(65_536 - 2))).toBe("its fileContent END does not match the file's content");
  });

  test("fileContent cannot be tried if the content is unknown, whatever the pattern", async () => {
    for (const pattern of ["xml", ".*", "^$"]) {
      expect(await mismatch({ fileContent: pattern }, file("f", null))).toBe(
        `its fileContent ${pattern} cannot be tried: the file's content is not known here`,
      );
    }
    expect(await mismatch({ fileName: "f" }, file("f", null))).toBeNull();
  });
});

describe("the text that fileContent examines", () => {
  const utf16 = (text: string) => Buffer.from(text, "utf16le");

  test.each<[string, Uint8Array, string]>([
    ["UTF-8", Buffer.from("Привіт"), "^Привіт$"],
    ["UTF-8 with a byte order mark", Buffer.from("\uFEFF{}"), "^\\{\\}$"],
    ["UTF-16, little end first", utf16("\uFEFFПривіт"), "^Привіт$"],
    ["UTF-16, big end first", utf16("\uFEFFПривіт").swap16(), "^Привіт$"],
    ["a package", Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0xfe, 0]), "^PK\\x03\\x04"],
    ["Latin-1, whose letters nobody knows", Buffer.from("msgid Gr\u00fc\u00dfe", "latin1"), "^msgid Gr..e$"],
    ["nothing", new Uint8Array(), "^$"],
  ])("%s", async (_, content, pattern) => {
    expect(await mismatch({ fileContent: pattern }, file("f", content))).toBeNull();
  });

  test("ends before a character that the 64 KiB cut in two", async () => {
    const content = Buffer.from(`${"-".repeat(65_535)}ї`);
    expect(await mismatch({ fileContent: "^-+$" }, file("f", content))).toBeNull();
  });
});

describe("S23: the patterns of an app", () => {
  test.each([
    ["(", "unterminated group: close it with ), or write \\( to match a parenthesis"],
    ["[a", "unterminated character class: close it with ], or write \\[ to match a bracket"],
    ["(?i)xml", "(?i) is not JavaScript: write out what the flag means, such as [aA] for either case"],
    ["a**", "nothing to repeat: write .* for any text, or \\ before the sign to match the sign itself"],
  ])("%s is not valid, and the result says why", async (pattern, reason) => {
    expect(await mismatch({ fileName: pattern }, xml)).toBe(
      `its fileName ${pattern} is not a valid regular expression: ${reason}`,
    );
  });

  test("one that JavaScript reads differently says so if it does not match", async () => {
    expect(await mismatch({ fileName: "\\Astrings" }, xml)).toBe(
      'its fileName \\Astrings does not match "strings.xml" (\\A is not JavaScript: write ^ for the beginning)',
    );
    expect(await mismatch({ fileName: "\\Astrings" }, file("Astrings"))).toBeNull();
  });

  test("one with the slashes of source code says so if it does not match", async () => {
    expect(await mismatch({ fileName: "/\\.xml$/" }, xml)).toBe(
      'its fileName /\\.xml$/ does not match "strings.xml" (it is written between slashes, which are not part of the expression here: write just \\.xml$)',
    );
  });

  test.each([
    ["fileName", file(`${"a".repeat(40)}!`), `"${"a".repeat(40)}!"`],
    ["fileContent", file("f", `${"a".repeat(40)}!`), "the file's content"],
  ])("a catastrophic %s is abandoned, and the next pattern is tried as usual", async (name, evil, what) => {
    const reason = `its ${name} ^(a+)+$ takes more than 1000 ms on ${what}`;
    expect(await mismatch({ [name]: "^(a+)+$" }, evil)).toBe(reason);
    expect(await mismatch({ [name]: "a" }, evil)).toBeNull();
  });

  test("without a pattern, no thread is started", async () => {
    const never: MatchPattern = () => Promise.reject(new Error("nothing is to be tried"));
    const module = { key: "i", url: "/i", signaturePatterns: {} };
    expect(await importMismatch(module, xml, choosing(), never)).toBeNull();
  });
});
