import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { load } from "cheerio";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type SampleApp, startSampleApp } from "../../../examples/sample-app/app.js";
import { createOAuthClient } from "../../../examples/sample-app/oauth.js";
import { createSessions } from "../../../examples/sample-app/oauth-login.js";
import {
  type Answer,
  type Browser,
  type OAuthPlatform,
  openBrowser,
  type Reply,
  startOAuthPlatform,
} from "./oauth-platform.ts";
import { issued } from "./platform.ts";

let platform: OAuthPlatform;
let app: SampleApp;
let browser: Browser;

beforeEach(async () => {
  platform = await startOAuthPlatform();
  app = await startSampleApp({ ...issued, authUrl: platform.url });
  browser = openBrowser();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await app.close();
  await platform[Symbol.asyncDispose]();
});

/** Begins a login; returns where the platform would send the browser back to. */
async function approved(who = browser, path = "/login"): Promise<string> {
  const { status, location } = await who.get(app.url + path);
  expect(status).toBe(302);
  return platform.approve(location);
}

async function logIn(who = browser): Promise<Answer> {
  return who.get(await approved(who));
}

function changed(callback: string, changes: Readonly<Record<string, string | null>>): string {
  const url = new URL(callback);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

async function isLoggedIn(who = browser): Promise<boolean> {
  return (await who.get(`${app.url}/projects`)).status === 200;
}

/** A page without anything to send, that leads back to the login and says what is wrong. */
function expectErrorPage(answer: Answer, status: number, title: string, text: string): void {
  expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
  const $ = load(answer.body);
  expect([$("form, script, img, iframe").length, $("h1").text(), $("p").first().text()]).toEqual([0, title, text]);
  expect($("a").attr("href")).toBe(`${app.url}/login`);
  expect(answer.headers.getSetCookie()).toEqual([]);
}

const stopped = "This login cannot go on here";
const foreign = "This browser did not begin this login, or too long ago, or it came back before.";

describe("the authorization request (interface 5.2)", () => {
  it("C1: holds an unguessable state, S256, the exact redirect address, and no secret", async () => {
    const { status, location, headers } = await browser.get(`${app.url}/login`);
    const url = new URL(location);
    expect([status, url.origin + url.pathname]).toEqual([302, `${platform.url}/oauth/authorize`]);
    expect([...url.searchParams]).toEqual([
      ["client_id", issued.clientId],
      ["redirect_uri", `${app.url}/oauth/callback`],
      ["response_type", "code"],
      ["scope", "project"],
      ["state", expect.stringMatching(/^[\w-]{43}$/)],
      ["code_challenge", expect.stringMatching(/^[\w-]{43}$/)],
      ["code_challenge_method", "S256"],
    ]);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sample_app_login=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/),
    ]);
    expect([headers.get("cache-control"), headers.get("referrer-policy")]).toEqual(["no-store", "no-referrer"]);
  });

  it("C1: the challenge is the hash of the verifier that comes with the code", async () => {
    const { location } = await browser.get(`${app.url}/login`);
    await browser.get(platform.approve(location));
    const verifier = platform.tokenCalls[0]?.body?.code_verifier ?? "";
    expect(verifier).toMatch(/^[\w.~-]{43,128}$/);
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    expect(new URL(location).searchParams.get("code_challenge")).toBe(challenge);
  });

  it("C2: two logins differ in state and challenge, of one browser too", async () => {
    const asked = await Promise.all([browser, browser, openBrowser()].map((one) => one.get(`${app.url}/login`)));
    for (const name of ["state", "code_challenge"]) {
      expect(new Set(asked.map(({ location }) => new URL(location).searchParams.get(name))).size).toBe(3);
    }
  });

  it("goes to a platform that has a path", () => {
    const client = createOAuthClient({ ...issued, authUrl: "https://host.test/platform", url: "http://app.test" });
    const url = client.authorizeUrl({ state: "s", verifier: "v" });
    expect(url).toMatch(/^https:\/\/host\.test\/platform\/oauth\/authorize\?client_id=/);
  });

  it.each(["/login", "/oauth/callback"])("is neither started nor ended by HEAD %s", async (path) => {
    const { status, headers } = await fetch(app.url + path, { method: "HEAD", redirect: "manual" });
    expect([status, headers.get("allow")]).toEqual([405, "GET"]);
  });
});

describe("the callback", () => {
  it("5.2: exchanges the code with a JSON body and logs the browser in", async () => {
    const callback = await approved();
    const { status, location, headers, body } = await browser.get(callback);
    expect([status, location, body]).toEqual([302, "/projects", ""]);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sample_app_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(platform.tokenCalls).toMatchObject([
      {
        method: "POST",
        path: "/oauth/token",
        headers: { "content-type": "application/json" },
        body: {
          grant_type: "authorization_code",
          client_id: issued.clientId,
          client_secret: issued.clientSecret,
          redirect_uri: `${app.url}/oauth/callback`,
          code: new URL(callback).searchParams.get("code"),
          code_verifier: expect.any(String),
        },
      },
    ]);
    expect(await isLoggedIn()).toBe(true);
    expect(await isLoggedIn(openBrowser())).toBe(false);
  });

  it.each<[wrong: string, address: (callback: string) => string]>([
    ["a missing state", (callback) => changed(callback, { state: null })],
    ["an empty state", (callback) => changed(callback, { state: "" })],
    ["a wrong state", (callback) => changed(callback, { state: "A".repeat(43) })],
    ["a state that is cut", (callback) => callback.slice(0, -1)],
    ["the state twice", (callback) => `${callback}&state=${new URL(callback).searchParams.get("state")}`],
    ["__proto__", (callback) => changed(callback, { state: "__proto__" })],
    ["a wrong state and an error", (callback) => changed(callback, { state: "x", error: "access_denied", code: null })],
  ])("C3: %s is an error without a token call, and the right callback still works", async (_wrong, address) => {
    const callback = await approved();
    expectErrorPage(await browser.get(address(callback)), 400, stopped, foreign);
    expect(platform.tokenCalls).toEqual([]);
    expect((await browser.get(callback)).location).toBe("/projects");
  });

  it.each<[whose: string, other: () => Promise<Browser>]>([
    ["without any cookie", async () => openBrowser()],
    [
      "with a login of its own",
      async () => {
        const other = openBrowser();
        await approved(other);
        return other;
      },
    ],
    [
      "with its cookie twice",
      async () => {
        const other = openBrowser();
        const [own] = await browser.jar.getCookies(app.url);
        for (const path of ["/", "/oauth"]) {
          await other.jar.setCookie(`${own?.cookieString()}; Path=${path}`, `${app.url}/oauth/callback`);
        }
        return other;
      },
    ],
  ])("C3: another browser's state is an error %s, without a token call, and is not used up", async (_whose, other) => {
    const callback = await approved();
    const foreigner = await other();
    expectErrorPage(await foreigner.get(callback), 400, stopped, foreign);
    expect([platform.tokenCalls, await isLoggedIn(foreigner)]).toEqual([[], false]);
    expect((await browser.get(callback)).location).toBe("/projects");
  });

  it("C3: a reused state is an error, without another token call, whatever came of it first", async () => {
    const done = await approved();
    await browser.get(done);
    expectErrorPage(await browser.get(done), 400, stopped, foreign);
    const declined = changed(await approved(), { code: null, error: "access_denied" });
    await browser.get(declined);
    expectErrorPage(await browser.get(declined), 400, stopped, foreign);
    expect(platform.tokenCalls).toHaveLength(1);
  });

  it("C3: of 20 simultaneous callbacks with one state, one makes a token call", async () => {
    const callback = await approved();
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.get(callback)));
    expect(answers.map(({ status }) => status).sort()).toEqual([302, ...Array(19).fill(400)]);
    expect(platform.tokenCalls).toHaveLength(1);
  });

  it.each([
    [599_999, true],
    [600_000, false],
  ])("C3: a state that is %i ms old is accepted: %s", async (age, isGood) => {
    // Stands still, so that the test's own time does not count.
    const start = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => start);
    const callback = await approved();
    clock.mockImplementation(() => start + age);
    // The jar has a clock of its own.
    expect((await browser.get(callback)).status).toBe(isGood ? 302 : 400);
    expect(platform.tokenCalls).toHaveLength(isGood ? 1 : 0);
  });

  it("completes both of two pending logins of one browser, in either order", async () => {
    const [first, second] = [await approved(), await approved()];
    expect((await browser.get(second)).location).toBe("/projects");
    expect((await browser.get(first)).location).toBe("/projects");
  });

  it("C4: a code from another browser's login logs nobody in", async () => {
    const injected = new URL(await approved(openBrowser())).searchParams.get("code");
    const answer = await browser.get(changed(await approved(), { code: injected }));
    expectErrorPage(answer, 502, stopped, "The platform's token endpoint does not accept this login: invalid_grant.");
    expect([platform.tokenCalls.length, platform.accessTokens, await isLoggedIn()]).toEqual([1, [], false]);
  });

  it.each<[wrong: string, address: (callback: string) => string]>([
    ["no code", (callback) => changed(callback, { code: null })],
    ["an empty code", (callback) => changed(callback, { code: "" })],
    ["two codes", (callback) => `${callback}&code=other`],
  ])("is an error with %s, without a token call", async (_wrong, address) => {
    const answer = await browser.get(address(await approved()));
    expectErrorPage(answer, 400, stopped, "The platform's answer must hold one code.");
    expect(platform.tokenCalls).toEqual([]);
  });

  it.each<[parameters: Record<string, string>, shown: string]>([
    [{ error: "access_denied" }, "access_denied"],
    [{ error: "access_denied", error_description: "<script>alert(1)</script>" }, "<script>alert(1)</script>"],
    [{ error: `"><img src=x onerror=alert(1)>` }, `"><img src=x onerror=alert(1)>`],
    [{ error: "" }, ""],
    [{ error: "server_error", error_description: "a".repeat(5000) }, "a".repeat(200)],
  ])("C6: %j ends the login with a page that shows the text, without a token call", async (parameters, shown) => {
    const answer = await browser.get(changed(await approved(), { code: null, ...parameters }));
    expectErrorPage(answer, 403, "The login was declined", `The platform says: ${shown}`);
    expect([platform.tokenCalls, await isLoggedIn()]).toEqual([[], false]);
  });

  it("C6: an error counts even if there is a code, too", async () => {
    expect((await browser.get(`${await approved()}&error=access_denied`)).status).toBe(403);
    expect(platform.tokenCalls).toEqual([]);
  });

  it("C6: any error text is shown as exactly that text", async () => {
    const piece = fc.constantFrom("<", ">", '"', "'", "&", "&lt;", "</p>", "<script>", "-->", "é", "a", " ");
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: piece, maxLength: 20 }), async (error) => {
        const { body } = await browser.get(changed(await approved(), { code: null, error }));
        const $ = load(body);
        expect([$("body *").length, $("p").first().text()]).toEqual([4, `The platform says: ${error}`]);
      }),
      { numRuns: 30 },
    );
  });

  it("C10: no parameter leads to another place after the login", async () => {
    const elsewhere = "next=//evil.test&return=https://evil.test&callback=//evil.test&redirect_uri=https://evil.test";
    const callback = await approved(browser, `/login?${elsewhere}`);
    expect(new URL(callback).origin + new URL(callback).pathname).toBe(`${app.url}/oauth/callback`);
    const { status, location } = await browser.get(`${callback}&${elsewhere}`);
    expect([status, location]).toEqual([302, "/projects"]);
  });
});

describe("the token answer (interface 2.7)", () => {
  const good = { access_token: "access-1", token_type: "bearer", expires_in: 7200, refresh_token: "refresh-1" };

  it.each<[what: string, body: unknown, headers?: Record<string, string>]>([
    ["BEARER", { ...good, token_type: "BEARER" }],
    ["no expires_in", { ...good, expires_in: undefined }],
    ["expires_in as a text", { ...good, expires_in: "7200" }],
    ["extra fields", { ...good, scope: "project", id_token: {}, error: null, __proto__: 1 }],
    ["no refresh token", { ...good, refresh_token: undefined }],
    ["a refresh token that is null", { ...good, refresh_token: null }],
    ["a content type with a charset", good, { "content-type": "application/json; charset=UTF-8" }],
  ])("C7: %s is accepted", async (_what, body, headers = {}) => {
    platform.isGood = (token) => token === "access-1";
    platform.answerToken = () => ({ status: 200, body, headers });
    expect((await logIn()).location).toBe("/projects");
    expect(await isLoggedIn()).toBe(true);
  });

  const unusable = "answered 200, but without a bearer token.";
  const gone = "cannot be reached, or broke off, or sent this app elsewhere. Try again later.";

  it.each<[what: string, reply: Reply, message: string]>([
    ["400", { status: 400, body: { error: "invalid_request" } }, "answered 400: invalid_request."],
    [
      "401",
      { status: 401, body: { error: "invalid_client", error_description: "x" } },
      "answered 401: invalid_client.",
    ],
    ["400 without a code", { status: 400, body: "no" }, "answered 400."],
    ["an error that is not a code", { status: 400, body: { error: "<script>" } }, "answered 400."],
    ["500", { status: 500, body: { error: good } }, "answered 500."],
    ["tokens with 500", { status: 500, body: good }, "answered 500."],
    ["tokens with 202", { status: 202, body: good }, "answered 202."],
    ["HTML", { status: 200, body: "<!doctype html><p>Hello", headers: { "content-type": "text/html" } }, unusable],
    ["HTML with 503", { status: 503, body: "<!doctype html><p>Hello" }, "answered 503."],
    ["garbage", { status: 200, body: "\u0000{" }, unusable],
    ["half of it", { status: 200, body: JSON.stringify(good).slice(0, -1) }, unusable],
    ["nothing", { status: 200, body: "" }, unusable],
    ["null", { status: 200, body: "null" }, unusable],
    ["an array", { status: 200, body: [good] }, unusable],
    ["another type of token", { status: 200, body: { ...good, token_type: "mac" } }, unusable],
    ["no type of token", { status: 200, body: { ...good, token_type: undefined } }, unusable],
    ["no access token", { status: 200, body: { ...good, access_token: undefined } }, unusable],
    ["an empty access token", { status: 200, body: { ...good, access_token: "" } }, unusable],
    ["an access token that is no text", { status: 200, body: { ...good, access_token: 1 } }, unusable],
    ["a line break in it", { status: 200, body: { ...good, access_token: "a\r\nX-Evil: 1" } }, unusable],
    ["more than 1 MiB", { status: 200, body: { ...good, extra: "a".repeat(1024 * 1024) } }, gone],
    ["a redirect", { status: 307, headers: { location: "/elsewhere" } }, gone],
  ])("C7: %s is an error page, and nobody is logged in", async (_what, reply, message) => {
    platform.answerToken = () => reply;
    expectErrorPage(await logIn(), 502, stopped, `The platform's token endpoint ${message}`);
    expect([platform.tokenCalls.length, await isLoggedIn()]).toEqual([1, false]);
    platform.answerToken = platform.grant;
    expect((await logIn()).location).toBe("/projects");
  });

  it("C7: a connection that breaks off is an error page, as is a platform that is not there", async () => {
    platform.answerToken = (_call, response) => {
      response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy());
      return null;
    };
    const message = `The platform's token endpoint ${gone}`;
    expectErrorPage(await logIn(), 502, stopped, message);
    const callback = await approved();
    await platform[Symbol.asyncDispose]();
    expectErrorPage(await browser.get(callback), 502, stopped, message);
  });

  it.each<[phase: string, start: (response: ServerResponse) => void]>([
    ["says nothing", () => {}],
    ["stops in the middle", (response) => void response.writeHead(200).write("{")],
  ])("C7: a platform that %s is waited for 10 seconds", async (_phase, start) => {
    const deadline = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(deadline.signal);
    const asked = new Promise<void>((resolve) => {
      platform.answerToken = (_call, response) => {
        start(response);
        resolve();
        return null;
      };
    });
    const answer = logIn();
    await asked;
    deadline.abort(new DOMException("The operation timed out.", "TimeoutError"));
    const message = "The platform's token endpoint did not answer in time. Try again later.";
    expectErrorPage(await answer, 502, stopped, message);
    expect(timeout.mock.calls).toEqual([[10_000]]);
  });
});

describe("a session", () => {
  const sessionIn = async ({ jar }: Browser) =>
    (await jar.getCookies(app.url)).find(({ key }) => key === "sample_app_session")?.value;

  it("has a new id after each login, and the old one is no longer valid", async () => {
    platform.isGood = () => true;
    const planted = "A".repeat(43);
    await browser.jar.setCookie(`sample_app_session=${planted}; Path=/`, app.url);
    await logIn();
    const first = await sessionIn(browser);
    await logIn();
    const second = await sessionIn(browser);
    expect(new Set([planted, first, second]).size).toBe(3);
    for (const old of [planted, first]) {
      const other = openBrowser();
      await other.jar.setCookie(`sample_app_session=${old}; Path=/`, app.url);
      expect(await isLoggedIn(other)).toBe(false);
    }
    expect(await isLoggedIn()).toBe(true);
  });

  it("ends after 8 hours", async () => {
    const clock = { time: 0 };
    const sessions = createSessions(() => clock.time);
    const tokens = { accessToken: "a", refreshToken: null };
    const request = (cookie: string) => ({ headers: { cookie } });
    const cookie = sessions.begin(request(""), tokens)["set-cookie"].split(";", 1)[0] ?? "";
    clock.time = 8 * 3_600_000 - 1;
    expect(sessions.find(request(`other=1; ${cookie}`))?.tokens).toBe(tokens);
    clock.time += 1;
    expect(sessions.find(request(cookie))).toBe(undefined);
  });
});

it("C12: no secret, token or verifier is in any page, address or cookie", async () => {
  const seen: Answer[] = [];
  const visit = async (url: string) => {
    const answer = await browser.get(url);
    seen.push(answer);
    return answer;
  };
  const goThrough = async () => visit(platform.approve((await visit(`${app.url}/login`)).location));
  await goThrough();
  await visit(`${app.url}/projects`);
  const echo = ({ body }: { readonly body: unknown }) => ({
    status: 400,
    body: { error: "invalid_request", error_description: JSON.stringify(body) },
  });
  platform.answerToken = echo;
  await goThrough();
  platform.isGood = () => false;
  await visit(`${app.url}/projects`);
  expect(seen.map(({ status }) => status)).toEqual([302, 302, 200, 302, 502, 502]);
  const shown = JSON.stringify(seen.map(({ headers, body }) => [[...headers], body]));
  const verifiers = platform.tokenCalls.map(({ body }) => body?.code_verifier ?? "");
  const secrets = [
    issued.clientSecret,
    issued.appSecret,
    ...platform.accessTokens,
    ...platform.refreshTokens,
    ...verifiers,
  ];
  expect(secrets.filter((secret) => secret !== "")).toHaveLength(6);
  for (const secret of secrets.filter((one) => one !== "")) expect(shown).not.toContain(secret);
  const bodies = seen.map(({ body, location }) => body + location).join("");
  for (const { value } of await browser.jar.getCookies(app.url)) expect(bodies).not.toContain(value);
});

it("the style of a page is where its link leads", async () => {
  for (const path of ["/oauth/callback?state=x", "/projects"]) {
    if (path === "/projects") await logIn();
    const { body } = await browser.get(app.url + path);
    const link = load(body)("link[rel=stylesheet]").attr("href") ?? "";
    const style = await fetch(new URL(link, app.url + path));
    expect([link.startsWith("/"), style.status, style.headers.get("content-type")]).toEqual([
      false,
      200,
      "text/css; charset=utf-8",
    ]);
  }
});
