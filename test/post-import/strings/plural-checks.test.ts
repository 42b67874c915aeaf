import { describe, expect, it } from "vitest";
import { record } from "../../rig/simulation.ts";
import { judge, judgeChange, languagesOf } from "./judge.ts";

const files = record("1", { one: "file", other: "files" }, { hasPlurals: true });
const ukrainian = { one: "файл", few: "файли", many: "файлів", other: "файлу" };
const save = record("1", "Save");

function translated(text: string | Record<string, string>, status?: unknown) {
  return { translations: { uk: { text, ...(status !== undefined && { status: status as "approved" }) } } };
}

describe("the text of a plural string", () => {
  it.each([
    [
      "has a category that the language has not",
      { one: "a", few: "b", other: "c" },
      ["text.few: is not a plural category of English. Allowed here: one, other"],
    ],
    [
      "has a misspelt one",
      { one: "a", ohter: "b", other: "c" },
      ['text.ohter: is not a plural category of English. Did you mean "other"? Allowed here: one, other'],
    ],
    ["lacks one", { one: "a" }, ["text.other: is missing: English has the plural categories one, other"]],
    [
      "lacks all",
      {},
      [
        "text.one: is missing: English has the plural categories one, other",
        "text.other: is missing: English has the plural categories one, other",
      ],
    ],
    [
      "has a name of Object.prototype",
      { one: "a", other: "b", constructor: "c" },
      ["text.constructor: is not a plural category of English. Allowed here: one, other"],
    ],
    ["has all", { other: "b", one: "a" }, []],
  ])("%s", (_, text, found) => {
    const expected = found.map((each) => `fail import.text.categories ${each}`);
    expect(judge({ before: null, after: { ...files, text } })).toEqual(expected);
  });

  it("that lacked a category when it was sent is the job's fault, even if the app changed the rest", () => {
    const before = { ...files, text: { one: " a", few: "b" } };
    expect(judgeChange(before, { text: { one: "a", few: "b" } })).toEqual([]);
    expect(judgeChange(before, { text: { one: "a", few: "c" } })).toHaveLength(1);
  });
});

describe("translations", () => {
  it.each([
    ["for another language", "de", "is not for a target language of the job. Allowed here: uk, pl"],
    [
      "for the language misspelt",
      "pl_",
      'is not for a target language of the job. Did you mean "pl"? Allowed here: uk, pl',
    ],
    ["for the source language", "en", "is not for a target language of the job. Allowed here: uk, pl"],
  ])("%s", (_, id, message) => {
    const change = { translations: { [id]: { text: "x" } } };
    expect(judgeChange(save, change)).toEqual([`fail import.translations.languages translations.${id}: ${message}`]);
  });

  it("are refused in a job without target languages", () => {
    expect(judgeChange(save, translated("Зберегти"), languagesOf())).toEqual([
      "fail import.translations.languages translations.uk: the job has no target languages, as for a new source file: no translation is allowed here",
    ]);
    expect(judgeChange(save, { translations: {} }, languagesOf())).toEqual([]);
  });

  it("of many languages name some of them", () => {
    const languages = languagesOf(..."af ar az be bg bn bs ca cs cy da de el".split(" "));
    expect(judgeChange(save, translated("x"), languages)).toEqual([expect.stringMatching(/cy, da, de …$/)]);
  });

  it.each([
    [
      "text by category in a plain string",
      save,
      ukrainian,
      ["uk.text: expected a string, because hasPlurals is not true"],
    ],
    [
      "one text in a plural string",
      files,
      "файл",
      ["uk.text: expected an object keyed by one, few, many, other, because hasPlurals is true"],
    ],
    [
      "the source language's categories",
      files,
      { one: "файл", other: "файлів" },
      [
        "uk.text.few: is missing: Ukrainian has the plural categories one, few, many, other",
        "uk.text.many: is missing: Ukrainian has the plural categories one, few, many, other",
      ],
    ],
    [
      "a category too many",
      files,
      { ...ukrainian, two: "файли" },
      ["uk.text.two: is not a plural category of Ukrainian. Allowed here: one, few, many, other"],
    ],
    ["its own categories", files, ukrainian, []],
    ["one text in a plain string", save, "Зберегти", []],
  ])("%s", (_, sent, text, found) => {
    const expected = found.map((each) => `fail import.translations.text translations.${each}`);
    expect(judgeChange(sent, translated(text))).toEqual(expected);
  });
});

describe("a status", () => {
  it.each([
    ["one for a plural string", files, ukrainian, "approved", []],
    [
      "one for each category",
      files,
      ukrainian,
      { one: "approved", few: "translated", many: "untranslated", other: "approved" },
      [],
    ],
    ["one for some categories", files, ukrainian, { one: "approved" }, []],
    ["null, which is the default", save, "Зберегти", null, []],
    [
      "by category in a plain string",
      save,
      "Зберегти",
      { other: "approved" },
      [": expected a single status, because hasPlurals is not true"],
    ],
    [
      "of an unknown category",
      files,
      ukrainian,
      { ones: "approved" },
      ['.ones: is not a plural category of Ukrainian. Did you mean "one"? Allowed here: one, few, many, other'],
    ],
  ])("%s", (_, sent, text, status, found) => {
    const expected = found.map((each) => `fail import.translations.status translations.uk.status${each}`);
    expect(judgeChange(sent, translated(text, status))).toEqual(expected);
  });
});

it("faults that the job already had are not the app's", () => {
  const sent = {
    ...files,
    translations: { de: { text: "x" }, uk: { text: "файл", status: { two: "approved" as const } } },
  };
  expect(judge({ before: null, after: sent })).toHaveLength(3);
  expect(judgeChange(sent, { labels: ["new"] })).toEqual([]);
});

it("a name of any length is truncated", () => {
  const [found] = judgeChange(save, { translations: { ["x".repeat(1000)]: { text: "" } } });
  expect(found?.length).toBeLessThan(250);
});
