import { describe, expect, test } from "vitest";
import { compareStrings, type FieldChange } from "../../src/platform/string-changes.ts";
import type { StringRecord } from "../../src/protocol/import-job.ts";
import { writtenOut } from "./written-out.ts";

const record: StringRecord = { uniqId: "f::1", identifier: "greeting", text: "Hello" };
const plural: StringRecord = {
  uniqId: "f::2",
  identifier: "files",
  hasPlurals: true,
  text: { one: "%d file", other: "%d files" },
};

/** What is reported of one string that comes back in another form. */
function changesOf(before: StringRecord, after: StringRecord): readonly FieldChange[] {
  const { strings, ...counts } = compareStrings([before], [after], "removed");
  expect(counts).toEqual(
    strings.length === 0
      ? { changed: 0, added: 0, removed: 0, unchanged: 1 }
      : { changed: 1, added: 0, removed: 0, unchanged: 0 },
  );
  return strings.flatMap((string) => string.fields);
}

describe("a default that is written out or left out is no change", () => {
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
    expect(changesOf(short, long)).toEqual([]);
    expect(changesOf(long, short)).toEqual([]);
  });

  test("nor is the order of labels, keys, categories and languages", () => {
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
    expect(changesOf(before, after)).toEqual([]);
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
    expect(changesOf(full, after)).toEqual(fields);
  });

  test("labels are compared without their order and shown in it, on both sides", () => {
    const before = { ...record, labels: ["b", "a"] };
    expect(changesOf(before, { ...record, labels: ["a", "b"] })).toEqual([]);
    expect(changesOf(before, { ...record, labels: ["c", "a"] })).toEqual([
      { field: "labels", before: ["b", "a"], after: ["c", "a"] },
    ]);
  });

  test("a change names its string as it was sent", () => {
    const { strings } = compareStrings([record], [{ ...record, identifier: "hello" }], "removed");
    expect(strings).toMatchObject([{ uniqId: "f::1", identifier: "greeting", change: "changed" }]);
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
    expect(changesOf(plural, after)).toEqual([{ field: "text", before: plural.text, after: after.text }]);
  });

  test("a category more", () => {
    const after = { ...plural, text: { one: "%d file", many: "%d files", other: "%d files" } };
    expect(changesOf(plural, after)).toEqual([{ field: "text", before: plural.text, after: after.text }]);
  });

  test.each(["untranslated", "translated", "approved"] as const)("%s for all is %s for each", (status) => {
    expect(changesOf(inPolish({ text, status }), inPolish({ text, status: all(status) }))).toEqual([]);
    expect(changesOf(inPolish({ text, status: all(status) }), inPolish({ text, status }))).toEqual([]);
  });

  test("translated for each is the default", () => {
    expect(changesOf(inPolish({ text }), inPolish({ text, status: all("translated") }))).toEqual([]);
  });

  test("the status of one category", () => {
    const after = { ...all("approved"), few: "untranslated" as const };
    expect(changesOf(inPolish({ text, status: "approved" }), inPolish({ text, status: after }))).toEqual([
      { field: "translations.pl.status", before: all("approved"), after },
    ]);
  });
});

describe("strings that are on one side only", () => {
  const second: StringRecord = { uniqId: "f::3", identifier: "bye", text: "Bye" };

  test("one that was not sent is added, with its text", () => {
    expect(compareStrings([record], [second, record], "removed")).toEqual({
      changed: 0,
      added: 1,
      removed: 0,
      unchanged: 1,
      strings: [
        {
          uniqId: "f::3",
          identifier: "bye",
          change: "added",
          fields: [{ field: "text", before: null, after: "Bye" }],
        },
      ],
    });
  });

  test("one that does not come back is removed", () => {
    expect(compareStrings([record, second], [record], "removed")).toEqual({
      changed: 0,
      added: 0,
      removed: 1,
      unchanged: 1,
      strings: [{ uniqId: "f::3", identifier: "bye", change: "removed", fields: [] }],
    });
  });

  test("or unchanged, by the choice postImport.omitted", () => {
    expect(compareStrings([record, second], [], "unchanged")).toEqual({
      changed: 0,
      added: 0,
      removed: 0,
      unchanged: 2,
      strings: [],
    });
  });

  test("a string is known by its uniqId, not by its identifier", () => {
    const renamed = { ...record, uniqId: "f::9" };
    const { strings } = compareStrings([record], [renamed], "removed");
    expect(strings.map(({ uniqId, change }) => [uniqId, change])).toEqual([
      ["f::1", "removed"],
      ["f::9", "added"],
    ]);
  });

  test("they are listed in the order sent, the added ones last in the order received", () => {
    const sent = ["a", "b", "c", "d"].map((uniqId): StringRecord => ({ uniqId, identifier: uniqId, text: uniqId }));
    const [a, , c, d] = sent as [StringRecord, StringRecord, StringRecord, StringRecord];
    const received = [{ ...a, uniqId: "z" }, { ...d, text: "D" }, c, { ...a, uniqId: "y" }, { ...a, text: "A" }];
    const { strings } = compareStrings(sent, received, "removed");
    expect(strings.map(({ uniqId, change }) => [uniqId, change])).toEqual([
      ["a", "changed"],
      ["b", "removed"],
      ["d", "changed"],
      ["z", "added"],
      ["y", "added"],
    ]);
  });

  test.each(["__proto__", "constructor", "toString"])("%s is a uniqId like any other", (uniqId) => {
    expect(compareStrings([{ ...record, uniqId }], [], "removed")).toMatchObject({ removed: 1, unchanged: 0 });
    expect(compareStrings([], [{ ...record, uniqId }], "removed")).toMatchObject({ added: 1 });
  });
});
