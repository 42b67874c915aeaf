import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Exchange } from "../../src/journal/exchange.ts";
import { bodyBytes, bodyText, createJournal, recordBody } from "../../src/journal/journal.ts";
import { journalPath, openJournalFile } from "../../src/journal/journal-file.ts";
import { parseJournal } from "../../src/journal/journal-lines.ts";
import type { JournalRecord, LoginRecord } from "../../src/journal/record.ts";

const login = (id: string): LoginRecord => ({
  type: "login",
  id,
  at: "2026-01-02T03:04:05.000Z",
  user: { id: 7, role: "member" },
  outcome: "granted",
  deniedBy: null,
  reason: null,
  exchanges: [],
});

const exchange = (body: string): Exchange => ({
  type: "exchange",
  id: "x-1",
  purpose: "guard",
  module: "guard",
  startedAt: "2026-01-02T03:04:05.000Z",
  timings: { headersMs: 1, totalMs: 2 },
  request: { method: "POST", url: "http://127.0.0.1:1/", headers: [], body: recordBody(Buffer.from(body)) },
  response: { status: 200, headers: [], body: recordBody(Buffer.from(body)) },
  outcome: { kind: "answered" },
});

const ids = (records: readonly JournalRecord[]): string[] => records.map((record) => record.id);

test("lists records in order, as a copy", () => {
  const journal = createJournal();
  journal.append(login("a"));
  const before = journal.list();
  journal.append(login("b"));
  expect(ids(before)).toEqual(["a"]);
  expect(ids(journal.list())).toEqual(["a", "b"]);
});

test("keeps the newest records in memory and all in the file", () => {
  const directory = mkdtempSync(join(tmpdir(), "journal-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = openJournalFile(directory, () => {});
  const journal = createJournal({ file, keep: 2 });
  for (const id of ["a", "b", "c"]) journal.append(login(id));
  journal.close();
  expect(ids(journal.list())).toEqual(["b", "c"]);
  expect(ids(parseJournal(readFileSync(journalPath(directory))).records)).toEqual(["a", "b", "c"]);
});

test.each([
  ["abc", "abc"],
  ["ab", "ab"],
  ["x", "xyz"],
  ["a", null],
  ["q", null],
])("find(%s) is %s", (wanted, found) => {
  const journal = createJournal();
  for (const id of ["ab", "abc", "xyz"]) journal.append(login(id));
  expect(journal.find(wanted)?.id ?? null).toBe(found);
});

test("tells subscribers of later records until they unsubscribe or the journal closes", () => {
  const journal = createJournal();
  const first: string[] = [];
  const second: string[] = [];
  journal.append(login("early"));
  const unsubscribe = journal.subscribe((record) => first.push(record.id));
  journal.subscribe((record) => second.push(record.id));
  journal.append(login("a"));
  unsubscribe();
  journal.append(login("b"));
  journal.close();
  journal.append(login("late"));
  expect({ first, second }).toEqual({ first: ["a"], second: ["a", "b"] });
});

test("a subscriber that throws causes a warning, and stops neither the others nor the append", async () => {
  const journal = createJournal();
  const heard: string[] = [];
  journal.subscribe(() => {
    throw new Error("broken view");
  });
  journal.subscribe((record) => heard.push(record.id));
  const warning = new Promise<Error>((resolve) => process.once("warning", resolve));
  journal.append(login("a"));
  expect(heard).toEqual(["a"]);
  expect(ids(journal.list())).toEqual(["a"]);
  expect((await warning).message).toBe("broken view");
});

test("cuts the bodies of an exchange at the limit and keeps their size", () => {
  const journal = createJournal({ bodyLimit: 4 });
  journal.append(exchange("0123456789"));
  journal.append({ ...exchange("01"), response: null });
  const [long, short] = journal.list() as Exchange[];
  const cut = { base64: Buffer.from("0123").toString("base64"), size: 10 };
  expect([long?.request.body, long?.response?.body]).toEqual([cut, cut]);
  expect([short?.request.body.size, short?.response]).toEqual([2, null]);
});

test("recordBody keeps the first bytes, even of a view, and the true size", () => {
  const view = new Uint8Array(Buffer.from("..hello..")).subarray(2, 7);
  expect(bodyText(recordBody(view))).toBe("hello");
  expect(recordBody(view).size).toBe(5);
  expect(recordBody(view, 99).size).toBe(99);
  const cut = recordBody(view, undefined, 2);
  expect([bodyText(cut), cut.size]).toEqual(["he", 5]);
  const large = recordBody(new Uint8Array(300 * 1024));
  expect([bodyBytes(large).length, large.size]).toEqual([256 * 1024, 300 * 1024]);
});

test("bodyText shows invalid bytes, keeps a byte order mark, and omits a character cut in two", () => {
  expect(bodyText(recordBody(Uint8Array.of(0x61, 0xff)))).toBe("a\ufffd");
  expect(bodyText(recordBody(Buffer.from("\ufeffa")))).toBe("\ufeffa");
  expect(bodyText(recordBody(Buffer.from("aü"), undefined, 2))).toBe("a");
  expect(bodyText(recordBody(Buffer.from("aü").subarray(0, 2)))).toBe("a\ufffd");
});
