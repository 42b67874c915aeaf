import { load } from "cheerio";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type SampleApp, startSampleApp } from "../../../examples/sample-app/app.js";
import { badTokens, callGuard, type Fields, issued, type Person, tokenFor } from "./platform.ts";

const manager: Person = { userId: 103, organizationId: 7 };
const callback = `${issued.authUrl}/acme/guard/callback`;
const refusal = { success: false, message: "The confirmation is unknown, used or too old. Log in again." };

let app: SampleApp;

beforeEach(async () => {
  app = await startSampleApp(issued);
});

afterEach(() => app.close());

function askGuard(person: Person, code?: string) {
  return callGuard(`${app.url}/guards/terms`, "terms", person, code === undefined ? {} : { code });
}

/** The address that the platform redirects the user to; a null token is left out. */
function pageAddress(state: string, token: string | null = tokenFor("terms", manager)): string {
  const parameters = { ...(token !== null && { jwtToken: token }), state };
  return `${app.url}/guards/terms/page?${new URLSearchParams(parameters)}`;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

async function request(address: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(address, { redirect: "manual", ...init });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

function post(address: string, form: Record<string, string> | string): Promise<Answer> {
  return request(address, { method: "POST", body: new URLSearchParams(form) });
}

/** Opens the page and presses one of its buttons, as a browser does: the form has the page's address. */
async function press(address: string, button = 0): Promise<Answer> {
  const { status, body } = await request(address);
  expect(status).toBe(200);
  const $ = load(body);
  const form = $("form");
  expect([form.attr("method"), form.attr("action"), form.attr("enctype")]).toEqual(["post", undefined, undefined]);
  const pressed = form.find("button[type=submit]").eq(button);
  return post(address, { [pressed.attr("name") ?? ""]: pressed.attr("value") ?? "" });
}

/** What the redirect tells the platform. */
function outcomeOf(answer: Answer): Record<string, string> {
  expect(answer.status).toBe(302);
  const { origin, pathname, search } = new URL(answer.headers.get("location") ?? "");
  expect(origin + pathname).toBe(callback);
  const pairs = search.slice(1).split("&");
  return Object.fromEntries(pairs.map((pair) => pair.split("=").map(decodeURIComponent) as [string, string]));
}

async function newCode(person: Person = manager, state = "s"): Promise<string> {
  const { code } = outcomeOf(await press(pageAddress(state, tokenFor("terms", person))));
  if (code === undefined) throw new Error("no code");
  return code;
}

function expectErrorPage(answer: Answer, status: number): void {
  expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
  const $ = load(answer.body);
  expect([$("form, button, input, script, a").length, $("h1").text()]).toEqual([0, "This login cannot go on here"]);
  expect(answer.headers.get("location")).toBe(null);
}

describe("the login of a manager (interface 3.1, 4.2)", () => {
  it.each([
    [103, { success: false, message: "Accept the confidentiality terms." }],
    [102, { success: true }],
    [104, { success: true }],
  ])("2.2: the first call about user %i is answered %j", async (userId, answer) => {
    expect(await askGuard({ userId, organizationId: 7 })).toEqual(answer);
  });

  it("goes on after the terms are accepted, by the first button", async () => {
    const outcome = outcomeOf(await press(pageAddress("state-1")));
    expect(outcome).toEqual({ state: "state-1", code: expect.stringMatching(/^[\w-]{43}$/) });
    expect(await askGuard(manager, outcome.code)).toEqual({ success: true });
  });

  it("asks again at the next login", async () => {
    await askGuard(manager, await newCode());
    expect(await askGuard(manager)).toMatchObject({ success: false });
  });

  it("ends after they are declined, with a non-ASCII error", async () => {
    const answer = await press(pageAddress("state-1"), 1);
    const error = "The confidentiality terms were declined – access denied.";
    expect(outcomeOf(answer)).toEqual({ state: "state-1", error });
    expect(answer.headers.get("location")).toMatch(/^[!-~]+$/);
  });

  it("has a page that HEAD finds too", async () => {
    const { status, headers, body } = await request(pageAddress("s"), { method: "HEAD" });
    expect([status, headers.get("content-type"), body]).toEqual([200, "text/html; charset=utf-8", ""]);
  });

  it("returns to a platform that has a path", async () => {
    await using other = await withDisposal(startSampleApp({ ...issued, authUrl: "https://host.test/platform//" }));
    const address = pageAddress("s").replace(app.url, other.url);
    const { headers } = await press(address);
    expect(headers.get("location")).toMatch(/^https:\/\/host\.test\/platform\/acme\/guard\/callback\?state=s&code=/);
    expect((await request(address)).headers.get("content-security-policy")).toContain("'self' https://host.test;");
  });
});

async function withDisposal(starting: Promise<SampleApp>): Promise<SampleApp & AsyncDisposable> {
  const started = await starting;
  return { ...started, [Symbol.asyncDispose]: () => started.close() };
}

describe("the page", () => {
  it.each(badTokens("terms", manager))("P1: does not open with %s, and accepts no decision", async (_wrong, token) => {
    await request(pageAddress("s"));
    const address = pageAddress("s", token);
    for (const answer of [await request(address), await post(address, { decision: "accept" })]) {
      expectErrorPage(answer, 401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    }
    expect(outcomeOf(await press(pageAddress("s")))).toHaveProperty("code");
  });

  it("P1: does not open with two tokens, nor with the token in a header", async () => {
    const token = tokenFor("terms", manager);
    expectErrorPage(await request(`${pageAddress("s")}&jwtToken=${token}`), 401);
    const headers = { authorization: `Bearer ${token}` };
    expectErrorPage(await request(pageAddress("s", null), { headers }), 401);
  });

  it.each<[wrong: string, changes: Fields]>([
    ["another sub", { sub: "104" }],
    ["no context", { context: undefined }],
    ["no organization", { context: { user_id: 103 } }],
    ["a user that is no number", { context: { user_id: "103", organization_id: 7 } }],
  ])("P1: does not open with a token that has %s", async (_wrong, changes) => {
    expectErrorPage(await request(pageAddress("s", tokenFor("terms", manager, changes))), 403);
  });

  it("P2: shows nothing of the state", async () => {
    const { body } = await request(pageAddress(`"><script>alert("state-1")</script>`));
    expect(body).not.toMatch(/state-1|<script/);
  });

  it.each(["", "state", "state=", "state=a&state=b", "state=%ff", "state=%zz", "state=a%C3"])(
    "P2: does not open with the query %j",
    async (query) => {
      expectErrorPage(await request(pageAddress("s").replace("state=s", query)), 400);
    },
  );

  it("P2: makes no code for a state that it was never opened with", async () => {
    expectErrorPage(await post(pageAddress("unknown"), { decision: "accept" }), 403);
    await request(pageAddress("s"));
    expectErrorPage(await post(pageAddress("s "), { decision: "accept" }), 403);
    expectErrorPage(await post(pageAddress("unknown"), { decision: "decline" }), 403);
  });

  it("P2: makes no second code for a state, whether the first is used or not", async () => {
    const address = pageAddress("s");
    const twice = await Promise.all([press(address), press(address)]);
    const [first, second] = twice.map((answer) => outcomeOf(answer).code);
    expect(first).toBe(second);
    expect(await askGuard(manager, first)).toEqual({ success: true });
    expect(await newCode()).toBe(first);
    expect(await askGuard(manager, first)).toEqual(refusal);
    expect(await newCode(manager, "another")).not.toBe(first);
  });

  it.each([
    ["callback", "http://evil.test"],
    ["return", "//evil.test"],
    ["redirect_uri", "http://evil.test"],
    ["auth_url", "http://evil.test"],
    ["domain", "evil"],
    ["code", "evil"],
    ["error", "evil"],
  ])("P3: returns to the platform only, whatever %s says", async (name, value) => {
    const address = `${pageAddress("s")}&${new URLSearchParams({ [name]: value })}`;
    const answer = await post(address, { decision: "accept" });
    expectErrorPage(answer, 403);
    const outcome = outcomeOf(await press(address));
    expect(Object.keys(outcome)).toEqual(["state", "code"]);
    expect(Object.values(outcome)).not.toContain(value);
    const byForm = await post(address, { decision: "accept", [name]: value });
    expect(outcomeOf(byForm)).toEqual(outcome);
  });

  it.each([undefined, 7, "", ".", "..", "../evil", "evil/x", "a.b", "-a", "a-", "acme\n", "é", "a".repeat(64)])(
    "P3: does not open with the domain %j",
    async (domain) => {
      const address = pageAddress("s", tokenFor("terms", manager, { domain }));
      expectErrorPage(await request(address), 400);
      expectErrorPage(await post(address, { decision: "accept" }), 400);
    },
  );

  it.each(["a", "7", "acme-2", "a".repeat(63)])("returns to the organization %s", async (domain) => {
    const { headers } = await press(pageAddress("s", tokenFor("terms", manager, { domain })));
    expect(headers.get("location")).toMatch(`${issued.authUrl}/${domain}/guard/callback?`);
  });

  it("P4: returns the state byte for byte, in one clean redirect, whatever it holds", async () => {
    const piece = fc.constantFrom("\r\n", "\r", "\n", "Set-Cookie: a=b", "&", "%", "%0a", "+", " ", "?", "#", '"', "<");
    const text = fc.string({ unit: fc.oneof(piece, fc.string({ unit: "binary", minLength: 1, maxLength: 3 })) });
    const state = fc
      .oneof(text, fc.constant("\ufeff\ufffd"), fc.constant("語".repeat(400)))
      .filter((one) => one !== "");
    await fc.assert(
      fc.asyncProperty(state, fc.constantFrom(0, 1), async (sent, button) => {
        const answer = await press(pageAddress(sent), button);
        expect(outcomeOf(answer).state).toBe(sent);
        expect(answer.headers.get("location")).toMatch(/^[!-~]+$/);
        expect([answer.headers.get("set-cookie"), answer.body]).toEqual([null, ""]);
      }),
      { numRuns: 50 },
    );
  });

  it("P5: has the headers of a page that holds a token, and nobody may frame it", async () => {
    const { headers } = await request(pageAddress("s"));
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "content-security-policy": [
        "default-src 'none'",
        "style-src 'self'",
        "base-uri 'none'",
        `form-action 'self' ${issued.authUrl}`,
        "frame-ancestors 'none'",
      ].join("; "),
    });
  });

  it("P5: keeps the redirect out of caches and referrers, too", async () => {
    const { headers } = await press(pageAddress("s"));
    expect([headers.get("cache-control"), headers.get("referrer-policy")]).toEqual(["no-store", "no-referrer"]);
  });

  it.each<[wrong: string, person: Person]>([
    ["another user", { userId: 104, organizationId: 7 }],
    ["a user of the same id in another organization", { userId: 103, organizationId: 8 }],
  ])("P6: refuses the token of %s with a state that is the manager's", async (_wrong, person) => {
    await request(pageAddress("s"));
    const address = pageAddress("s", tokenFor("terms", person));
    expectErrorPage(await request(address), 403);
    expectErrorPage(await post(address, { decision: "accept" }), 403);
    expect(outcomeOf(await press(pageAddress("s")))).toHaveProperty("code");
  });

  it.each(["", "decision=", "decision=Accept", "decision=accept&decision=decline", "other=accept"])(
    "accepts no decision from the form %j",
    async (form) => {
      await request(pageAddress("s"));
      expectErrorPage(await post(pageAddress("s"), form), 400);
    },
  );

  it("accepts no decision from its own URL, from JSON, or from an endless form", async () => {
    const address = `${pageAddress("s")}&decision=accept`;
    expect((await request(address)).status).toBe(200);
    expectErrorPage(await post(address, {}), 400);
    const headers = { "content-type": "application/json" };
    expectErrorPage(await request(address, { method: "POST", headers, body: '{"decision":"accept"}' }), 415);
    expectErrorPage(await post(address, { decision: "accept", more: "a".repeat(4096) }), 413);
  });

  it("forgets a login after some time", async () => {
    await request(pageAddress("s"));
    const { now } = performance;
    vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + 20 * 60_000);
    expectErrorPage(await post(pageAddress("s"), { decision: "accept" }), 403);
    vi.restoreAllMocks();
  });
});

describe("the final call", () => {
  it.each<[sent: string, code: () => Promise<string>]>([
    ["an unknown code", async () => "A".repeat(43)],
    ["an empty code", async () => ""],
    ["__proto__", async () => "__proto__"],
    ["another user's code", () => newCode({ userId: 104, organizationId: 7 }, "other")],
    ["another organization's code", () => newCode({ userId: 103, organizationId: 8 }, "other")],
    ["another module's code", confirmPresence],
    [
      "a used code",
      async () => {
        const code = await newCode(manager, "other");
        await askGuard(manager, code);
        return code;
      },
    ],
  ])("G14: does not let the user in with %s, and then does with the right one", async (_sent, code) => {
    const right = await newCode();
    expect(await askGuard(manager, await code())).toEqual(refusal);
    expect(await askGuard(manager, right)).toEqual({ success: true });
  });

  it("G14: lets users who need not accept the terms in with no other code", async () => {
    expect(await askGuard({ userId: 104, organizationId: 7 }, "unknown")).toEqual(refusal);
  });

  it("G14: a try by another user does not use up a code", async () => {
    const code = await newCode();
    expect(await askGuard({ userId: 104, organizationId: 7 }, code)).toEqual(refusal);
    expect(await askGuard({ userId: 103, organizationId: 8 }, code)).toEqual(refusal);
    const atPresence = callGuard(`${app.url}/guards/presence`, "presence", manager, { code });
    expect(await atPresence).toEqual(refusal);
    expect(await askGuard(manager, code)).toEqual({ success: true });
  });

  it.each([
    [119_000, true],
    [120_000, false],
  ])("G14: with a code that is %i ms old, success is %s", async (age, success) => {
    const { now } = performance;
    // Stands still, so that the test's own time does not count.
    const start = now.call(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => start);
    const code = await newCode();
    clock.mockImplementation(() => start + age);
    expect((await askGuard(manager, code)).success).toBe(success);
    clock.mockRestore();
  });

  it("G15: of 20 simultaneous calls with one code, one is let in", async () => {
    const code = await newCode();
    const answers = await Promise.all(Array.from({ length: 20 }, () => askGuard(manager, code)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
  });
});

async function confirmPresence(): Promise<string> {
  const headers = { authorization: `Bearer ${tokenFor("presence", manager)}` };
  const response = await fetch(`${app.url}/guards/presence/confirm`, { method: "POST", headers });
  return ((await response.json()) as { code: string }).code;
}
