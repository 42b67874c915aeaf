import { Chalk } from "chalk";
import { expect, test } from "vitest";
import { recordBody } from "../../src/journal/journal.ts";
import type { JournalRecord } from "../../src/journal/record.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { logRow } from "../../src/log/log-rows.ts";
import { logTable } from "../../src/log/log-text.ts";
import { columnsOf } from "../../src/output/layout.ts";
import { paintWith } from "../../src/output/paint.ts";
import { exchangeRecord, loginRecord } from "../rig/journal-lines.ts";
import { rawControls } from "../rig/output.ts";

const rowsOf = (records: readonly JournalRecord[]) => records.map((record) => logRow(record, new Redactor([])));
const LATER = Date.parse("2099-01-01");
const plain = (width: number) => paintWith(new Chalk({ level: 0 }), width);

test("times are to the second, with the date only if it differs from that of the newest record", () => {
  const records = [
    loginRecord("aaaa", { at: "2026-01-30T23:59:59.999Z" }),
    loginRecord("bbbb", { at: "2026-01-31T00:00:00.000Z" }),
  ];
  const lines = logTable(rowsOf(records), 2, plain(Number.POSITIVE_INFINITY), LATER);
  expect(lines.map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
    ["ID", "WHEN (UTC)"],
    ["aaaa", "2026-01-30 23:59:59"],
    ["bbbb", "00:00:00"],
  ]);
});

test.each([
  ["in order", ["2026-01-31T08:00:00.000Z", "2026-01-31T10:00:00.000Z"], "2026-01-31T10:00:01.000Z", false],
  [
    "before one that began earlier",
    ["2026-01-31T08:00:09.000Z", "2026-01-31T08:00:00.000Z"],
    "2026-01-31T08:01:00.000Z",
    false,
  ],
  ["that go back by hours", ["2026-01-31T10:00:00.000Z", "2026-01-31T08:00:00.000Z"], "2026-01-31T11:00:00.000Z", true],
  ["that lie ahead", ["2026-01-31T10:00:00.000Z"], "2026-01-31T08:00:00.000Z", true],
])("times %s: a note says so if the platform's clock was moved", (_, times, now, isNoted) => {
  const records = times.map((at, index) => loginRecord(`id${index}`, { at }));
  const text = logTable(rowsOf(records), records.length, plain(200), Date.parse(now)).join("\n");
  expect(text.includes("times are the platform's, whose clock was moved")).toBe(isNoted);
});

test("the last column is truncated at the edge of the terminal", () => {
  const records = [loginRecord("aaaa", { reason: "a long reason, ".repeat(20) })];
  const lines = logTable(rowsOf(records), 1, plain(76), LATER);
  expect(Math.max(...lines.map((line) => line.length))).toBe(76);
  expect(lines.at(-1)).toMatch(/…$/);
});

test("each record is one line that fits the terminal, whatever an app puts into it", () => {
  const hostile = "漢字\u001b[2J\u202e\n\r👩‍👧 </style><script>alert(1)</script> ".repeat(9);
  const url = `http://127.0.0.1:3000/${hostile}`;
  const records = [
    loginRecord("aaaa", { reason: hostile, at: "2025-01-01T00:00:00.000Z" }),
    exchangeRecord("bbbb", { module: hostile, request: { ...exchangeRecord("x").request, method: hostile, url } }),
    exchangeRecord("cccc", { outcome: { kind: "undecodable", encoding: hostile, detail: hostile } }),
  ];
  for (const width of [20, 40, 60, 80, 120, 200]) {
    const lines = logTable(rowsOf(records), 3, plain(width), LATER);
    expect(lines).toHaveLength(4);
    expect(lines.filter((line) => columnsOf(line) > width)).toEqual([]);
    expect(rawControls(lines.join("\n"))).toEqual([]);
  }
});

test.each([
  [40, "…de/redirect"],
  [60, "…-one/it/code/redirect"],
  [76, "…/it/code/redirect"],
  [100, "POST /guards/a-long-one/it/code/redirect?…"],
  [200, "POST /guards/a-long-one/it/code/redirect?lang=de"],
])("at %i columns at least the end of a path is shown: %s", (width, shown) => {
  const url = "http://127.0.0.1:3000/guards/a-long-one/it/code/redirect?lang=de";
  const records = [
    exchangeRecord("aaaabbbb", { module: "working-account", request: { ...exchangeRecord("x").request, url } }),
  ];
  const [, line = ""] = logTable(rowsOf(records), 1, plain(width), LATER);
  expect(line.split(/ {2,}/).at(-1)).toBe(shown);
});

test("the result is coloured by its meaning, and the path is shown rather than the host", () => {
  const paint = { ...plain(80), good: named("good"), bad: named("bad"), caution: named("caution") };
  const answer = (status: number) => ({ status, headers: [], body: recordBody(Buffer.alloc(0)) });
  const records = [200, 302, 404, 500].map((status) => exchangeRecord(`id${status}`, { response: answer(status) }));
  const [, ...lines] = logTable(rowsOf(records), 4, paint, LATER);
  expect(lines.map((line) => / {2}(<\w+>)?\d{3} /.exec(line)?.[1])).toEqual([
    "<good>",
    undefined,
    "<caution>",
    "<bad>",
  ]);
  expect(lines.every((line) => line.endsWith("  POST /office"))).toBe(true);
});

function named(name: string): (text: string) => string {
  return (text) => `<${name}>${text}`;
}
