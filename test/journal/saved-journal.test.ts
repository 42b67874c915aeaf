import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { JournalVersionError } from "../../src/journal/journal-file.ts";
import { parseJournal } from "../../src/journal/journal-lines.ts";
import { type JournalRecord, timeOfRecord } from "../../src/journal/record.ts";
import { SavedJournal } from "../../src/journal/saved-journal.ts";
import { exchangeRecord, journalText, loginRecord } from "../rig/journal-lines.ts";

const { signal } = new AbortController();
const saved = (...texts: readonly string[]) => new SavedJournal(texts.map((text) => Buffer.from(text)));
const idsOf = (records: readonly JournalRecord[]) => records.map(({ id }) => id);
const many = journalText(Array.from({ length: 500 }, (_, index) => exchangeRecord(`id${index}`)));

describe("a saved journal", () => {
  test("has the records of its files in order, and counts invalid lines", async () => {
    const older = `${journalText([exchangeRecord("a"), "{not json"])}{"type":"login","id":"tor`;
    const newer = `${journalText([loginRecord("b"), { type: "exchange", id: "c" }, "", loginRecord("d")])}{"ty`;
    const journal = saved(older, newer);
    expect(idsOf(await journal.records(signal))).toEqual(["a", "b", "d"]);
    // What was being written is no fault in the file that is still written to.
    expect(journal.unreadable).toBe(3);
  });

  test("reads what another program wrote in another layout", async () => {
    const spaced = JSON.stringify(loginRecord("b"), null, 1).replaceAll("\n", " ");
    const turned = JSON.stringify(Object.fromEntries(Object.entries(exchangeRecord("c")).reverse()));
    const journal = saved(journalText([spaced, turned]));
    expect(journal.ids).toEqual(["b", "c"]);
    expect(await journal.records(signal)).toEqual([loginRecord("b"), exchangeRecord("c")]);
  });

  test("refuses that of a later version", () => {
    expect(() => saved(journalText([], 2))).toThrow(JournalVersionError);
  });

  test("parses only the requested lines", async () => {
    const journal = saved(many);
    const parse = vi.spyOn(JSON, "parse");
    const linesParsed = async (work: () => unknown) => {
      parse.mockClear();
      await work();
      return parse.mock.calls.length;
    };
    expect(await linesParsed(() => journal.findLast((record) => record.type === "exchange"))).toBe(1);
    expect(await linesParsed(() => journal.find("id77"))).toBe(1);
    expect(await linesParsed(() => journal.find("id7"))).toBe(1);
    expect(await linesParsed(() => journal.find("nope"))).toBe(0);
    expect(await linesParsed(() => journal.placeSince(Date.parse("2027-01-01")))).toBe(0);
    expect(await linesParsed(() => journal.records(signal, 490))).toBe(9);
    // Once is enough.
    expect(await linesParsed(() => journal.records(signal, 480))).toBe(10);
    parse.mockRestore();
  });

  test.each([
    ["ab", "ab"],
    ["x", "xyz"],
    ["a", undefined],
    ["q", undefined],
    ["", undefined],
  ])("find(%j) is %s", (wanted, found) => {
    expect(saved(journalText(["ab", "abc", "xyz"].map((id) => loginRecord(id)))).find(wanted)?.id).toBe(found);
  });

  test("finds a record and those shortly before it", () => {
    const journal = saved(many);
    expect(idsOf(journal.upTo(exchangeRecord("id7"), 2))).toEqual(["id5", "id6", "id7"]);
    expect(idsOf(journal.upTo(exchangeRecord("id0"), 2))).toEqual(["id0"]);
  });

  test("finds the same times in lines as in records, whatever texts are in them", () => {
    const hostile = fc.constantFrom(
      `,"at":"2020-01-01T00:00:00.000Z"`,
      `","startedAt":"2099-01-01"`,
      "long ".repeat(400),
    );
    const times = fc.date({ min: new Date("2026-01-01"), max: new Date("2026-12-31"), noInvalidDate: true });
    const recordAt = fc.tuple(fc.boolean(), hostile, times).map(([isLogin, text, time]) => {
      const at = time.toISOString();
      const user = { id: 1, role: text };
      if (isLogin) return loginRecord("x", { at, user, reason: text, deniedBy: text });
      return exchangeRecord("x", {
        startedAt: at,
        module: text,
        check: { run: 1, subject: text, id: text, role: text },
      });
    });
    fc.assert(
      fc.property(fc.array(recordAt, { maxLength: 5 }), times, (records, time) => {
        const first = records.findIndex((record) => Date.parse(timeOfRecord(record)) >= time.getTime());
        expect(saved(journalText(records)).placeSince(time.getTime())).toBe(first < 0 ? records.length : first);
      }),
    );
  });

  test("has what a reader of the whole text finds, wherever the text was cut", async () => {
    const text = journalText([exchangeRecord("a"), loginRecord("b", { reason: "☃" })]);
    for (let cut = 0; cut <= text.length; cut += 7) {
      const [bytes, { records, unreadable }] = [
        Buffer.from(text.slice(0, cut)),
        parseJournal(Buffer.from(text.slice(0, cut))),
      ];
      const journal = new SavedJournal([bytes]);
      expect([await journal.records(signal), journal.unreadable]).toEqual([records, unreadable]);
    }
  });

  test("is not read to its end once the signal is aborted", async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort(new Error("enough")));
    await expect(saved(many).records(controller.signal)).rejects.toThrow("enough");
  });
});
