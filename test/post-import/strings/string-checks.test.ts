import { readFileSync } from "node:fs";
import { basename } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pluralRuleFaults } from "../../../src/post-import/checks/strings/plural-checks.ts";
import { parseRecord, stringChecks } from "../../../src/post-import/checks/strings/string-checks.ts";
import { importJobSchema, type StringRecord } from "../../../src/protocol/import-job.ts";
import { realJobs } from "../../rig/real-jobs.ts";
import { record } from "../../rig/simulation.ts";
import { judge, judgeText, languagesOf } from "./judge.ts";

const categories = ["zero", "one", "two", "few", "many", "other", "constructor", "__proto__", ""];

/** Texts full of what the checks look for, whole and broken. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."{ } {{ }} < > </ /> % %% ' # , | $ \ud83d \u2028".split(" ")),
      fc.constantFrom("%s", "%1$d", "%(a)s", "%#@b@", "{name}", "{}", "<b>", "</b>", "<br/>", "<0>", "\n"),
      fc.constantFrom("{n, plural, one {", "} other {", "}}", "{a, select, ", "=1", "offset:1 ", "{n, selectordinal, "),
      fc.string({ unit: "binary", maxLength: 5 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

function byCategory<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom(...categories), value), { selector: ([category]) => category })
    .map((entries) => Object.fromEntries(entries));
}

const status = fc.constantFrom("untranslated", "translated", "approved");
const translation = fc.record(
  {
    text: fc.oneof(text, byCategory(text)),
    status: fc.option(fc.oneof(status, byCategory(status))),
  },
  { requiredKeys: ["text"] },
);
const translations = fc
  .uniqueArray(fc.tuple(fc.constantFrom("uk", "pl", "de", "", "constructor", "__proto__"), translation), {
    selector: ([id]) => id,
  })
  .map((entries) => Object.fromEntries(entries));

const anyRecord = fc
  .record(
    {
      uniqId: fc.constantFrom("1", "2"),
      identifier: text,
      context: fc.option(text),
      maxLength: fc.option(fc.integer()),
      isHidden: fc.option(fc.boolean()),
      labels: fc.option(fc.array(text, { maxLength: 3 })),
      attributes: fc.option(fc.record({ platformType: fc.option(text) })),
      source: fc.oneof(text, byCategory(text)),
      translations: fc.option(translations),
    },
    { requiredKeys: ["uniqId", "identifier", "source"] },
  )
  .map(({ source, ...rest }) => ({ ...rest, text: source, hasPlurals: typeof source === "object" }));

/** The record as it is read from an answer. */
function read(value: unknown): StringRecord {
  const checked = parseRecord(value);
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  return checked.record;
}

const languages = fc.constantFrom(languagesOf(), languagesOf("uk"), languagesOf("pl", "uk", "ja"));

describe("any record", () => {
  it("causes no exception, and each finding says where and what", () => {
    fc.assert(
      fc.property(fc.option(anyRecord), anyRecord, languages, (sent, received, of) => {
        const strings = { before: sent === null ? null : read(sent), after: read(received) };
        for (const { path, message } of stringChecks.flatMap(({ find }) => find(strings, of))) {
          expect(path).not.toBe("");
          expect(message).not.toBe("");
        }
      }),
    );
  });

  it("has no findings if it is unchanged", () => {
    fc.assert(
      fc.property(anyRecord, languages, (sent, of) => {
        expect(judge({ before: read(sent), after: read(structuredClone(sent)) }, of)).toEqual([]);
      }),
    );
  });
});

describe("records of hostile size", () => {
  it.each([
    ["braces", "{"],
    ["tags", "<a "],
    ["percent signs", "%1"],
    ["arguments", "{a,"],
    ["closed arguments", "{a}"],
    ["closed tags", "<b>"],
    ["nested messages", "{a, select, other {"],
  ])("an endless text of %s is read in linear time", (_, part) => {
    expect(judgeText("Save", part.repeat(250_000)).length).toBeLessThan(3);
  });

  it.each([
    ["%", "0"],
    ["%1$", "0"],
    ["%(", "a"],
    ["{", " "],
    ["{a", " "],
    ["{a", "a:"],
    ["{", "count"],
    ["{", "count."],
    ["<a", " "],
    ["<", "a"],
  ])("so is a text that begins with %j and continues with %j", (start, part) => {
    const long = start + part.repeat(250_000);
    for (const form of [long, `${long}}`, `${long}>`]) {
      expect(judgeText({ one: form, other: form }, { one: "Save", other: "Save" }).length).toBeLessThan(3);
    }
  });

  it("so is a message of the maximum depth, valid or not", () => {
    const opened = "{a, select, other {".repeat(450);
    expect(judgeText("{a, select, other {}}", `${opened}${"}}".repeat(450)}`)).toEqual([]);
    expect(judgeText("{a, select, other {}}", opened)).toHaveLength(1);
  });

  const manyNames = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`category${index}`, "{x}"]));

  it("the maximum number of categories have a hundred findings", () => {
    const text = { one: "a", other: "b", ...manyNames(9000) };
    const after = read(record("1", text, { hasPlurals: true, translations: { uk: { text } } }));
    expect(judge({ before: null, after })).toHaveLength(200);
  });

  it.each<[string, (count: number) => unknown]>([
    ["categories", (count) => record("1", manyNames(count), { hasPlurals: true })],
    ["languages", (count) => ({ ...record("1", "a"), translations: manyNames(count) })],
    ["labels", (count) => record("1", "a", { labels: Array(count).fill("ui") })],
    ["elements of nobody's", (count) => [...Array(count).keys()]],
    [
      "members far inside",
      (count) => record("1", "a", { attributes: { extra: [[{ deep: Array(count).fill(null) }]] } }),
    ],
  ])("a record of a hundred thousand %s is refused with one finding", (_, recordOf) => {
    const faults = [{ path: "", value: null, message: expect.stringContaining("more than 20,000 values") }];
    expect(parseRecord(recordOf(100_000))).toEqual({ ok: false, faults });
    expect(parseRecord(recordOf(20_001))).toEqual({ ok: false, faults });
    expect(parseRecord(recordOf(15_000))).not.toEqual({ ok: false, faults });
  });
});

describe.each(realJobs().map((path) => ({ name: basename(path), path })))("$name", ({ path }) => {
  const job = importJobSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  const of = { source: job.sourceLanguage, targets: job.targetLanguages };
  const strings = job.strings ?? [];

  it("has plural expressions that select a category", () => {
    expect([of.source, ...of.targets].flatMap(pluralRuleFaults)).toEqual([]);
  });

  it("has no findings unchanged, or after being tidied by an app", () => {
    const trimmed = (source: StringRecord["text"]) =>
      typeof source === "string"
        ? source.trim()
        : Object.fromEntries(Object.entries(source).map(([category, form]) => [category, form.trim()]));
    for (const sent of strings) {
      const tidied = { ...sent, text: trimmed(sent.text), labels: [...(sent.labels ?? []), "reviewed"] };
      expect(judge({ before: sent, after: structuredClone(sent) }, of)).toEqual([]);
      expect(judge({ before: sent, after: tidied }, of)).toEqual([]);
    }
  });

  it("has no findings if each string is an added one: its translations are careful", () => {
    expect(strings.flatMap((after) => judge({ before: null, after }, of))).toEqual([]);
  });
});
