import { readFileSync } from "node:fs";
import { basename } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StringChange } from "../../src/post-import/import-result.ts";
import { StringComparison } from "../../src/post-import/rules/string-comparison.ts";
import { importJobSchema, type StringRecord } from "../../src/protocol/import-job.ts";
import { realJobs } from "../rig/real-jobs.ts";
import { allUnchanged, changesBetween, knownStrings, legalStrings } from "../rig/strings.ts";
import { writtenOut } from "../webhook/written-out.ts";

const record: StringRecord = { uniqId: "f::1", identifier: "greeting", text: "Hello" };

const strings = (maxLength: number) => legalStrings({ maxLength });

describe("whatever the strings are", () => {
  test("the same strings, with explicit or omitted defaults, in any order, are all unchanged", () => {
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
        expect(changesBetween(sent, received)).toEqual(allUnchanged(sent.length));
        expect(changesBetween(received, sent)).toEqual(allUnchanged(sent.length));
      }),
    );
  });

  test("the counts add up: changed + removed + unchanged = sent, changed + added + unchanged = received", () => {
    fc.assert(
      fc.property(strings(12), strings(12), fc.boolean(), (sent, received, someKept) => {
        const kept = someKept ? sent.filter(({ uniqId }) => received.every((other) => other.uniqId !== uniqId)) : [];
        const answer = [...received, ...kept];
        const { strings: listed, ...counts } = changesBetween(sent, answer);
        expect(counts.changed + counts.removed + counts.unchanged).toBe(sent.length);
        expect(counts.changed + counts.added + counts.unchanged).toBe(answer.length);
        expect(listed).toHaveLength(counts.changed + counts.added + counts.removed);

        const lenient = changesBetween(sent, answer, "unchanged");
        expect(lenient).toMatchObject({
          changed: counts.changed,
          added: counts.added,
          removed: 0,
          unchanged: counts.unchanged + counts.removed,
        });
      }),
    );
  });

  test("each edit is counted correctly, in any order of the strings", () => {
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
        const result = changesBetween(sent, received);
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

test("skipping identical bytes has the same result as parsing, whatever comes between", () => {
  const sentAndReceived = strings(12).chain((sent) =>
    fc.tuple(fc.constant(sent), fc.shuffledSubarray(sent), strings(4), fc.infiniteStream(fc.nat(2))),
  );
  fc.assert(
    fc.property(sentAndReceived, ([sent, back, others, moves]) => {
      const known = new Set(sent.map(({ uniqId }) => uniqId));
      const added = others.filter(({ uniqId }) => !known.has(uniqId));
      const received = [...back, ...added].map((string) =>
        moves.next().value === 0 ? { ...string, identifier: `${string.identifier}!` } : string,
      );
      const comparison = new StringComparison(knownStrings(sent), "removed");
      for (const [place, string] of received.entries()) {
        if (!comparison.takeUnread(Buffer.from(JSON.stringify(string)), place)) comparison.take(string, place);
      }
      expect(comparison.changes()).toEqual(changesBetween(sent, received));
      const came = new Set(received.map(({ uniqId }) => uniqId));
      const missing = sent.flatMap(({ uniqId }, position) => (came.has(uniqId) ? [] : [position]));
      expect([...comparison.missing()]).toEqual(missing);
    }),
  );
});

describe.skipIf(realJobs().length === 0)("real jobs", () => {
  const jobs = realJobs().map((path): [string, StringRecord[]] => {
    const job = importJobSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    return [basename(path), job.strings ?? []];
  });

  test.each(jobs)("%s returned as it is, with explicit defaults or reversed, is unchanged", (_, sent) => {
    expect(sent.length).toBeGreaterThan(0);
    const unchanged = allUnchanged(sent.length);
    const copy: StringRecord[] = JSON.parse(JSON.stringify(sent));
    expect(changesBetween(sent, copy)).toEqual(unchanged);
    expect(changesBetween(sent, copy.map(writtenOut))).toEqual(unchanged);
    expect(changesBetween(sent, copy.toReversed())).toEqual(unchanged);
  });

  test.each(jobs)("%s with one string changed, one omitted and one added", (_, sent) => {
    const [first, second, ...rest] = sent as [StringRecord, StringRecord, ...StringRecord[]];
    const received = [{ ...record, uniqId: "new" }, ...rest, { ...first, context: "edited by the app" }];
    const { strings: listed, ...counts } = changesBetween(sent, received);
    expect(counts).toEqual({
      ...{ changed: 1, added: 1, removed: 1, unchanged: sent.length - 2 },
      ...{ hidden: 0, relabelled: 0 },
    });
    expect(listed.map(({ uniqId, change, fields }) => [uniqId, change, fields.map(({ field }) => field)])).toEqual([
      [first.uniqId, "changed", ["context"]],
      [second.uniqId, "removed", []],
      ["new", "added", ["text"]],
    ]);
  });
});
