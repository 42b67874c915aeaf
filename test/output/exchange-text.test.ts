import { Chalk } from "chalk";
import { describe, expect, it } from "vitest";
import { REDACTED } from "../../src/journal/credentials.ts";
import type { Exchange, RecordedResponse } from "../../src/journal/exchange.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { exchangeSummary } from "../../src/output/exchange-text.ts";
import { paintWith } from "../../src/output/paint.ts";

const paint = (width = Number.POSITIVE_INFINITY) => paintWith(new Chalk({ level: 0 }), width);

function answer(body: string, status = 200, ...headers: RecordedResponse["headers"]): RecordedResponse {
  return { status, headers, body: bodyOf(body) };
}

function bodyOf(text: string): RecordedResponse["body"] {
  return { base64: Buffer.from(text).toString("base64"), size: Buffer.byteLength(text) };
}

function exchange(parts: Partial<Exchange>): Exchange {
  return {
    type: "exchange",
    id: "7ss6e5hf",
    purpose: "post-import",
    module: "tidy",
    startedAt: "2026-01-01T00:00:00.000Z",
    timings: { headersMs: 1, totalMs: 2.5 },
    request: { method: "POST", url: "http://127.0.0.1:3000/import", headers: [], body: bodyOf("") },
    response: null,
    outcome: { kind: "answered" },
    ...parts,
  };
}

const linesOf = (parts: Partial<Exchange>, width?: number) =>
  exchangeSummary(exchange(parts), new Redactor([]), paint(width));
const end = "in 2.5 ms  exchange 7ss6e5hf";
const html = ["Content-Type", "text/html; charset=utf-8"] as const;

it("cuts an address that was redacted, and no other", () => {
  const url = `http://127.0.0.1:3000/page?jwtToken=${REDACTED}&state=${"s".repeat(43)}`;
  const request = (to: string) => ({ method: "GET", url: to, headers: [], body: bodyOf("") });
  const first = (to: string) => linesOf({ request: request(to), response: answer("") }, 60)[0];
  expect(first(url)).toBe("→ GET http://127.0.0.1:3000/page?jwtToken=‹redact…");
  expect(first(url.replace(REDACTED, ""))).toContain("s".repeat(43));
  const away = answer("", 302, ["Location", url]);
  expect(linesOf({ response: away }, 60).at(-1)).toBe("  to http://127.0.0.1:3000/page?jwtToken=‹redacte…");
});

it.each([
  ["authorize", "user → platform"],
  ["consent", "user → platform"],
  ["token", "app → platform"],
  ["post-import", "→"],
] as const)("who called: %s", (purpose, way) => {
  expect(linesOf({ purpose })[0]).toBe(`${way} POST http://127.0.0.1:3000/import`);
});

it("a call that timed out: how long it took, once, and what app-sim waited for", () => {
  const outcome = { kind: "timed-out", phase: "headers", limitMs: 10_000 } as const;
  expect(linesOf({ outcome }).at(-1)).toBe("← timed out after 10 s while waiting for the answer exchange 7ss6e5hf");
});

describe("what came back", () => {
  it.each<[string, Partial<Exchange>]>([
    ["← 200 {}", { response: answer("{}") }],
    ["← 204 with an empty body", { response: answer("", 204) }],
    ["← 302 to /login", { response: answer("", 302, ["Location", "/login"]) }],
    ["← 200 an HTML page (13 bytes)", { response: answer("<h1>Hello</h1", 200, html) }],
    ["← 500 an HTML page (25 bytes): Error: no glossary", { response: answer("<p>Error: no glossary</p>", 500, html) }],
    ["← 500 an HTML page (3 bytes)", { response: answer("<p>", 500, html) }],
    [
      "← unreachable (ECONNREFUSED)",
      { outcome: { kind: "unreachable", code: "ECONNREFUSED", detail: "", elsewhere: null } },
    ],
  ])("%s", (came, parts) => {
    expect(linesOf(parts)).toEqual(["→ POST http://127.0.0.1:3000/import", `${came} ${end}`]);
  });

  it("puts the time on a line of its own where it has no room beside the status", () => {
    const timings = { headersMs: 1, totalMs: 121 };
    const slow = { timings, response: answer("the answer that came") };
    expect(linesOf(slow, 40).slice(1)).toEqual(["← 200", "  in 121 ms  exchange 7ss6e5hf", "  the answer that came"]);
  });

  it("shows a page's style sheet, script, image or font in one line, and a failed one in full", () => {
    const partOf = (type: string, status: number) =>
      linesOf({
        purpose: "guard-page",
        request: { method: "GET", url: "http://127.0.0.1:3000/a", headers: [], body: bodyOf("") },
        response: answer("h1 {}", status, ["content-type", type]),
      });
    for (const type of [
      "text/css; charset=utf-8",
      "text/javascript",
      "application/javascript",
      "image/png",
      "font/woff2",
    ])
      expect(partOf(type, 200)).toEqual([`→ GET http://127.0.0.1:3000/a ← 200, 5 bytes ${end}`]);
    expect(partOf("text/css", 404)).toEqual(["→ GET http://127.0.0.1:3000/a", `← 404 h1 {} ${end}`]);
    expect(partOf("application/json", 200)).toHaveLength(2);
  });

  it("shows the received part, because app-sim itself may have stopped reading", () => {
    const parts = { response: answer("what\n"), outcome: { kind: "cut-off", detail: "line 1 is not JSON" } } as const;
    expect(linesOf(parts).slice(1)).toEqual([
      `← 200, app-sim stopped reading (line 1 is not JSON) ${end}`,
      "  so far: what␊",
    ]);
    expect(linesOf({ ...parts, response: answer("") }).slice(2)).toEqual([]);
  });
});

describe("the app's requests to the platform", () => {
  it("are distinguished, and a fetched file is on one line", () => {
    const request = { ...exchange({}).request, method: "GET", url: "http://127.0.0.1:7410/files/H9SvjOWjvyubVepN" };
    expect(linesOf({ purpose: "file", request, response: answer("secret", 200) })).toEqual([
      `app → platform GET /files/H9SvjOWjvyub… ← 200, 6 bytes ${end}`,
    ]);
    expect(linesOf({ purpose: "file", request, response: answer("sec"), outcome: { kind: "interrupted" } })).toEqual([
      `app → platform GET /files/H9SvjOWjvyub… ← interrupted ${end}`,
    ]);
    expect(linesOf({ purpose: "api", request, response: answer("{}", 200) })).toEqual([
      "app → platform GET http://127.0.0.1:7410/files/H9SvjOWjvyubVepN",
      `← 200 {} ${end}`,
    ]);
  });

  it("do not include those of a user's browser", () => {
    for (const purpose of ["authorize", "consent"] as const) {
      const [line] = linesOf({ purpose, response: answer("{}", 200) });
      expect(line).toMatch(/^user → platform /);
    }
  });
});

describe("in a narrow terminal", () => {
  it("neither addresses nor words are broken", () => {
    const url = `http://127.0.0.1:3000/${"a".repeat(80)}`;
    const request = { ...exchange({}).request, url };
    const outcome = { kind: "unreachable", code: "ECONNREFUSED", detail: "", elsewhere: null } as const;
    expect(linesOf({ request, outcome }, 60)).toEqual([
      `→ POST ${url}`,
      "← unreachable (ECONNREFUSED)",
      "  in 2.5 ms  exchange 7ss6e5hf",
    ]);
    expect(linesOf({ request, response: answer("", 302, ["Location", url]) }, 60).slice(1)).toEqual([
      `← 302 ${end}`,
      `  to ${url}`,
    ]);
    const page = answer(`<p>${"word ".repeat(12)}</p>`, 500, html);
    expect(linesOf({ response: page }, 60).slice(1)).toEqual([
      `← 500 ${end}`,
      "  an HTML page (67 bytes): word word word word word",
      "  word word word word word word word",
    ]);
  });
});
