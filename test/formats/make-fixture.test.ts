import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findLanguage, languageIds } from "../../src/config/languages.ts";
import { decodeText } from "../../src/formats/decode-text.ts";
import { languageNamed, languageOfPath } from "../../src/formats/language-names.ts";
import { fixtureNotes, makeFixture } from "../../src/formats/make-fixture.ts";
import { shortStringsSchema } from "../../src/protocol/fixture.ts";
import type { Language } from "../../src/protocol/language.ts";

function language(id: string): Language {
  const found = findLanguage(id);
  if (found === undefined) throw new Error(`no language ${id}`);
  return found;
}
const [en, uk, ja] = [language("en"), language("uk"), language("ja")];

describe("2.5 plural texts are keyed by exactly the categories of their language", () => {
  test("a source form that the file lacks has the text of other; a translation is empty and untranslated", () => {
    const { strings, leftOut } = makeFixture({
      format: "json",
      sourceLanguage: en,
      strings: [{ identifier: "n", text: { zero: "none", other: "many" } }],
      translations: [{ language: uk, strings: [{ identifier: "n", text: { one: "один", few: "", two: "два" } }] }],
    });
    expect(strings).toMatchObject([
      {
        hasPlurals: true,
        text: { one: "many", other: "many" },
        translations: {
          uk: {
            text: { one: "один", few: "", many: "", other: "" },
            status: { one: "translated", few: "untranslated", many: "untranslated", other: "untranslated" },
          },
        },
      },
    ]);
    expect(fixtureNotes(leftOut)).toEqual([
      'plural form "two" is none of uk (one, few, many, other), left out: n',
      'plural form "zero" is none of en (one, other), left out: n',
    ]);
  });

  test("i18next's lone item_other of a language with one form is found", () => {
    const { strings } = makeFixture({
      format: "json",
      sourceLanguage: en,
      strings: [{ identifier: "item", text: { one: "an item", other: "items" } }],
      translations: [{ language: ja, strings: [{ identifier: "item_other", text: "品" }] }],
    });
    expect(strings[0]?.translations).toEqual({ ja: { text: { other: "品" } } });
  });

  test.each([
    ["i18next's suffixes", "c_one", "c_few", "c_many"],
    ["a map by category", "c.one", "c.few", "c.many"],
    ["fewer forms than tell a plural", "c_one", "c_many", "c_many"],
  ])("a translation of lone forms is found, what it lacks is untranslated: %s", (_, ...identifiers) => {
    const { strings, leftOut } = makeFixture({
      format: "json",
      sourceLanguage: en,
      strings: [
        { identifier: "c", text: { one: "a cat", other: "cats" } },
        { identifier: "c_two", text: "two cats" },
      ],
      translations: [
        {
          language: uk,
          strings: [...new Set([...identifiers, "c_two", "d_one"])].map((identifier) => ({
            identifier,
            text: identifier,
          })),
        },
      ],
    });
    const [one, few, many] = ["one", "few", "many"].map(
      (name) => identifiers.find((each) => each.endsWith(name)) ?? "",
    );
    expect(strings[0]?.translations?.uk?.text).toEqual({ one, few, many, other: "" });
    expect(strings[0]?.translations?.uk?.status).toMatchObject({ one: "translated", other: "untranslated" });
    expect(strings[1]?.translations?.uk).toEqual({ text: "c_two" });
    expect(leftOut).toEqual([{ why: "uk: the source has no such string, left out", what: "d_one" }]);
  });

  test("any parsed file gives strings that a fixture may hold", () => {
    const id = fc.constantFrom("a", "b", "__proto__", "constructor", "");
    const forms = fc.dictionary(fc.constantFrom("zero", "one", "two", "few", "many", "other", "x"), fc.string(), {
      noNullPrototype: true,
    });
    const string = fc.record({ identifier: id, text: fc.oneof(fc.string(), forms) });
    const languages = fc.constantFrom(...languageIds.filter((each) => each !== "en"));
    fc.assert(
      fc.property(fc.array(string), fc.array(string), languages, (source, translated, target) => {
        const { strings } = makeFixture({
          format: "yaml",
          sourceLanguage: en,
          strings: source,
          translations: [{ language: language(target), strings: translated }],
        });
        expect(shortStringsSchema.safeParse(strings).success).toBe(true);
        expect(new Set(strings.map(({ identifier }) => identifier)).size).toBe(strings.length);
        for (const { hasPlurals, text, translations } of strings) {
          if (hasPlurals !== true) continue;
          expect(Object.keys(text)).toEqual(en.pluralCategoryNames);
          const translation = translations?.[target]?.text ?? {};
          expect(new Set(Object.keys(translation))).toEqual(
            new Set(translations === undefined ? [] : language(target).pluralCategoryNames),
          );
        }
      }),
      { numRuns: 100 },
    );
  });
});

test("notes name three places of each reason and count the others", () => {
  const leftOut = ["a", "b", "c", "d", "e"].map((what) => ({ why: "a number is no text, left out", what }));
  expect(fixtureNotes([...leftOut, { why: "other", what: "f" }])).toEqual([
    "a number is no text, left out: a, b, c and 2 more",
    "other: f",
  ]);
});

describe("languages", () => {
  test.each([
    ["pt_BR", "pt-BR"],
    ["uk-UA", "uk"],
    ["zh-Hans", "zh-CN"],
    ["zh_TW", "zh-TW"],
    ["sr@latin", "sr-Latn"],
    ["en_US.UTF-8", "en-US"],
    ["iw", "he"],
    ["xx", null],
    ["not a tag", null],
    ["", null],
  ])("%s is %s", (name, expected) => {
    expect(languageNamed(name)).toBe(expected);
  });

  test.each([
    ["/a/res/values-pl/strings.xml", "pl"],
    ["/a/res/values-pt-rBR/strings.xml", "pt-BR"],
    ["/a/res/values-b+sr+Latn/strings.xml", "sr-Latn"],
    ["/a/res/values/strings.xml", null],
    ["/a/res/values-night/strings.xml", null],
    ["/a/uk.lproj/Localizable.strings", "uk"],
    ["/a/Base.lproj/Localizable.strings", null],
    ["/a/en.json", "en"],
    ["/a/uk-UA.json", "uk"],
    ["/a/greetings.en.json", "en"],
    ["/a/app_en.arb", "en"],
    ["/a/messages_pt_BR.properties", "pt-BR"],
    ["/a/pl/LC_MESSAGES/app.po", "pl"],
    ["/a/locales/uk/common.json", "uk"],
    ["/a/sign_in.json", null],
    ["/a/messages.json", null],
  ])("%s says %s", (file, expected) => {
    expect(languageOfPath(file)).toBe(expected);
  });
});

describe("encodings", () => {
  const text = '"a" = "é😀";';
  test.each([
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${text}`)],
    ["UTF-16LE with a mark", Buffer.from(`\ufeff${text}`, "utf16le")],
    ["UTF-16LE without", Buffer.from(text, "utf16le")],
    ["UTF-16BE with a mark", Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
    ["UTF-16BE without", Buffer.from(text, "utf16le").swap16()],
  ])("%s", (_, bytes) => {
    expect(decodeText(bytes, "a.strings", "strings")).toBe(text);
  });

  test("line ends are one kind; Java's Latin-1 and what XML and PO declare are read, wrong bytes are refused", () => {
    expect(decodeText(Buffer.from("a\r\nb\rc\n"), "a.po", "gettext")).toBe("a\nb\nc\n");
    expect(decodeText(Buffer.from("a=\u00e9", "latin1"), "a.properties", "properties")).toBe("a=é");
    const xml = '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>';
    expect(decodeText(Buffer.from(xml, "latin1"), "a.xml", "android")).toBe(xml);
    const po = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n"é"';
    expect(decodeText(Buffer.from(po, "latin1"), "a.po", "gettext")).toBe(po);
    expect(() => decodeText(Buffer.from("é", "latin1"), "a.json", "json")).toThrow(
      /a\.json: .*not in the encoding "utf-8"/,
    );
    expect(() => decodeText(Buffer.from("bplist00"), "a.strings", "strings")).toThrow(/compiled property list/);
  });
});
