import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { Feed } from "../../src/inspector/feed.ts";
import type { Exchange } from "../../src/journal/exchange.ts";
import { recordBody } from "../../src/journal/journal.ts";
import type { JournalRecord } from "../../src/journal/record.ts";
import { exchangeRecord, loginRecord } from "../rig/journal-lines.ts";

/** The group of each row, by its id, after these records. */
function groupsOf(records: readonly JournalRecord[]): Record<string, string | null> {
  const feed = new Feed({ config: defaultConfig, choices: defaultChoices });
  for (const record of records) feed.add(record);
  return Object.fromEntries(records.map(({ id }) => [id, feed.row(id)?.group ?? null]));
}

const at = (id: string, startedAt: string, changes: Partial<Exchange> = {}) =>
  exchangeRecord(id, {
    startedAt: `2026-01-02T03:04:${startedAt}Z`,
    timings: { headersMs: 1, totalMs: 2 },
    ...changes,
  });

const answered = (location: string): NonNullable<Exchange["response"]> => ({
  status: 302,
  headers: [["location", location]],
  body: recordBody(Buffer.from("")),
});

describe("the list groups what belongs together", () => {
  it("a login has the exchanges that its record names", () => {
    const records = [at("a", "05.0"), at("b", "05.1"), at("m", "05.2"), loginRecord("l", { exchanges: ["a", "b"] })];
    expect(groupsOf(records)).toEqual({ a: "login-l", b: "login-l", m: null, l: "login-l" });
  });

  it("a load has the exchanges with its failures", () => {
    const load = { type: "load", id: "x", at: "2026-01-02T03:04:06.000Z", outcome: "failed", reason: null } as const;
    const facts = { sent: 2, failed: 1, notSent: 0, seconds: 1, rate: 2, latency: null, curve: [], exchanges: ["a"] };
    expect(groupsOf([at("a", "05.0"), at("m", "05.1"), { ...load, ...facts }])).toEqual({
      a: "load-x",
      m: null,
      x: "load-x",
    });
  });

  it("a verification has all its exchanges, including logins", () => {
    const check = { verification: "v", run: 1, subject: "guard.first:x", id: null, role: "control" };
    const records = [at("a", "05.0", { check }), at("b", "05.1", { check }), loginRecord("l", { exchanges: ["b"] })];
    expect(groupsOf(records)).toEqual({ a: "verify-v", b: "verify-v", l: "verify-v" });
  });

  it("consecutive deliveries belong to one run", () => {
    const webhook = { purpose: "webhook" } as const;
    const records = [at("a", "05.0", webhook), at("b", "06.0", webhook), at("c", "30.0", webhook)];
    expect(groupsOf(records)).toEqual({ a: "deliveries-a", b: "deliveries-a", c: "deliveries-c" });
  });

  it("an import has the files that were fetched while it ran, and those that its answer names", () => {
    const file = { purpose: "file", module: "tidy" } as const;
    const records = [
      at("early", "01.0", file),
      at("content", "05.5", file),
      at("job", "05.0", { purpose: "post-import", module: "tidy" }),
      at("strings", "06.0", { purpose: "import-file", module: "tidy" }),
    ];
    expect(groupsOf(records)).toEqual({ early: null, content: "import-job", job: "import-job", strings: "import-job" });
  });

  it("an OAuth flow is held together by its state, its code and its tokens", () => {
    const [first] = defaultConfig.apps;
    const url = "http://127.0.0.1:7410/oauth";
    const post = (json: object) => ({
      method: "POST",
      url: `${url}/token`,
      headers: [],
      body: recordBody(Buffer.from(JSON.stringify(json))),
    });
    const get = (address: string, headers: Exchange["request"]["headers"] = []) => ({
      ...{ method: "GET", url: address, headers },
      body: recordBody(Buffer.from("")),
    });
    const tokens = recordBody(Buffer.from('{"access_token":"header.claims.signature"}'));
    const records = [
      at("start", "05.0", {
        purpose: "visit",
        request: get(`${first?.url}/login`),
        response: answered(`${url}/authorize?state=abcdefgh`),
      }),
      at("authorize", "05.1", {
        purpose: "authorize",
        request: get(`${url}/authorize?state=abcdefgh`),
        response: answered("http://127.0.0.1:3000/cb?code=the-code-1&state=abcdefgh"),
      }),
      at("token", "05.2", {
        purpose: "token",
        request: post({ code: "the-code-1" }),
        response: { status: 200, headers: [], body: tokens },
      }),
      at("api", "05.3", {
        purpose: "api",
        request: get("http://127.0.0.1:7410/api/v2/projects", [["authorization", "Bearer header.claims.signature"]]),
      }),
      at("other", "05.4", {
        purpose: "api",
        request: get("http://127.0.0.1:7410/api/v2/projects", [["authorization", "Bearer another-token"]]),
      }),
    ];
    const flow = "oauth-start";
    expect(groupsOf(records)).toEqual({ start: flow, authorize: flow, token: flow, api: flow, other: null });
  });
});

describe("the feed", () => {
  it("shows the platform's decision on the line of its exchange", () => {
    const feed = new Feed({ config: defaultConfig, choices: defaultChoices });
    feed.add(at("t", "05.0", { purpose: "token" }));
    const base = {
      type: "oauth",
      id: "d",
      at: "2026-01-02T03:04:05Z",
      step: "exchange",
      client: "x",
      user: null,
    } as const;
    feed.add({
      ...base,
      outcome: "refused",
      error: "invalid_grant",
      reason: "it was used",
      hint: null,
      warnings: [],
      exchange: "t",
    });
    expect(feed.row("t")).toMatchObject({
      result: "invalid_grant",
      tone: "bad",
      isFault: true,
      note: "x: it was used",
    });
    expect(feed.from(0, 10).map((entry) => ("row" in entry ? entry.row.id : entry.group.id))).toEqual(["t", "t"]);
  });

  it("S14, S15, S27: has no hidden or control characters, and no secrets", () => {
    const feed = new Feed({ config: defaultConfig, choices: defaultChoices });
    const [app] = defaultConfig.apps;
    const url = `${app?.url}/x?code=the-secret-code&next=${app?.clientSecret}&\u202etxt\u001b[2J`;
    feed.add(
      at("e", "05.0", {
        module: `m\u0007${app?.appSecret}`,
        request: { method: "GET", url, headers: [], body: recordBody(Buffer.from("")) },
      }),
    );
    const text = JSON.stringify(feed.from(0, 10));
    for (const bad of ["the-secret-code", "\\u001b", "\\u0007", "\u202e"]) expect(text).not.toContain(bad);
    for (const secret of [app?.clientSecret, app?.appSecret]) expect(text).not.toContain(secret);
  });

  it("names the app that was called, and not one at a port with the same first digits", () => {
    const [app] = defaultConfig.apps;
    if (app === undefined) throw new RangeError("no app");
    const apps = [{ ...app, name: "the app", url: "http://127.0.0.1:80" }];
    const feed = new Feed({ config: { ...defaultConfig, apps }, choices: defaultChoices });
    const request = at("x", "05.0").request;
    feed.add(at("own", "05.0", { request: { ...request, url: "http://127.0.0.1/office" } }));
    feed.add(at("other", "05.0", { request: { ...request, url: "http://127.0.0.1:8000/office" } }));
    expect([feed.row("own")?.app, feed.row("other")?.app]).toEqual(["the app", null]);
  });

  it("accuses only apps that accept forgeries", () => {
    const [app] = defaultConfig.apps;
    const body = Buffer.from('{"events":[]}');
    const right = createHmac("sha256", app?.appSecret ?? "")
      .update(body)
      .digest("hex");
    const rowOf = (signature: string | null, status: number) => {
      const feed = new Feed({ config: defaultConfig, choices: defaultChoices });
      const headers: Exchange["request"]["headers"] = signature === null ? [] : [["X-Platform-Signature", signature]];
      const request = { method: "POST", url: `${app?.url}/webhooks`, headers, body: recordBody(body) };
      const response = { status, headers: [], body: recordBody(Buffer.from("")) };
      feed.add(at("w", "05.0", { purpose: "webhook", request, response }));
      return feed.row("w")?.isFault;
    };
    const forged = right.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    expect([rowOf(right, 204), rowOf(right, 401), rowOf(right, 500)]).toEqual([false, true, true]);
    expect([rowOf(forged, 204), rowOf(forged, 401), rowOf(forged, 500)]).toEqual([true, false, true]);
    expect([rowOf(null, 204), rowOf(null, 400)]).toEqual([true, false]);
  });
});

describe("the feed of a long-running platform", () => {
  const url = "http://127.0.0.1:7410/oauth/authorize?state=";
  const { request } = at("x", "00");
  /** Everything that is grouped, once: a login, deliveries, files with and without a job, an OAuth flow, a verification. */
  const round = (n: number): JournalRecord[] => {
    const second = `${String(n % 60).padStart(2, "0")}.0`;
    const check = { verification: `v${n}`, run: 1, subject: "guard.first:x", id: null, role: "control" };
    return [
      at(`g${n}`, second),
      loginRecord(`l${n}`, { exchanges: [`g${n}`, `never-there${n}`] }),
      at(`w${n}`, second, { purpose: "webhook" }),
      at(`lone${n}`, second, { purpose: "file", module: "no-jobs" }),
      at(`f${n}`, second, { purpose: "file", module: "tidy" }),
      at(`j${n}`, second, { purpose: "post-import", module: "tidy" }),
      at(`o${n}`, second, { purpose: "authorize", request: { ...request, url: `${url}state-number-${n}` } }),
      {
        ...{ type: "oauth", id: `d${n}`, at: "", step: "authorize", client: "c", user: null, outcome: "ok" },
        ...{ error: null, reason: null, hint: null, warnings: [], exchange: `o${n}` },
      } as JournalRecord,
      at(`c${n}`, second, { check }),
    ];
  };
  const feedAfter = (rounds: number) => {
    const feed = new Feed({ config: defaultConfig, choices: defaultChoices }, 200);
    for (let n = 0; n < rounds; n++) for (const record of round(n)) feed.add(record);
    return feed;
  };

  it("keeps no more after a thousand rounds than after fifty", () => {
    const [early, late] = [feedAfter(60).counts, feedAfter(1020).counts];
    expect(late).toEqual(early);
    expect(early.entries).toBe(200);
    for (const [name, count] of Object.entries(early))
      expect([name, count > 0, count <= 200]).toEqual([name, true, true]);
  });

  it("forgets a row with all its data, and keeps the newest ones", () => {
    const feed = feedAfter(100);
    expect([feed.row("g0"), feed.row("o0"), feed.group("login-l0"), feed.group("oauth-o0")]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(feed.row("g99")).toMatchObject({ group: "login-l99" });
    expect(feed.group("login-l99")?.rows.map(({ id }) => id)).toEqual(["g99", "l99"]);
    // A state that comes back after so long begins another flow; one that is still known goes on.
    feed.add(at("again", "00.0", { purpose: "authorize", request: { ...request, url: `${url}state-number-0` } }));
    feed.add(at("goes-on", "00.0", { purpose: "authorize", request: { ...request, url: `${url}state-number-99` } }));
    expect([feed.row("again")?.group, feed.row("goes-on")?.group]).toEqual(["oauth-again", "oauth-o99"]);
  });

  it("sends later pages each group that still has rows, however old", () => {
    const feed = new Feed({ config: defaultConfig, choices: defaultChoices }, 200);
    for (let n = 0; n < 1000; n++) feed.add(at(`w${n}`, "00.0", { purpose: "webhook" }));
    const entries = feed.from(feed.start, 1000);
    expect(entries.flatMap((entry) => ("group" in entry ? entry.group.id : []))).toEqual(["deliveries-w0"]);
    expect(feed.row("w999")?.group).toBe("deliveries-w0");
    expect(feed.group("deliveries-w0")?.rows).toHaveLength(199);
  });
});
