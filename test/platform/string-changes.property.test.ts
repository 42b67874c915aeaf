import { readFileSync } from "node:fs";
import { basename } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareStrings, type StringChange } from "../../src/platform/string-changes.ts";
import { importJobSchema, type StringRecord } from "../../src/protocol/import-job.ts";
import { realJobs } from "../rig/real-jobs.ts";
import { writtenOut } from "./written-out.ts";

const record: StringRecord = { uniqId: "f::1", identifier: "greeting", text: "Hello" };

const statuses = fc.constantFrom("untranslated" as const, "translated" as const, "approved" as const);
const languages = fc.constantFrom("uk", "pl", "pt-BR");
const someText = fc.string({ unit: "grapheme", maxLength: 8 });
const common = {
  uniqId: fc.string({ minLength: 1, maxLength: 6 }),
  identifier: someText,
};
const optional = {
  context: fc.option(someText),
  maxLength: fc.option(fc.nat()),
  isHidden: fc.option(fc.boolean()),
  labels: fc.option(fc.array(someText, { maxLength: 3 })),
  attributes: fc.option(fc.record({ platformType: fc.option(someText) }, { requiredKeys: [] })),
};
const required: ("uniqId" | "identifier" | "text" | "hasPlurals")[] = ["uniqId", "identifier", "text", "hasPlurals"];

function recordsOf(hasPlurals: boolean): fc.Arbitrary<StringRecord> {
  const text = hasPlurals ? fc.record({ one: someText, other: someText }) : someText;
  const status = hasPlurals ? fc.oneof(statuses, fc.record({ one: statuses, other: statuses })) : statuses;
  const translation = fc.oneof(fc.record({ text }), fc.record({ text, status }));
  const translations = fc.option(fc.dictionary(languages, translation, { maxKeys: 3 }));
  return fc.record(
    { ...common, hasPlurals: fc.constant(hasPlurals), text, ...optional, translations },
    { requiredKeys: required },
  );
}
const strings = (maxLength: number) =>
  fc.uniqueArray(fc.oneof(recordsOf(false), recordsOf(true)), { selector: ({ uniqId }) => uniqId, maxLength });

describe("whatever the strings are", () => {
  test("the same strings, with defaults written out or not, in any order, are all unchanged", () => {
    const sentAndShuffled = strings(12).chain((sent) =>
      fc.tuple(
        fc.constant(sent),
        fc.shuffledSubarray(sent, { minLength: sent.length }),
        fc.infiniteStream(fc.boolean()),
      ),
    );
    fc.assert(
      fc.property(sentAndShuffled, ([sent, shuffled, long]) => {
        const received = shuffled.map((string) => (long.next().value === true ? writtenOut(string) : string));
        const all = { changed: 0, added: 0, removed: 0, unchanged: sent.length, strings: [] };
        expect(compareStrings(sent, received, "removed")).toEqual(all);
        expect(compareStrings(received, sent, "removed")).toEqual(all);
      }),
    );
  });

  test("the counts add up: changed + removed + unchanged = sent, changed + added + unchanged = received", () => {
    fc.assert(
      fc.property(strings(12), strings(12), fc.boolean(), (sent, received, someKept) => {
        const kept = someKept ? sent.filter(({ uniqId }) => received.every((other) => other.uniqId !== uniqId)) : [];
        const answer = [...received, ...kept];
        const { strings: listed, ...counts } = compareStrings(sent, answer, "removed");
        expect(counts.changed + counts.removed + counts.unchanged).toBe(sent.length);
        expect(counts.changed + counts.added + counts.unchanged).toBe(answer.length);
        expect(listed).toHaveLength(counts.changed + counts.added + counts.removed);

        const lenient = compareStrings(sent, answer, "unchanged");
        expect(lenient).toMatchObject({
          changed: counts.changed,
          added: counts.added,
          removed: 0,
          unchanged: counts.unchanged + counts.removed,
        });
      }),
    );
  });

  test("each edit is counted as what it is, in whatever order the strings come back", () => {
    const edits = fc.constantFrom("keep", "change", "remove");
    const edited = strings(12).chain((sent) =>
      fc.tuple(
        fc.constant(sent),
        fc.array(edits, { minLength: sent.length, maxLength: sent.length }),
        fc.infiniteStream(fc.nat()),
      ),
    );
    fc.assert(
      fc.property(edited, fc.nat(3), ([sent, edit, keys], additions) => {
        const answer = sent.flatMap((string, index) => {
          if (edit[index] === "remove") return [];
          return edit[index] === "keep" ? [string] : [{ ...string, identifier: `${string.identifier}!` }];
        });
        const added = Array.from({ length: additions }, (_, index) => ({ ...record, uniqId: `added string ${index}` }));
        const order = [...answer, ...added].map((string) => ({ string, key: keys.next().value }));
        const received = order.sort((a, b) => a.key - b.key).map(({ string }) => string);
        const result = compareStrings(sent, received, "removed");
        const ids = (change: StringChange["change"]) =>
          result.strings.filter((string) => string.change === change).map(({ uniqId }) => uniqId);
        const editedBy = (wanted: string) => sent.filter((_, index) => edit[index] === wanted).map((s) => s.uniqId);
        expect(ids("changed")).toEqual(editedBy("change"));
        expect(ids("removed")).toEqual(editedBy("remove"));
        expect(ids("added").sort()).toEqual(added.map(({ uniqId }) => uniqId).sort());
        expect(result.unchanged).toBe(editedBy("keep").length);
      }),
    );
  });
});

describe.skipIf(realJobs().length === 0)("real jobs", () => {
  const jobs = realJobs().map((path): [string, StringRecord[]] => {
    const job = importJobSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    return [basename(path), job.strings ?? []];
  });

  test.each(jobs)("%s sent back, as it is, written out or reversed, is unchanged", (_, sent) => {
    expect(sent.length).toBeGreaterThan(0);
    const unchanged = { changed: 0, added: 0, removed: 0, unchanged: sent.length, strings: [] };
    const copy: StringRecord[] = JSON.parse(JSON.stringify(sent));
    expect(compareStrings(sent, copy, "removed")).toEqual(unchanged);
    expect(compareStrings(sent, copy.map(writtenOut), "removed")).toEqual(unchanged);
    expect(compareStrings(sent, copy.toReversed(), "removed")).toEqual(unchanged);
  });

  test.each(jobs)("%s with one string changed, one left out and one added", (_, sent) => {
    const [first, second, ...rest] = sent as [StringRecord, StringRecord, ...StringRecord[]];
    const received = [{ ...record, uniqId: "new" }, ...rest, { ...first, context: "edited by the app" }];
    const { strings: listed, ...counts } = compareStrings(sent, received, "removed");
    expect(counts).toEqual({ changed: 1, added: 1, removed: 1, unchanged: sent.length - 2 });
    expect(listed.map(({ uniqId, change, fields }) => [uniqId, change, fields.map(({ field }) => field)])).toEqual([
      [first.uniqId, "changed", ["context"]],
      [second.uniqId, "removed", []],
      ["new", "added", ["text"]],
    ]);
  });
});
