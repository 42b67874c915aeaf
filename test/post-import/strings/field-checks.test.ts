import { describe, expect, it } from "vitest";
import type { StringRecord } from "../../../src/protocol/import-job.ts";
import { record } from "../../rig/simulation.ts";
import { judge, judgeChange } from "./judge.ts";

const save = record("1", "Save");

describe("a field of the right type that is useless", () => {
  it.each<[string, Partial<StringRecord>, string[]]>([
    [
      "no identifier",
      { identifier: "" },
      ["identifier.empty identifier: is empty: people cannot tell which string it is"],
    ],
    [
      "a blank identifier",
      { identifier: " \t" },
      ["identifier.empty identifier: is empty: people cannot tell which string it is"],
    ],
    ["a label without a name", { labels: ["ui", " "] }, ["labels labels: has a label without a name"]],
    ["a label twice", { labels: ["ui", "x", "ui", "ui"] }, ['labels labels: has "ui" more than once']],
    ["two labels that differ in case", { labels: ["ui", "UI"] }, []],
    [
      "maxLength 0",
      { maxLength: 0 },
      ["maxLength.positive maxLength: is 0: expected at least 1, or null for no limit"],
    ],
    [
      "maxLength -3",
      { maxLength: -3 },
      ["maxLength.positive maxLength: is -3: expected at least 1, or null for no limit"],
    ],
    ["maxLength 1", { maxLength: 1 }, []],
    ["an unknown platformType", { attributes: { platformType: "cobol" } }, []],
  ])("%s", (_, change, found) => {
    const expected = found.map((each) => `warn import.${each}`);
    expect(judge({ before: null, after: { ...save, ...change } })).toEqual(expected);
    expect(judgeChange(save, change)).toEqual(expected);
    expect(judgeChange({ ...save, ...change }, { context: "new" })).toEqual([]);
  });

  it("a million labels are read in linear time", () => {
    const labels = Array.from({ length: 1_000_000 }, (_, index) => `label ${index % 500_000}`);
    expect(judgeChange(save, { labels })).toHaveLength(100);
  });
});

describe("maxLength", () => {
  const limited = { ...save, maxLength: 5 };

  it.each([
    ["as long", "12345", null],
    ["longer", "123456", 6],
    ["as long, of characters outside the BMP", "😀😀😀😀😀", null],
    ["longer, of characters outside the BMP", "😀😀😀😀😀😀", 6],
    ["longer, of lone surrogates", "\ud83d\ud83d\ud83d\ude00\ud83d\ud83d\ud83d", 6],
  ])("a translation %s", (_, text, length) => {
    const found = judgeChange(limited, { translations: { uk: { text } } });
    expect(found).toEqual(
      length === null
        ? []
        : [`warn import.maxLength.exceeded translations.uk.text: is ${length} characters long; maxLength is 5`],
    );
  });

  it("holds for each plural category, and not for the source text", () => {
    const sent = record("1", { one: "a source text", other: "source texts" }, { hasPlurals: true, maxLength: 5 });
    const text = { one: "12345", few: "123456", many: "1", other: "1234567" };
    expect(judgeChange(sent, { translations: { uk: { text } } })).toEqual([
      "warn import.maxLength.exceeded translations.uk.text.few: is 6 characters long; maxLength is 5",
      "warn import.maxLength.exceeded translations.uk.text.other: is 7 characters long; maxLength is 5",
    ]);
  });

  it("that the app has set is compared with unchanged translations", () => {
    const sent = { ...save, translations: { uk: { text: "Зберегти" } } };
    expect(judgeChange(sent, { maxLength: 7 })).toHaveLength(1);
    expect(judgeChange({ ...sent, maxLength: 7 }, { labels: ["x"] })).toEqual([]);
  });
});

describe("an empty text", () => {
  const plural = record("1", { one: "file", other: "files" }, { hasPlurals: true });
  const message = "is empty now: hide the string if there is nothing to translate";

  it("of a string that had one gets a warning", () => {
    expect(judgeChange(save, { text: "" })).toEqual([`warn import.text.empty text: ${message}`]);
    expect(judgeChange(plural, { text: { one: " ", other: "files" } })).toEqual([
      `warn import.text.empty text.one: ${message}`,
    ]);
  });

  it.each([
    ["of a hidden string", save, { text: "", isHidden: true }],
    ["of a string that had none", { ...save, text: " " }, { text: "" }],
  ])("%s is not", (_, sent, change) => expect(judgeChange(sent, change)).toEqual([]));

  it("of a string that the app has added does not", () => {
    expect(judge({ before: null, after: { ...save, text: "" } })).toEqual([]);
  });
});

describe("a translation that does not come back", () => {
  const lost = (language: string) =>
    `warn import.translation.removed translations.${language}: did not come back: the translation is lost`;

  it.each<[what: string, text: StringRecord["text"], found: string[]]>([
    ["with a text", "Зберегти", [lost("uk")]],
    ["with a text in some of its plural forms", { one: "", few: "файли", many: "", other: "" }, [lost("uk")]],
    ["without a text", " ", []],
    ["with empty plural forms only", { one: "", other: " " }, []],
  ])("%s", (_, text, found) => {
    const sent = { ...save, translations: { uk: { text }, pl: { text: "Zapisz" } } };
    expect(judgeChange(sent, { translations: { pl: { text: "Zapisz" } } })).toEqual(found);
    expect(judgeChange(sent, {})).not.toContain(lost("uk"));
  });
});
