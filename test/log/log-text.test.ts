import { Chalk } from "chalk";
import { expect, test } from "vitest";
import { Redactor } from "../../src/journal/redact.ts";
import { logTable } from "../../src/log/log-text.ts";
import { paintWith } from "../../src/output/paint.ts";
import { loginRecord } from "../rig/journal-lines.ts";

const plain = (width: number) => paintWith(new Chalk({ level: 0 }), width);

test("times are told to the second, with the date only where it is not that of the newest record", () => {
  const records = [
    loginRecord("aaaa", { at: "2026-01-30T23:59:59.999Z" }),
    loginRecord("bbbb", { at: "2026-01-31T00:00:00.000Z" }),
  ];
  const lines = logTable(records, 2, new Redactor([]), plain(Number.POSITIVE_INFINITY));
  expect(lines.map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
    ["ID", "WHEN (UTC)"],
    ["aaaa", "2026-01-30 23:59:59"],
    ["bbbb", "00:00:00"],
  ]);
});

test("the last column is cut where it would leave the terminal", () => {
  const records = [loginRecord("aaaa", { reason: "a long reason, ".repeat(20) })];
  const lines = logTable(records, 1, new Redactor([]), plain(76));
  expect(Math.max(...lines.map((line) => line.length))).toBe(76);
  expect(lines.at(-1)).toMatch(/…$/);
});
