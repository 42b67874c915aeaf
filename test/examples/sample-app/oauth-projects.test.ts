import { load } from "cheerio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SampleApp, startSampleApp } from "../../../examples/sample-app/app.js";
import {
  type Answer,
  type Browser,
  type Call,
  type OAuthPlatform,
  openBrowser,
  projects,
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
  browser = await loggedIn();
});

afterEach(async () => {
  await app.close();
  await platform[Symbol.asyncDispose]();
});

async function loggedIn(): Promise<Browser> {
  const opened = openBrowser();
  const { location } = await opened.get(`${app.url}/login`);
  expect((await opened.get(platform.approve(location))).location).toBe("/projects");
  return opened;
}

function openProjects(who = browser): Promise<Answer> {
  return who.get(`${app.url}/projects`);
}

function namesOn({ status, body }: Answer): string[] {
  expect(status).toBe(200);
  const $ = load(body);
  return $("li")
    .map((_, item) => $(item).text())
    .get();
}

/** A page without a list, that leads to the login only if the user clicks. */
function expectErrorPage(answer: Answer, status: number, text: string): void {
  const $ = load(answer.body);
  expect([answer.status, answer.location, $("h1").text()]).toEqual([status, "", "Your projects cannot be shown"]);
  expect([$("li").length, $("p").first().text(), $("a").attr("href")]).toEqual([0, text, `${app.url}/login`]);
}

/** From now on the API takes none of the tokens that were given out so far. */
function expireTokens(): void {
  const expired = new Set(platform.accessTokens);
  platform.isGood = (token) => platform.accessTokens.includes(token) && !expired.has(token);
}

function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Lets the API answer nothing before so many calls have come. */
function answerTogether(count: number): void {
  const together = createGate();
  platform.answerApi = async (call) => {
    if (platform.apiCalls.length === count) together.open();
    await together.opened;
    return platform.listProjects(call);
  };
}

/** Holds the API's next answer back; only that one. */
function holdNextAnswer(): { readonly asked: Promise<void>; release(): void } {
  const asked = createGate();
  const released = createGate();
  platform.answerApi = async (call) => {
    platform.answerApi = platform.listProjects;
    asked.open();
    const reply = platform.listProjects(call);
    await released.opened;
    return reply;
  };
  return { asked: asked.opened, release: released.open };
}

const refreshes = () => platform.tokenCalls.filter(({ body }) => body?.grant_type === "refresh_token");
const bearerOf = ({ headers }: Call) => headers.authorization;
const names = ["Garden", "Shop <b>&amp;</b> 'co'"];
const ended = "Your login at the platform has ended.";

describe("the projects (interface 4.1, 5.4)", () => {
  it("are asked for with the access token, and their names shown as they are", async () => {
    expect(namesOn(await openProjects())).toEqual(names);
    expect(platform.apiCalls).toMatchObject([
      { method: "GET", path: "/api/v2/projects", headers: { authorization: `Bearer ${platform.accessTokens[0]}` } },
    ]);
  });

  it("are those of the browser's own user", async () => {
    platform.isGood = () => true;
    const other = await loggedIn();
    await openProjects(other);
    await openProjects();
    expect(platform.apiCalls.map(bearerOf)).toEqual([
      `Bearer ${platform.accessTokens[1]}`,
      `Bearer ${platform.accessTokens[0]}`,
    ]);
  });

  it.each([
    ["nobody", undefined],
    ["an unknown session", "sample_app_session=unknown"],
    ["an empty session", "sample_app_session="],
    ["__proto__", "sample_app_session=__proto__"],
  ])("send %s to the login, without a call", async (_who, cookie) => {
    const other = openBrowser();
    if (cookie !== undefined) await other.jar.setCookie(`${cookie}; Path=/`, app.url);
    const { status, location } = await openProjects(other);
    expect([status, location, platform.apiCalls]).toEqual([302, "/login", []]);
  });

  it("may be none", async () => {
    platform.answerApi = () => ({ status: 200, body: { data: [] } });
    const { status, body } = await openProjects();
    const $ = load(body);
    expect([status, $("ul").length, $("p").text()]).toEqual([200, 0, "There are none that you may see."]);
  });

  it("are requested from an API at another address, and nothing else is", async () => {
    await using api = await startOAuthPlatform();
    api.isGood = () => true;
    await app.close();
    app = await startSampleApp({ ...issued, authUrl: platform.url, apiUrl: `${api.url}/rest/` });
    api.answerToken = () => ({ status: 200, body: projects });
    const { location } = await browser.get(`${app.url}/login`);
    await browser.get(platform.approve(location));
    expect(namesOn(await openProjects())).toEqual(names);
    expect(platform.apiCalls).toEqual([]);
    expect([...api.apiCalls, ...api.tokenCalls].map(({ path }) => path)).toEqual(["/rest/api/v2/projects"]);
  });

  it("are on a page that loads nothing but its style and cannot be framed", async () => {
    const { headers } = await openProjects();
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get("cache-control")).toBe("no-store");
  });

  const form = "is not in a form that this app knows.";

  it.each<[what: string, reply: Reply, message: string]>([
    ["403", { status: 403, body: { error: { message: "scope", code: 403 } } }, "answered 403."],
    ["429", { status: 429, headers: { "retry-after": "1" } }, "answered 429."],
    ["500", { status: 500, body: "<p>Oh" }, "answered 500."],
    ["HTML", { status: 200, body: "<!doctype html>" }, form],
    ["null", { status: 200, body: "null" }, form],
    ["no data", { status: 200, body: {} }, form],
    ["data that is no array", { status: 200, body: { data: {} } }, form],
    ["a project that is null", { status: 200, body: { data: [null] } }, "holds a project without a name."],
    ["a project without data", { status: 200, body: { data: [{ name: "x" }] } }, "holds a project without a name."],
    [
      "a name that is no text",
      { status: 200, body: { data: [{ data: { name: 1 } }] } },
      "holds a project without a name.",
    ],
    [
      "a redirect",
      { status: 302, headers: { location: "/elsewhere" } },
      "cannot be reached, or broke off, or sent this app elsewhere. Try again later.",
    ],
  ])("C7: are an error page after %s, and the user stays logged in", async (_what, reply, message) => {
    platform.answerApi = () => reply;
    expectErrorPage(await openProjects(), 502, `The platform's list of projects ${message}`);
    expect([platform.apiCalls.length, refreshes().length]).toEqual([1, 0]);
    platform.answerApi = platform.listProjects;
    expect(namesOn(await openProjects())).toEqual(names);
  });
});

describe("the refresh (interface 5.3)", () => {
  it("C9: an API that says 401 gets one refresh and one retry", async () => {
    expireTokens();
    expect(namesOn(await openProjects())).toEqual(names);
    expect(refreshes()).toMatchObject([
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: {
          client_id: issued.clientId,
          client_secret: issued.clientSecret,
          refresh_token: platform.refreshTokens[0],
        },
      },
    ]);
    expect(platform.apiCalls.map(bearerOf)).toEqual(platform.accessTokens.map((token) => `Bearer ${token}`));
  });

  it("C9: an API that answers the new token with 401, too, gets no further try", async () => {
    platform.isGood = () => false;
    expectErrorPage(await openProjects(), 502, "The platform's list of projects answered 401.");
    expect([refreshes().length, platform.apiCalls.length]).toEqual([1, 2]);
  });

  it("C8: the rotated refresh token is the one that is sent next", async () => {
    for (const _ of [1, 2, 3]) {
      expireTokens();
      expect(namesOn(await openProjects())).toEqual(names);
    }
    expect(refreshes().map(({ body }) => body?.refresh_token)).toEqual(platform.refreshTokens.slice(0, 3));
  });

  it("C8: a refresh token that is not rotated stays good", async () => {
    platform.answerToken = (call) => {
      const reply = platform.grant(call);
      const { refresh_token, ...others } = reply.body as Record<string, unknown>;
      platform.refreshTokens.splice(1);
      return { ...reply, body: others };
    };
    for (const _ of [1, 2]) {
      expireTokens();
      expect(namesOn(await openProjects())).toEqual(names);
    }
    expect(refreshes().map(({ body }) => body?.refresh_token)).toEqual(Array(2).fill(platform.refreshTokens[0]));
  });

  it("C8: 20 parallel requests share one refresh", async () => {
    expireTokens();
    answerTogether(20);
    const answers = await Promise.all(Array.from({ length: 20 }, () => openProjects()));
    for (const answer of answers) expect(namesOn(answer)).toEqual(names);
    expect([refreshes().length, platform.apiCalls.length]).toEqual([1, 40]);
  });

  it("C8: a request that learns too late that its token is old uses the new one, without a refresh", async () => {
    expireTokens();
    const held = holdNextAnswer();
    const slow = openProjects();
    await held.asked;
    expect(namesOn(await openProjects())).toEqual(names);
    held.release();
    expect(namesOn(await slow)).toEqual(names);
    expect(refreshes()).toHaveLength(1);
  });

  it("C8: each session has its own refresh", async () => {
    platform.isGood = () => true;
    const other = await loggedIn();
    const refreshTokens = [...platform.refreshTokens];
    expireTokens();
    let count = 0;
    platform.answerToken = () => {
      count += 1;
      platform.accessTokens.push(`new-${count}`);
      return { status: 200, body: { access_token: `new-${count}`, token_type: "bearer" } };
    };
    for (const answer of await Promise.all([openProjects(), openProjects(other)]))
      expect(namesOn(answer)).toEqual(names);
    expect(
      refreshes()
        .map(({ body }) => body?.refresh_token)
        .sort(),
    ).toEqual(refreshTokens.sort());
  });

  it("C8: invalid_grant ends the session for all waiting requests, with a page and without a loop", async () => {
    expireTokens();
    platform.answerToken = () => ({ status: 400, body: { error: "invalid_grant" } });
    answerTogether(5);
    for (const answer of await Promise.all(Array.from({ length: 5 }, () => openProjects()))) {
      expectErrorPage(answer, 403, ended);
    }
    expect((await openProjects()).location).toBe("/login");
    expect([refreshes().length, platform.apiCalls.length]).toEqual([1, 5]);
  });

  it("C8: a request that learns too late that the session has ended makes no refresh", async () => {
    expireTokens();
    platform.answerToken = () => ({ status: 400, body: { error: "invalid_grant" } });
    const held = holdNextAnswer();
    const slow = openProjects();
    await held.asked;
    expectErrorPage(await openProjects(), 403, ended);
    held.release();
    expectErrorPage(await slow, 403, ended);
    expect(refreshes()).toHaveLength(1);
  });

  it("C8: a platform that gave no refresh token is not asked for a refresh", async () => {
    platform.answerToken = (call) => {
      const reply = platform.grant(call);
      return { ...reply, body: { ...(reply.body as object), refresh_token: undefined } };
    };
    browser = await loggedIn();
    expireTokens();
    expectErrorPage(await openProjects(), 403, ended);
    expect([refreshes().length, (await openProjects()).location]).toEqual([0, "/login"]);
  });

  it.each<[what: string, reply: Reply, message: string]>([
    ["500", { status: 500 }, "answered 500."],
    ["HTML", { status: 200, body: "<p>" }, "answered 200, but without a bearer token."],
    ["invalid_client", { status: 401, body: { error: "invalid_client" } }, "answered 401: invalid_client."],
  ])("C8: after %s the user stays logged in, and the next request tries again", async (_what, reply, message) => {
    expireTokens();
    platform.answerToken = () => reply;
    expectErrorPage(await openProjects(), 502, `The platform's token endpoint ${message}`);
    expect([refreshes().length, platform.apiCalls.length]).toEqual([1, 1]);
    platform.answerToken = platform.grant;
    expect(namesOn(await openProjects())).toEqual(names);
  });
});
