import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/journal/exchange.ts";
import type { LoginLanding, OAuthLoginFacts, PlatformRequest } from "../../src/oauth-login/checks/login-facts.ts";
import {
  authorization,
  begun,
  browsed,
  good,
  page,
  redirectUri,
  request,
  site,
  toPlatform,
  trouble,
  verdictOf,
  visit,
} from "./made-facts.ts";

const exchange = request("exchange");
const api = request("api");
const answered = (landing: LoginLanding, ...requests: PlatformRequest[]): OAuthLoginFacts => ({
  ...good,
  callback: visit(landing, requests),
});
const callback = (facts: OAuthLoginFacts) => verdictOf("oauth.callback", facts);

describe("the callback of a login", () => {
  it("passes if the app answers with a page", () => {
    expect(callback(good)).toEqual({ result: "pass", message: "the app answered 200", hint: null });
  });

  it.each<[what: string, landing: LoginLanding, message: string]>([
    ["an error page", page(500, "Oops"), "the app answered 500: Oops"],
    ["an error page without text", page(500, ""), "the app answered 500"],
    ["another login", toPlatform, "the app sent the user to the platform again"],
    ["no answer", trouble, "nothing listens"],
  ])("is blamed for %s, unless the platform refused a request before", (_, landing, message) => {
    const refused = request("exchange", { error: "invalid_grant" });
    const refusedCall = request("api", { error: "404" });
    expect(callback(answered(landing, exchange, api))).toMatchObject({ result: "fail", message });
    expect(callback(answered(landing, refused))).toMatchObject({
      result: "skip",
      message: `after the refused exchange, ${message}`,
    });
    expect(callback(answered(landing, exchange, refusedCall))).toMatchObject({
      result: "skip",
      message: `after the refused call to the API, ${message}`,
    });
    expect(callback(answered(landing, exchange, refusedCall, api))).toMatchObject({ result: "fail", message });
  });
});

describe("the hint for a callback that fails", () => {
  const hint = (facts: OAuthLoginFacts) => callback(facts)?.hint;

  it.each<[what: string, facts: OAuthLoginFacts, expected: string | RegExp | null]>([
    ["does not answer: how to reach it", answered({ ...trouble, hint: "start the app" }, exchange), "start the app"],
    ["does not answer, of which nothing is known", answered(trouble, exchange), null],
    [
      "begins another login",
      answered(toPlatform, exchange),
      "did the app lose the login, perhaps because a cookie is missing?",
    ],
    ["breaks", answered(page(500)), "look in the app's own log"],
    ["answers an error after it got tokens", answered(page(499), exchange), "look in the app's own log"],
    ["has no page there", answered(page(404)), /^the app's redirect_uri is http:\/\/127\.0\.0\.1:3000\/callback: does/],
    [
      "takes no GET there",
      answered(page(405)),
      /^the app's redirect_uri is http:\/\/127\.0\.0\.1:3000\/callback: does/,
    ],
    [
      "set no cookie before",
      { ...answered(page(400)), start: begun() },
      /^the login started without a cookie, so the browser sends none with the callback/,
    ],
    [
      "sent no state",
      { ...answered(page(400)), authorization: authorization({ state: undefined }) },
      "the app sent no state, so its callback has none: does it look for one?",
    ],
    ["set a cookie and sent a state", answered(page(499)), "does the app compare the state with the one that it sent?"],
  ])("fits an app that %s", (_, facts, expected) => {
    const says = expected instanceof RegExp ? expect.stringMatching(expected) : expected;
    expect(hint(facts)).toEqual(says);
  });

  const startedWith = (...cookies: string[]) => hint({ ...answered(page(400)), start: begun(...cookies) });

  it.each<[what: string, cookie: string, why: string]>([
    ["is for other addresses", "login=x", "the cookie login has no Path, so it is only for the addresses below /auth"],
    ["is deleted as it is set", "login=x; Max-Age=0", "the cookie login has Max-Age=0, which deletes it"],
  ])("names the cookie of the login that %s", (_, cookie, why) => {
    expect(startedWith(cookie)).toBe(`${why}: a browser does not send it to redirect_uri, ${redirectUri}`);
  });

  it("names no cookie of the login if another one is sent", () => {
    expect(startedWith("login=x", "state=y; Path=/", "old=z; Max-Age=0")).toMatch(/^does the app compare the state/);
  });
});

describe("the hint for a callback whose redirects lose a cookie", () => {
  /** The shortest value that is taken for a session. */
  const SESSION = "0123456789abcdef";
  const deleted = `session=${SESSION}; Path=/; Max-Age=0`;
  const OWN_LOG = "look in the app's own log";
  const hint = (own: readonly Exchange[], start = good.start) =>
    callback({ ...good, start, callback: { ...visit(page(401), [exchange]), own } })?.hint;
  const redirected = (...cookies: string[]) => browsed(redirectUri, cookies, { location: "/welcome" });
  const next = (...cookies: string[]) => browsed(`${site}/welcome`, cookies, { location: "/home" });
  const last = (...cookies: string[]) => browsed(`${site}/home`, cookies);

  const path = "the cookie session has Path=/app, and /welcome is not below it";
  const later = "the cookie session has Path=/app, and /home is not below it";
  const gone = "the cookie session has Max-Age=0, which deletes it";
  it.each<[what: string, own: Exchange[], why: string]>([
    ["the first redirect sets for other addresses", [redirected("session=x; Path=/app"), next(), last()], path],
    ["the second redirect sets for other addresses", [redirected(), next("session=x; Path=/app"), last()], later],
    ["a redirect deletes as it sets it", [redirected(deleted), last()], gone],
    ["a redirect deletes after one on purpose", [redirected("old=; Path=/; Max-Age=0", deleted), last()], gone],
  ])("names the one that %s", (_, own, why) => {
    expect(hint(own)).toBe(`${why}: a browser does not send it to the address that the callback redirects to`);
  });

  it.each<[what: string, own: Exchange[], start?: OAuthLoginFacts["start"]]>([
    ["is sent on", [redirected("session=x; Path=/"), last()]],
    ["is deleted on purpose, without a value", [redirected("session=; Path=/; Max-Age=0"), last()]],
    ["has too short a value for a session", [redirected("session=0123456789abcde; Max-Age=0"), last()]],
    ["is deleted after the login began with it", [redirected(deleted), last()], begun(`session=${SESSION}; Path=/`)],
    ["is deleted after an earlier redirect set it", [redirected(`session=${SESSION}; Path=/`), next(deleted), last()]],
    ["is deleted beside one that is sent on", [redirected(deleted, "user=x; Path=/"), last()]],
    ["the last page sets", [redirected(), last(deleted)]],
  ])("does not name one that %s", (_, own, start) => {
    expect(hint(own, start)).toBe(OWN_LOG);
  });
});
