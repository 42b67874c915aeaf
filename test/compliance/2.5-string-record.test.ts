import { describe, expect, it } from "vitest";
import { parseRecord } from "../../src/post-import/checks/strings/string-checks.ts";
import { changedFields } from "../../src/post-import/rules/string-changes.ts";
import type { StringRecord } from "../../src/protocol/import-job.ts";
import { judge, judgeChange, languagesOf } from "../post-import/strings/judge.ts";

// Interface 2.5: every field, default and allowed value of a string record and of a translation.

const least = { uniqId: "d41d8cd9::1", identifier: "menu.save", text: "Save" };
const plural = { ...least, hasPlurals: true, text: { one: "file", other: "files" } };

/** Where a value has not the shape of a string record, as `path message`. */
function problems(value: unknown): string[] {
  const checked = parseRecord(value);
  return checked.ok ? [] : checked.faults.map(({ path, message }) => `${path} ${message}`);
}

describe("2.5 a string record", () => {
  it.each(["uniqId", "identifier", "text"])("requires %s", (field) => {
    const without = Object.fromEntries(Object.entries(least).filter(([name]) => name !== field));
    expect(problems(without)).toEqual([expect.stringContaining(`${field} is missing: expected a`)]);
    expect(problems({ ...least, [field]: null })).toEqual([expect.stringContaining(`${field} is null: expected a`)]);
  });

  it("requires no other field", () => expect(problems(least)).toEqual([]));

  it.each(["text", [], null, 1])("is an object, not %j", (value) => {
    expect(problems(value)).toEqual([expect.stringContaining("expected an object")]);
  });

  it("may have further fields", () => expect(problems({ ...least, more: { a: 1 } })).toEqual([]));

  it.each<[field: string, good: unknown[], bad: unknown[]]>([
    ["uniqId", ["1", "d41d8cd9::1"], ["", 1, {}]],
    ["identifier", ["key", ""], [1, true]],
    ["context", ["Toolbar", "", null], [1, ["Toolbar"]]],
    ["maxLength", [1, 20, 0, -1, null], [1.5, "20", true]],
    ["isHidden", [true, false, null], [0, "true"]],
    ["hasPlurals", [false, null], [0, "false"]],
    ["labels", [[], ["ui", "menu"], null], ["ui", [1], [null], { 0: "ui" }]],
    [
      "attributes",
      [{}, { platformType: "html" }, { platformType: null }, { more: 1 }, null],
      ["html", { platformType: 1 }],
    ],
    ["text", ["Save", ""], [1, ["Save"], { other: 1 }, true]],
    [
      "translations",
      [{}, null, { uk: { text: "Зберегти" } }],
      [[], "Зберегти", { uk: "Зберегти" }, { uk: {} }, { uk: { text: 1 } }],
    ],
  ])("%s is of its type", (field, good, bad) => {
    for (const value of good) expect(problems({ ...least, [field]: value }), JSON.stringify(value)).toEqual([]);
    for (const value of bad)
      expect(problems({ ...least, [field]: value }), JSON.stringify(value)).toEqual([
        expect.stringMatching(`^${field}`),
      ]);
  });

  it("says the place, what is there and what is expected", () => {
    const value = { ...least, labels: ["ui", 2], translations: { uk: { text: "x", status: "done" } } };
    expect(parseRecord(value)).toEqual({
      ok: false,
      faults: [
        { path: "labels[1]", value: 2, message: "is 2: expected a string" },
        {
          path: "translations.uk.status",
          value: "done",
          message: 'is "done": allowed: "untranslated", "translated", "approved" or an object',
        },
      ],
    });
  });

  it("has the defaults of the table", () => {
    const defaults: Partial<StringRecord> = { maxLength: null, isHidden: null, hasPlurals: false, labels: [] };
    expect(changedFields(least, { ...least, ...defaults })).toEqual([]);
  });
});

describe("2.5 hasPlurals", () => {
  it.each([
    ["true and an object", true, { one: "file", other: "files" }, []],
    ["false and a string", false, "file", []],
    ["left out and a string", undefined, "file", []],
    [
      "true and a string",
      true,
      "file",
      ["text expected an object keyed by plural category, because hasPlurals is true"],
    ],
    ["false and an object", false, { other: "files" }, ["text expected a string, because hasPlurals is not true"]],
    [
      "left out and an object",
      undefined,
      { other: "files" },
      ["text expected a string, because hasPlurals is not true"],
    ],
  ])("is %s", (_, hasPlurals, text, found) => {
    expect(problems({ ...least, hasPlurals, text }).map((each) => each.replace(/is \{.*?\}: |is ".*?": /, ""))).toEqual(
      found,
    );
  });

  it.each([
    [{ hasPlurals: true, text: ["file", "files"] }, /^text is \[.*: expected an object keyed by plural category,/],
    [{ text: 5 }, /^text is 5: expected a string, because hasPlurals is not true$/],
    [{ hasPlurals: true, text: undefined, one: "file", other: "files" }, /^text is .*: expected an object keyed/],
    [
      { hasPlurals: true, translations: { uk: { one: "файл", few: "файли" } } },
      /^translations\.uk\.text is missing: one, few belong in it, as \{"text": \{"one": "…"\}\}$/,
    ],
  ])("decides the type that a wrong text should have: %j", (fields, found) => {
    expect(problems({ ...plural, hasPlurals: undefined, ...fields })[0]).toMatch(found);
  });

  it("means text keyed by the source language's pluralCategoryNames", () => {
    expect(judge({ before: null, after: plural })).toEqual([]);
    expect(judgeChange(plural, { text: { other: "files" } })).toEqual([
      expect.stringMatching(/^fail .* text\.one: is missing/),
    ]);
    expect(judgeChange(plural, { text: { ...plural.text, few: "x" } })).toEqual([
      expect.stringMatching(/^fail .* text\.few: is not a plural category of English/),
    ]);
  });
});

describe("2.5 translations", () => {
  const uk = { one: "файл", few: "файли", many: "файлів", other: "файлу" };

  it("are by target language id", () => {
    expect(judgeChange(least, { translations: { uk: { text: "Зберегти" }, pl: { text: "Zapisz" } } })).toEqual([]);
    expect(judgeChange(least, { translations: { de: { text: "Sichern" } } })).toEqual([
      expect.stringMatching(/^fail .* translations\.de: is not for a target language of the job/),
    ]);
    expect(judgeChange(least, { translations: { uk: { text: "Зберегти" } } }, languagesOf())).toEqual([
      expect.stringMatching(/^fail .* translations\.uk: the job has no target languages/),
    ]);
  });

  it("of a plural string are keyed by the target language's pluralCategoryNames", () => {
    expect(judgeChange(plural, { translations: { uk: { text: uk } } })).toEqual([]);
    expect(judgeChange(plural, { translations: { uk: { text: plural.text } } })).toHaveLength(2);
    expect(judgeChange(plural, { translations: { pl: { text: "plik" } } })).toHaveLength(1);
    expect(judgeChange(least, { translations: { uk: { text: uk } } })).toHaveLength(1);
  });

  it.each(["untranslated", "translated", "approved"] as const)("may have the status %s", (status) => {
    const text = "Зберегти";
    expect(problems({ ...least, translations: { uk: { text, status } } })).toEqual([]);
    const byCategory = Object.fromEntries(Object.keys(uk).map((category) => [category, status]));
    for (const each of [status, byCategory]) {
      expect(problems({ ...plural, translations: { uk: { text: uk, status: each } } })).toEqual([]);
      expect(judgeChange(plural, { translations: { uk: { text: uk, status: each } } })).toEqual([]);
    }
  });

  it.each(["done", "Approved", "", 1, ["approved"], { one: "done" }, { one: null }])(
    "may not have the status %j",
    (status) => {
      expect(problems({ ...plural, translations: { uk: { text: uk, status } } })).toEqual([
        expect.stringMatching(/^translations\.uk\.status/),
      ]);
    },
  );

  it("have the status translated by default", () => {
    const given = (status?: "translated" | null) => ({
      ...least,
      translations: { uk: { text: "Зберегти", ...(status !== undefined && { status }) } },
    });
    expect(changedFields(given(), given("translated"))).toEqual([]);
    expect(changedFields(given(), given(null))).toEqual([]);
  });

  it("have a status by category only in a plural string, and only for its categories", () => {
    expect(judgeChange(least, { translations: { uk: { text: "x", status: { other: "approved" } } } })).toHaveLength(1);
    expect(judgeChange(plural, { translations: { uk: { text: uk, status: { two: "approved" } } } })).toHaveLength(1);
  });
});

describe("2.5 maxLength", () => {
  it("is the maximum length of translations", () => {
    const change = { maxLength: 3, translations: { uk: { text: "абвг" }, pl: { text: "abc" } } };
    expect(judgeChange(least, change)).toEqual([
      "warn import.maxLength.exceeded translations.uk.text: is 4 characters long; maxLength is 3",
    ]);
    expect(judgeChange(least, { ...change, maxLength: null })).toEqual([]);
  });
});

describe("2.5 attributes.platformType", () => {
  it.each(["html", "json", "android", "something else"])("may be %s: its values are not shown", (platformType) => {
    expect(problems({ ...least, attributes: { platformType } })).toEqual([]);
    expect(judgeChange(least, { attributes: { platformType } })).toEqual([]);
  });
});

describe("I9 a text keeps", () => {
  it.each([
    ["placeholders", "Hi {name}", "Hi"],
    ["ICU syntax", "{n, plural, one {#} other {#}}", "{n, plural, one {#} other {#}"],
    ["tags", "<b>Save</b>", "Save"],
  ])("%s, or is warned of", (_, text, changed) => {
    expect(judgeChange({ ...least, text }, { text: changed })).toEqual([expect.stringMatching(/^warn /)]);
  });
});
