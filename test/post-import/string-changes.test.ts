import { describe, expect, test } from "vitest";
import type { FieldChange } from "../../src/post-import/import-result.ts";
import { changedFields } from "../../src/post-import/rules/string-changes.ts";
import type { StringRecord } from "../../src/protocol/import-job.ts";
import { writtenOut } from "../webhook/written-out.ts";

const record: StringRecord = { uniqId: "f::1", identifier: "greeting", text: "Hello" };
const plural: StringRecord = {
  uniqId: "f::2",
  identifier: "files",
  hasPlurals: true,
  text: { one: "%d file", other: "%d files" },
};

describe("an explicit or omitted default is not a change", () => {
  const translated = { ...record, translations: { uk: { text: "Привіт" } } };
  const translatedPlural = { ...plural, translations: { pl: { text: { one: "plik", other: "pliki" } } } };

  test.each<[string, StringRecord, StringRecord]>([
    ["everything", record, writtenOut(record)],
    ["everything of a plural", plural, writtenOut(plural)],
    ["context", record, { ...record, context: "" }],
    ["context null", record, { ...record, context: null }],
    ["maxLength", record, { ...record, maxLength: null }],
    ["isHidden null", record, { ...record, isHidden: null }],
    ["isHidden false", record, { ...record, isHidden: false }],
    ["hasPlurals", record, { ...record, hasPlurals: false }],
    ["labels", record, { ...record, labels: [] }],
    ["labels null", record, { ...record, labels: null }],
    ["attributes", record, { ...record, attributes: {} }],
    ["attributes null", record, { ...record, attributes: null }],
    ["platformType null", record, { ...record, attributes: { platformType: null } }],
    ["translations", record, { ...record, translations: {} }],
    ["translations null", record, { ...record, translations: null }],
    ["status", translated, writtenOut(translated)],
    ["status of a plural", translatedPlural, writtenOut(translatedPlural)],
  ])("%s", (_, short, long) => {
    expect(changedFields(short, long)).toEqual([]);
    expect(changedFields(long, short)).toEqual([]);
  });

  test("and neither is the order of labels, keys, categories and languages", () => {
    const before: StringRecord = {
      ...plural,
      labels: ["a", "b"],
      translations: { uk: { text: { one: "x", other: "y" } }, pl: { text: { one: "x", other: "y" } } },
    };
    const after: StringRecord = {
      translations: { pl: { text: { other: "y", one: "x" } }, uk: { text: { other: "y", one: "x" } } },
      labels: ["b", "a"],
      text: { other: "%d files", one: "%d file" },
      hasPlurals: true,
      identifier: "files",
      uniqId: "f::2",
    };
    expect(changedFields(before, after)).toEqual([]);
  });
});

describe("every field of interface 2.5 that differs is reported, with both values", () => {
  const full: StringRecord = {
    ...record,
    context: "header",
    maxLength: 20,
    isHidden: true,
    labels: ["ui"],
    attributes: { platformType: "json" },
    translations: { uk: { text: "Привіт", status: "approved" } },
  };
  const uk = (translation: { text: string; status?: "untranslated" | "translated" | "approved" }): StringRecord => ({
    ...full,
    translations: { uk: translation },
  });

  test.each<[string, StringRecord, FieldChange[]]>([
    ["identifier", { ...full, identifier: "hello" }, [{ field: "identifier", before: "greeting", after: "hello" }]],
    ["text", { ...full, text: "Hi" }, [{ field: "text", before: "Hello", after: "Hi" }]],
    ["context", { ...full, context: "footer" }, [{ field: "context", before: "header", after: "footer" }]],
    ["context, left out", { ...full, context: null }, [{ field: "context", before: "header", after: "" }]],
    ["maxLength", { ...full, maxLength: 0 }, [{ field: "maxLength", before: 20, after: 0 }]],
    ["maxLength, left out", { ...full, maxLength: null }, [{ field: "maxLength", before: 20, after: null }]],
    ["isHidden", { ...full, isHidden: false }, [{ field: "isHidden", before: true, after: false }]],
    ["labels", { ...full, labels: ["ui", "new"] }, [{ field: "labels", before: ["ui"], after: ["ui", "new"] }]],
    ["labels, left out", { ...full, labels: null }, [{ field: "labels", before: ["ui"], after: [] }]],
    [
      "attributes",
      { ...full, attributes: { platformType: "html" } },
      [{ field: "attributes", before: { platformType: "json" }, after: { platformType: "html" } }],
    ],
    [
      "hasPlurals, with its text",
      { ...full, hasPlurals: true, text: { one: "Hello", other: "Hello" } },
      [
        { field: "text", before: "Hello", after: { one: "Hello", other: "Hello" } },
        { field: "hasPlurals", before: false, after: true },
      ],
    ],
    [
      "a translation's text",
      uk({ text: "Вітаю", status: "approved" }),
      [{ field: "translations.uk.text", before: "Привіт", after: "Вітаю" }],
    ],
    [
      "a translation's status",
      uk({ text: "Привіт", status: "untranslated" }),
      [{ field: "translations.uk.status", before: "approved", after: "untranslated" }],
    ],
    [
      "a translation's status, left out",
      uk({ text: "Привіт" }),
      [{ field: "translations.uk.status", before: "approved", after: "translated" }],
    ],
    [
      "a translation more",
      { ...full, translations: { ...full.translations, pl: { text: "Cześć" } } },
      [
        { field: "translations.pl.text", before: null, after: "Cześć" },
        { field: "translations.pl.status", before: null, after: "translated" },
      ],
    ],
    [
      "a translation less",
      { ...full, translations: {} },
      [
        { field: "translations.uk.text", before: "Привіт", after: null },
        { field: "translations.uk.status", before: "approved", after: null },
      ],
    ],
  ])("%s", (_, after, fields) => {
    expect(changedFields(full, after)).toEqual(fields);
  });

  test("labels are compared in any order, and shown in their own, on both sides", () => {
    const before = { ...record, labels: ["b", "a"] };
    expect(changedFields(before, { ...record, labels: ["a", "b"] })).toEqual([]);
    expect(changedFields(before, { ...record, labels: ["c", "a"] })).toEqual([
      { field: "labels", before: ["b", "a"], after: ["c", "a"] },
    ]);
  });
});

describe("plural strings", () => {
  type Translation = NonNullable<StringRecord["translations"]>[string];
  const text = { one: "plik", few: "pliki", many: "plików", other: "pliku" };
  const inPolish = (translation: Translation): StringRecord => ({ ...plural, translations: { pl: translation } });
  const all = (status: "untranslated" | "translated" | "approved") => ({
    one: status,
    few: status,
    many: status,
    other: status,
  });

  test("one category of the text", () => {
    const after = { ...plural, text: { one: "one file", other: "%d files" } };
    expect(changedFields(plural, after)).toEqual([{ field: "text", before: plural.text, after: after.text }]);
  });

  test("an additional category", () => {
    const after = { ...plural, text: { one: "%d file", many: "%d files", other: "%d files" } };
    expect(changedFields(plural, after)).toEqual([{ field: "text", before: plural.text, after: after.text }]);
  });

  test.each(["untranslated", "translated", "approved"] as const)("%s for all is %s for each", (status) => {
    expect(changedFields(inPolish({ text, status }), inPolish({ text, status: all(status) }))).toEqual([]);
    expect(changedFields(inPolish({ text, status: all(status) }), inPolish({ text, status }))).toEqual([]);
  });

  test("translated for each is the default", () => {
    expect(changedFields(inPolish({ text }), inPolish({ text, status: all("translated") }))).toEqual([]);
  });

  test("the status of one category", () => {
    const after = { ...all("approved"), few: "untranslated" as const };
    expect(changedFields(inPolish({ text, status: "approved" }), inPolish({ text, status: after }))).toEqual([
      { field: "translations.pl.status", before: all("approved"), after },
    ]);
  });
});
