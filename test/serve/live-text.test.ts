import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import type { JournalRecord, OAuthRecord } from "../../src/journal/record.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { columnsOf } from "../../src/output/layout.ts";
import { type Paint, paintWith } from "../../src/output/paint.ts";
import { liveEntry, liveHead, liveLines } from "../../src/serve/live-text.ts";
import { exchangeRecord, loginRecord } from "../rig/journal-lines.ts";
import { rawControls } from "../rig/output.ts";

/** What is shown of a record; nothing where it has no line. */
function linesOf(record: JournalRecord, secrets: readonly string[], paint: Paint): string[] {
  const entry = liveEntry(record, new Redactor(secrets));
  return entry === null ? [] : liveLines(entry, paint);
}

const plain = (width: number) => paintWith(new Chalk({ level: 0 }), width);

const oauthRecord = (changes: Partial<OAuthRecord> = {}): OAuthRecord => ({
  type: "oauth",
  id: "decision",
  at: "2026-01-02T03:04:07.000Z",
  step: "refresh",
  client: "app-sim-client",
  user: { id: 104, role: "member" },
  outcome: "ok",
  error: null,
  reason: null,
  hint: null,
  warnings: [],
  exchange: "exchange",
  ...changes,
});

const refused = (error: string, reason: string) => oauthRecord({ outcome: "refused", error, reason });
const why = "the code was issued for another redirect address, which is not the one that the request names";

describe("in 80 columns", () => {
  test.each([
    [oauthRecord(), ["exchange  03:04:07  refresh           ok               app-sim-client for member"]],
    [
      refused("temporarily_unavailable", why),
      [
        "exchange  03:04:07  refresh           temporarily_unavailable",
        "                    app-sim-client for member",
        "                    the code was issued for another redirect address, which is",
        "                    not the one that the request names",
      ],
    ],
    [
      loginRecord("login-1", { outcome: "denied", deniedBy: "office", reason: "not you" }),
      ["login-1   03:04:06  login as member   denied           by office", "                    not you"],
    ],
    [exchangeRecord("call-1"), ["call-1    03:04:05  guard office      200 in 4.5 ms    POST /office"]],
    [
      exchangeRecord("call-2", {
        response: null,
        outcome: { kind: "unreachable", code: "ECONNREFUSED", detail: "", elsewhere: null },
      }),
      ["call-2    03:04:05  guard office      unreachable (ECONNREFUSED)  POST /office"],
    ],
  ])("%#: what happened, then why, broken between words", (record, lines) => {
    expect(linesOf(record, [], plain(80))).toEqual(lines);
  });

  test("an address that does not fit is truncated", () => {
    const { request } = exchangeRecord("x");
    const long = exchangeRecord("x", { request: { ...request, url: `http://127.0.0.1:3000/${"a".repeat(100)}` } });
    const [line = "", ...rest] = linesOf(long, [], plain(80));
    expect([line.length, rest]).toEqual([80, []]);
  });
});

test("a request to the platform is on the line of its decision", () => {
  expect(linesOf(exchangeRecord("x", { purpose: "token", module: null }), [], plain(80))).toEqual([]);
});

test("without a terminal a reason is on one line, complete", () => {
  expect(linesOf(refused("invalid_grant", why), [], plain(Number.POSITIVE_INFINITY))).toHaveLength(2);
});

test("S27: no secret is in a reason or a warning; S15: no control characters", () => {
  const record = oauthRecord({ error: "400", reason: "is canary-1 \u001b[2J", warnings: ["has canary-1 \u0007"] });
  const text = linesOf(record, ["canary-1"], plain(80)).join("\n");
  expect(text).not.toContain("canary-1");
  expect(text).toContain("␛");
  expect(rawControls(text)).toEqual([]);
});

test("only the result is coloured, and columns stay aligned", () => {
  const [line = ""] = linesOf(refused("invalid_grant", why), [], paintWith(new Chalk({ level: 1 }), 80));
  expect(line).toContain("\u001b[31minvalid_grant  \u001b[39m  app-sim-client");
});

test("is aligned in columns at every width, for any module keys, below a head that names the clock", () => {
  const record = (module: string) => exchangeRecord("call-1", { purpose: "post-import", module });
  for (let width = 40; width <= 200; width += 1) {
    const lines = ["tidy", "tidy-strings-of-all-projects", "整頓".repeat(9)].flatMap((module) =>
      linesOf(record(module), [], plain(width)),
    );
    const head = liveHead(plain(width));
    expect(head).toContain("UTC");
    expect([head, ...lines].filter((line) => columnsOf(line) > width)).toEqual([]);
    const results = lines.filter((line) => line.includes("200 in"));
    const places = results.map((line) => columnsOf(line.slice(0, line.indexOf("200 in"))));
    expect(new Set(places).size).toBe(1);
    if (width >= 70) expect(places[0]).toBe(head.indexOf("RESULT"));
  }
});
