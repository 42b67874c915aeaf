import { describe, expect, test } from "vitest";
import { LISTED_STRINGS, StringComparison } from "../../src/post-import/rules/string-comparison.ts";
import type { StringRecord } from "../../src/protocol/import-job.ts";
import { allUnchanged, changesBetween, comparisonOf, knownStrings } from "../rig/strings.ts";

const record: StringRecord = { uniqId: "f::1", identifier: "greeting", text: "Hello" };

describe("strings on only one side", () => {
  const second: StringRecord = { uniqId: "f::3", identifier: "bye", text: "Bye" };

  test("one that was not sent is added, with its text", () => {
    expect(changesBetween([record], [second, record])).toEqual({
      ...allUnchanged(1),
      added: 1,
      removed: 0,
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
    expect(changesBetween([record, second], [record])).toEqual({
      ...allUnchanged(1),
      added: 0,
      removed: 1,
      strings: [{ uniqId: "f::3", identifier: "bye", change: "removed", fields: [] }],
    });
  });

  test("or unchanged, by the choice postImport.omitted", () => {
    expect(changesBetween([record, second], [], "unchanged")).toEqual({
      ...allUnchanged(2),
      added: 0,
      removed: 0,
      strings: [],
    });
  });

  test("a change has the name of its string as it was sent", () => {
    const { strings } = changesBetween([record], [{ ...record, identifier: "hello" }]);
    expect(strings).toMatchObject([{ uniqId: "f::1", identifier: "greeting", change: "changed" }]);
  });

  test("a string is known by its uniqId, not by its identifier", () => {
    const renamed = { ...record, uniqId: "f::9" };
    const { strings } = changesBetween([record], [renamed]);
    expect(strings.map(({ uniqId, change }) => [uniqId, change])).toEqual([
      ["f::1", "removed"],
      ["f::9", "added"],
    ]);
  });

  test("strings are listed in the order sent, then the added ones in the order received", () => {
    const sent = ["a", "b", "c", "d"].map((uniqId): StringRecord => ({ uniqId, identifier: uniqId, text: uniqId }));
    const [a, , c, d] = sent as [StringRecord, StringRecord, StringRecord, StringRecord];
    const received = [{ ...a, uniqId: "z" }, { ...d, text: "D" }, c, { ...a, uniqId: "y" }, { ...a, text: "A" }];
    const { strings } = changesBetween(sent, received);
    expect(strings.map(({ uniqId, change }) => [uniqId, change])).toEqual([
      ["a", "changed"],
      ["b", "removed"],
      ["d", "changed"],
      ["z", "added"],
      ["y", "added"],
    ]);
  });

  test.each(["__proto__", "constructor", "toString"])("%s is a uniqId like any other", (uniqId) => {
    expect(changesBetween([{ ...record, uniqId }], [])).toMatchObject({ removed: 1, unchanged: 0 });
    expect(changesBetween([], [{ ...record, uniqId }])).toMatchObject({ added: 1 });
  });
});

/** So many strings that differ in their uniqId alone. */
function many(count: number): StringRecord[] {
  return Array.from({ length: count }, (_, index) => ({ ...record, uniqId: `f::${index}` }));
}

describe("the result of each string", () => {
  const [first, second] = many(2) as [StringRecord, StringRecord];
  const edited = { ...first, text: "Hi" };
  const added = { ...record, uniqId: "new" };

  test("is reported as the strings arrive", () => {
    const comparison = new StringComparison(knownStrings([first, second]), "removed");
    expect(comparison.take(edited, 0)).toEqual({ kind: "changed", before: first, after: edited });
    expect(comparison.take(added, 1)).toEqual({ kind: "added", after: added });
    expect(comparison.take(second, 2)).toEqual({ kind: "unchanged" });
    expect([...comparison.missing()]).toEqual([]);
  });

  test.each<[string, StringRecord[], StringRecord, number]>([
    ["that was sent", [second, first], first, 1],
    ["that was not", [second, first, added], added, 2],
    ["that came unread", [first], first, 0],
  ])("may be reported again: one %s", (_, earlier, again, place) => {
    const comparison = comparisonOf([first, second], earlier);
    expect(comparison.take(again, 9)).toEqual({ kind: "repeated", after: again, first: place });
    // It is counted once.
    expect(comparison.changes()).toEqual(comparisonOf([first, second], earlier).changes());
  });
});

describe("a string is skipped without parsing", () => {
  const strings = many(4);
  const line = (index: number) => Buffer.from(JSON.stringify(strings[index]));
  const taking = (lines: readonly Uint8Array[]) => {
    const comparison = new StringComparison(knownStrings(strings), "removed");
    return { taken: lines.map((each, place) => comparison.takeUnread(each, place)), comparison };
  };

  test("if it is byte for byte the next one", () => {
    const { taken, comparison } = taking([line(0), line(1), line(2), line(3)]);
    expect(taken).toEqual([true, true, true, true]);
    expect(comparison.changes()).toEqual(allUnchanged(4));
  });

  test("but not after the last one, out of order, or repeated", () => {
    expect(taking([line(1)]).taken).toEqual([false]);
    expect(taking([line(0), line(0)]).taken).toEqual([true, false]);
    expect(taking([line(0), line(1), line(2), line(3), line(3)]).taken).toEqual([true, true, true, true, false]);
    expect(taking([Buffer.from(` ${line(0)}`), line(0)]).taken).toEqual([false, true]);
  });

  test("starting after the last parsed one", () => {
    const { taken, comparison } = taking([line(0)]);
    comparison.take({ ...record, uniqId: "f::2", text: "Hi" }, 1);
    taken.push(comparison.takeUnread(line(3), 2));
    comparison.take({ ...record, uniqId: "f::1" }, 3);
    // The next one came already.
    taken.push(comparison.takeUnread(line(2), 4));
    expect(taken).toEqual([true, true, false]);
    expect(comparison.changes()).toMatchObject({ changed: 1, unchanged: 3, removed: 0 });
    expect(comparison.take({ ...record, uniqId: "f::3" }, 5)).toMatchObject({ kind: "repeated", first: 2 });
  });
});

describe("the changes", () => {
  test("those that are hidden now are counted", () => {
    const sent = [
      { ...record, uniqId: "hidden", isHidden: true },
      { ...record, uniqId: "shown" },
      { ...record, uniqId: "edited", isHidden: true },
      { ...record, uniqId: "unhidden", isHidden: true },
    ];
    const received = [
      ...sent.slice(0, 1),
      { ...record, uniqId: "shown", isHidden: true },
      { ...record, uniqId: "edited", isHidden: true, text: "Hi" },
      { ...record, uniqId: "unhidden", isHidden: false },
      { ...record, uniqId: "new", isHidden: true },
      { ...record, uniqId: "new too" },
    ];
    expect(changesBetween(sent, received)).toMatchObject({ changed: 3, added: 2, unchanged: 1, hidden: 2 });
  });

  test("those with other labels are counted", () => {
    const sent = ["a", "b", "c"].map((uniqId) => ({ ...record, uniqId, labels: ["ui", "menu"] }));
    const [a, b, c] = sent as [StringRecord, StringRecord, StringRecord];
    const received = [
      { ...a, labels: ["menu", "ui"] },
      { ...b, labels: ["ui"], text: "Hi" },
      { ...c, labels: null },
      { ...record, uniqId: "new", labels: ["ui"] },
    ];
    expect(changesBetween(sent, received)).toMatchObject({ changed: 2, added: 1, unchanged: 1, relabelled: 2 });
  });

  test("the first ones are listed, and all are counted: changed and removed before added", () => {
    const sent = many(LISTED_STRINGS - 1);
    const [first, ...rest] = sent.slice(0, -3) as [StringRecord, ...StringRecord[]];
    const received = [
      ...many(LISTED_STRINGS).map((string) => ({ ...string, uniqId: `new ${string.uniqId}` })),
      first,
      ...rest.map((string) => ({ ...string, text: "Hi" })),
    ];
    const { strings, ...counts } = changesBetween(sent, received);
    expect(counts).toMatchObject({ changed: LISTED_STRINGS - 5, added: LISTED_STRINGS, removed: 3, unchanged: 1 });
    expect(strings).toHaveLength(LISTED_STRINGS);
    expect(strings.slice(-5).map(({ uniqId, change }) => [uniqId, change])).toEqual([
      [`f::${LISTED_STRINGS - 4}`, "removed"],
      [`f::${LISTED_STRINGS - 3}`, "removed"],
      [`f::${LISTED_STRINGS - 2}`, "removed"],
      ["new f::0", "added"],
      ["new f::1", "added"],
    ]);
  });

  test("texts of many megabytes are only counted", () => {
    const sent = many(50);
    const received = sent.map((string) => ({ ...string, text: "a".repeat(1_048_576) }));
    const { strings, ...counts } = changesBetween(sent, received);
    expect(counts).toMatchObject({ changed: 50, unchanged: 0 });
    expect(strings.map(({ uniqId }) => uniqId)).toEqual(sent.slice(0, strings.length).map(({ uniqId }) => uniqId));
    // Less than 16 MiB in all.
    expect(strings).toHaveLength(15);
  });
});
