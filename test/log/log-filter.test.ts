import { describe, expect, test, vi } from "vitest";
import { InvalidFlagError } from "../../src/action/flags.ts";
import { recordBody } from "../../src/journal/journal.ts";
import type { JournalRecord } from "../../src/journal/record.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { isFoundIn, isWanted } from "../../src/log/log-filter.ts";
import { type LogFilter, readKind, readPattern, readSince, readStatus, sinceTime } from "../../src/log/log-flags.ts";
import { exchangeRecord, loginRecord } from "../rig/journal-lines.ts";

const body = (text: string) => recordBody(Buffer.from(text));
const answered = (status: number, text = "{}") => ({
  status,
  headers: [["X-Trace", "abc"]] as const,
  body: body(text),
});

const records: JournalRecord[] = [
  exchangeRecord("granted", { startedAt: "2026-01-02T03:00:00.000Z" }),
  exchangeRecord("refused", { response: answered(401, '{"why":"Ärger"}') }),
  exchangeRecord("webhook", { purpose: "webhook", module: "events", response: answered(204, "") }),
  exchangeRecord("late", { outcome: { kind: "timed-out", phase: "headers", limitMs: 1 }, response: null }),
  exchangeRecord("secret", { purpose: "visit", module: null, response: answered(200, "a canary-secret here") }),
  loginRecord("login"),
  loginRecord("denied", { outcome: "denied", deniedBy: "office", reason: "Not from there." }),
];

const wanted = (filter: LogFilter) =>
  records.filter((record) => isWanted(record, filter, new Redactor(["canary-secret"]))).map(({ id }) => id);

test.each<[string, LogFilter, readonly string[]]>([
  ["nothing asked", {}, records.map(({ id }) => id)],
  ["since", { since: Date.parse("2026-01-02T03:04:06Z") }, ["login", "denied"]],
  ["kind: a purpose", { kind: ["webhook"] }, ["webhook"]],
  ["kind: two of them", { kind: ["login", "visit"] }, ["secret", "login", "denied"]],
  ["kind: exchange", { kind: ["exchange"] }, ["granted", "refused", "webhook", "late", "secret"]],
  ["module", { module: "office" }, ["granted", "refused", "late", "denied"]],
  ["status", { status: readStatus("4xx") }, ["refused"]],
  ["failed", { failed: true }, ["refused", "late", "denied"]],
  ["grep: a body, whatever the case", { grep: readPattern("ärger") }, ["refused"]],
  ["grep: a header", { grep: readPattern("x-trace: a") }, ["refused", "webhook", "secret"]],
  ["grep: an address", { grep: readPattern("/office") }, ["granted", "refused", "webhook", "late", "secret"]],
  ["grep: a reason", { grep: readPattern("^.*from there") }, ["denied"]],
  ["grep: what came of a call", { grep: readPattern("timed-out") }, ["late"]],
  ["S27 grep: what is hidden is not found", { grep: readPattern("canary") }, []],
  ["all at once", { failed: true, kind: ["guard"], status: readStatus("400-499") }, ["refused"]],
])("%s", (_, filter, expected) => {
  expect(wanted(filter)).toEqual(expected);
});

test("a text that is in no record is found without redacting anything", () => {
  const redactor = new Redactor(["canary-secret"]);
  const [exchange, text] = [vi.spyOn(redactor, "exchange"), vi.spyOn(redactor, "text")];
  const found = (grep: string) =>
    records.filter((record) => isFoundIn(record, readPattern(grep), redactor)).map(({ id }) => id);
  expect(found("nowhere.")).toEqual([]);
  expect([exchange, text].map((spy) => spy.mock.calls.length)).toEqual([5, 2]);
  expect(found("nowhere")).toEqual([]);
  expect(found("v1\\.nowhere/-")).toEqual([]);
  expect([exchange, text].map((spy) => spy.mock.calls.length)).toEqual([5, 2]);
  // One has it, but hidden.
  expect(found("canary")).toEqual([]);
  expect([exchange, text].map((spy) => spy.mock.calls.length)).toEqual([6, 2]);
});

test.each(["redacted", "‹redacted›", "dact", "Bearer eyJ", "…", '":"', "a ‹", ".", "a..redacted", "(a|redacted)"])(
  "placeholders are found by %s",
  (grep) => {
    const shown = exchangeRecord("1", {
      request: {
        method: "POST",
        url: "http://a/b?jwtToken=eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2lnbmF0dXJl",
        headers: [["authorization", "Bearer eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2lnbmF0dXJl"]],
        body: body('{"token":12,"x":"a canary-secret here"}'),
      },
    });
    expect(isFoundIn(shown, readPattern(grep), new Redactor(["canary-secret"]))).toBe(true);
  },
);

describe("the flags", () => {
  test.each([
    ["401", 401, 401],
    ["4xx", 400, 499],
    ["5XX", 500, 599],
    ["200-299", 200, 299],
  ])("--status %s", (text, from, to) => {
    expect(readStatus(text)).toEqual({ from, to });
  });

  test.each([
    ["--status", () => readStatus("4x")],
    ["--status", () => readStatus("99")],
    ["--kind", () => readKind("webhok", undefined)],
    ["--grep", () => readPattern("(")],
    ["--since", () => readSince("yesterday")],
    ["--since", () => readSince("2026-13-01")],
  ])("%s refuses what it cannot read", (_, read) => {
    expect(read).toThrow(InvalidFlagError);
  });

  test("--kind suggests what was meant, and can be repeated", () => {
    expect(() => readKind("webhok", undefined)).toThrow(/Did you mean "webhook"\?/);
    expect(readKind("login", ["webhook"])).toEqual(["webhook", "login"]);
  });

  test("--since is a duration or a time", () => {
    const now = Date.parse("2026-01-02T03:04:05Z");
    expect(new Date(sinceTime("1h30m", now)).toISOString()).toBe("2026-01-02T01:34:05.000Z");
    expect(new Date(sinceTime("2026-01-01T00:00:00+01:00", now)).toISOString()).toBe("2025-12-31T23:00:00.000Z");
  });
});
