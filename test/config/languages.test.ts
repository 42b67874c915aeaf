import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { didYouMeanLanguage } from "../../src/config/language-ids.ts";
import { findLanguage, languageTable } from "../../src/config/languages.ts";
import { type Language, languageSchema } from "../../src/protocol/language.ts";

const table = languageTable();
const realJob = new URL("../../../shared/real/4-multilingual-string-catalog.json", import.meta.url);

function fields(id: string) {
  const { pluralCategoryNames, pluralRules, ...rest } = findLanguage(id) ?? {};
  return rest;
}

describe("languageTable", () => {
  it("holds language objects of interface 2.3 without an empty field", () => {
    for (const language of table) {
      expect(languageSchema.parse(language)).toEqual(language);
      expect(Object.values(language).filter((value) => value === "" || value === undefined)).toEqual([]);
    }
  });

  it.each(["id", "name", "editorCode", "osxCode", "osxLocale"] as const)("gives each language its own %s", (field) => {
    const values = table.map((language) => language[field]);
    expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
  });

  it("is in the order of canonical BCP 47 ids", () => {
    const ids = table.map(({ id }) => id);
    expect(ids).toEqual(Intl.getCanonicalLocales(ids));
    expect(ids).toEqual([...ids].sort());
  });

  it("has the form of codes that platforms expect", () => {
    for (const language of table) {
      expect(language).toMatchObject({
        editorCode: expect.stringMatching(/^[a-z]+[0-9]*$/),
        twoLettersCode: expect.stringMatching(/^[a-z]{2,3}$/),
        threeLettersCode: expect.stringMatching(/^[a-z]{3}$/),
        locale: expect.stringMatching(/^[a-z]{2,3}(-[A-Z][a-z]{3})?-([A-Z]{2}|419)$/),
        androidCode: expect.stringMatching(/^([a-z]{2,3}-r[A-Z]{2}|b\+[a-z]{2}\+(Latn|419))$/),
        osxCode: `${language.osxLocale}.lproj`,
      });
    }
  });

  it("offers every language that CLDR covers to its modern level", () => {
    const levels: Record<string, string> = createRequire(import.meta.url)(
      "cldr-core/coverageLevels.json",
    ).effectiveCoverageLevels;
    const modern = Object.keys(levels).filter((id) => levels[id] === "modern" && id !== "und");
    const offered = new Set(table.map(({ twoLettersCode }) => twoLettersCode));
    expect(modern.map((id) => new Intl.Locale(id).language).filter((language) => !offered.has(language))).toEqual([]);
  });
});

describe("findLanguage", () => {
  it("computes what the table holds", () => {
    expect(table.map(({ id }) => findLanguage(id))).toEqual(table);
  });

  it.each(["", "xx", "EN", "en-gb", "english", "constructor", "../en"])("does not know %j", (id) => {
    expect(findLanguage(id)).toBeUndefined();
  });

  it("gives all fields of Ukrainian", () => {
    expect(findLanguage("uk")).toEqual({
      id: "uk",
      name: "Ukrainian",
      editorCode: "uk",
      twoLettersCode: "uk",
      threeLettersCode: "ukr",
      locale: "uk-UA",
      androidCode: "uk-rUA",
      osxCode: "uk.lproj",
      osxLocale: "uk",
      pluralCategoryNames: ["one", "few", "many", "other"],
      pluralRules:
        "((n%10==1 && n%100!=11) ? 0 : ((n%10>=2 && n%10<=4 && (n%100<12 || n%100>14)) ? 1 : ((n%10==0 || (n%10>=5 && n%10<=9) || (n%100>=11 && n%100<=14)) ? 2 : 3)))",
    });
  });

  it.each([
    ["en-GB", "English, United Kingdom", "engb", "eng", "en-GB", "en-rGB", "en-GB"],
    ["pt-BR", "Portuguese, Brazilian", "ptbr", "por", "pt-BR", "pt-rBR", "pt-BR"],
    ["pt-PT", "Portuguese, Portugal", "ptpt", "por", "pt-PT", "pt-rPT", "pt-PT"],
    ["es-419", "Spanish, Latin America", "es419", "spa", "es-419", "b+es+419", "es-419"],
    ["zh-CN", "Chinese Simplified", "zhcn", "zho", "zh-CN", "zh-rCN", "zh-Hans"],
    ["zh-TW", "Chinese Traditional", "zhtw", "zho", "zh-TW", "zh-rTW", "zh-Hant"],
    ["zh-HK", "Chinese Traditional, Hong Kong", "zhhk", "zho", "zh-HK", "zh-rHK", "zh-HK"],
    ["sr-Latn", "Serbian Latin", "srlatn", "srp", "sr-Latn-RS", "b+sr+Latn", "sr-Latn"],
    ["fil", "Filipino", "fil", "fil", "fil-PH", "fil-rPH", "fil"],
    ["ro", "Romanian", "ro", "ron", "ro-RO", "ro-rRO", "ro"],
    ["ak", "Akan", "ak", "aka", "ak-GH", "ak-rGH", "ak"],
    ["ar", "Arabic", "ar", "ara", "ar-EG", "ar-rEG", "ar"],
  ])("codes %s", (id, name, editorCode, threeLettersCode, locale, androidCode, osxLocale) => {
    const [twoLettersCode] = id.split("-");
    const osxCode = `${osxLocale}.lproj`;
    const expected = {
      id,
      name,
      editorCode,
      twoLettersCode,
      threeLettersCode,
      locale,
      androidCode,
      osxCode,
      osxLocale,
    };
    expect(fields(id)).toEqual(expected);
  });
});

describe("languageSchema", () => {
  const ukrainian = { ...findLanguage("uk") };

  it("keeps keys that the interface does not list", () => {
    expect(languageSchema.parse({ ...ukrainian, textDirection: "ltr" })).toHaveProperty("textDirection", "ltr");
  });

  it.each(Object.keys(ukrainian))("refuses a language whose %s is missing or of another type", (field) => {
    expect(languageSchema.safeParse({ ...ukrainian, [field]: undefined }).success).toBe(false);
    expect(languageSchema.safeParse({ ...ukrainian, [field]: 1 }).success).toBe(false);
  });

  it("refuses a language without plural categories", () => {
    expect(languageSchema.safeParse({ ...ukrainian, pluralCategoryNames: [] }).success).toBe(false);
  });
});

describe.skipIf(!existsSync(realJob))("a real job", () => {
  /** Languages whose recorded plural fields leave out CLDR's `many` of the millions; ours follow CLDR. */
  const withoutMillions = ["es", "fr", "it", "pt-BR"];

  it("carries the language objects that we make", () => {
    const job: { sourceLanguage: Language; targetLanguages: Language[] } = JSON.parse(readFileSync(realJob, "utf8"));
    const real = [job.sourceLanguage, ...job.targetLanguages];
    for (const language of real) {
      const ours = findLanguage(language.id);
      const { pluralCategoryNames, pluralRules, ...codes } = language;
      expect(ours).toMatchObject(codes);
      if (!withoutMillions.includes(language.id)) expect(ours).toEqual(language);
    }
    expect(real.length).toBeGreaterThan(1);
  });
});

describe("what is no language id", () => {
  it.each([
    ["ua", "uk"],
    ["UA", "uk"],
    ["ua-UA", "uk"],
    ["cz", "cs"],
    ["jp", "ja"],
    ["cn", "zh-CN"],
    ["kr", "ko"],
    ["dk", "da"],
    ["se", "sv"],
    ["gr", "el"],
    ["us", "en-US"],
    ["ukr", "uk"],
    ["Ukrainian", "uk"],
    ["german", "de"],
    ["en_GB", "en-GB"],
  ])("%s was meant to be %s", (wrong, meant) => {
    expect(didYouMeanLanguage(wrong)).toBe(` Did you mean "${meant}"?`);
  });

  it("may be like none", () => {
    expect(didYouMeanLanguage("no such language at all")).toBe("");
  });
});
