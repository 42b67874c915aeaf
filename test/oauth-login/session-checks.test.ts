import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/journal/exchange.ts";
import type { AppVisit, LoginLanding, OAuthLoginFacts } from "../../src/oauth-login/checks/login-facts.ts";
import { cookiesToTry } from "../../src/oauth-login/checks/session-checks.ts";
import {
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

/** The shortest value that is taken for a session. */
const SESSION = "0123456789abcdef";
const OTHER = "fedcba9876543210";
const strict = `session=${SESSION}; Path=/; HttpOnly; SameSite=Strict`;
const lax = `session=${SESSION}; Path=/; HttpOnly; SameSite=Lax`;
const sent = `session=${SESSION}`;

const home = `${site}/home`;
const callback = (cookies: readonly string[], location = "/home") =>
  browsed(`${redirectUri}?code=c`, cookies, { location });
/** The page on which a login ends, to which the browser sends these cookies. */
const last = (cookies = sent) => browsed(home, [], { sent: cookies });
/** A page in the app that opens the next by a script or a refresh. */
const leadingOn = browsed(`${site}/welcome`, [], { sent });

const endedBy = (...own: Exchange[]): AppVisit => ({ ...visit(page(200), [request("exchange"), request("api")]), own });
const login = (own: readonly Exchange[], trial: OAuthLoginFacts["trial"] = null): OAuthLoginFacts => ({
  ...good,
  callback: endedBy(...own),
  trial,
});
/** The page opened again without cookies, and with them. */
const tried = (without: AppVisit | LoginLanding, control: AppVisit | LoginLanding = page(200), names = ["session"]) => {
  const visitOf = (end: AppVisit | LoginLanding) => ("kind" in end ? visit(end) : end);
  return { names, without: visitOf(without), control: visitOf(control) };
};
const callingApi = visit(page(200), [request("api")]);

describe("the session cookie after a login", () => {
  const needed = tried(page(401, "Log in"));
  const kept = (own: readonly Exchange[], trial: OAuthLoginFacts["trial"] = needed) =>
    verdictOf("oauth.session.kept", login(own, trial));
  const usual = [callback([strict]), last()];

  it.each<[without: string, trial: OAuthLoginFacts["trial"], end: string]>([
    ["the app answers an error", needed, "answered 401: Log in"],
    ["the app shows another text", tried(page(200, "Log in")), "answered 200: Log in"],
    ["the app shows another page", tried({ ...page(200), url: `${site}/login` }), "answered 200: Hello"],
    ["the app begins the login again", tried(toPlatform), "sent the user to the platform again"],
    ["the app does not answer", tried(trouble), "did not answer properly: nothing listens"],
    ["the app shows the same, but does not call the API", tried(page(200), callingApi), "answered 200: Hello"],
  ])("is reported if it is Strict, and without it %s", (_, trial, end) => {
    expect(kept(usual, trial)).toEqual({
      result: "warn",
      message: `without the cookie session, which is SameSite=Strict, the callback does not reach this page: the app ${end}`,
      hint: "a browser that returns from another site does not send it with the callback's redirects: use Lax",
    });
  });

  it.each<[what: string, trial: OAuthLoginFacts["trial"]]>([
    ["the page is the same without it", tried(page(200))],
    ["the page differs without it in its query only", tried({ ...page(200), url: `${home}?at=1` })],
    ["the page calls the API without it, too", tried(callingApi, callingApi)],
    ["only the page without it calls the API", tried(callingApi)],
    ["the page changes each time it is opened", tried(page(200, "10:02"), page(200, "10:01"))],
    ["the page was not opened again", null],
  ])("passes if it is Strict, but %s", (_, trial) => {
    expect(kept(usual, trial)).toMatchObject({ result: "pass", message: "browsers send the session cookie" });
  });

  const settings = browsed(`${site}/settings`, [], { location: "/home" });
  it.each<[what: string, own: Exchange[]]>([
    ["by the second redirect", [callback([]), browsed(`${site}/welcome`, [strict], { location: "/home" }), last()]],
    ["and sent to the last address only", [callback([strict]), settings, last()]],
    ["and sent to the next address only", [callback([strict]), { ...settings, request: last().request }, last("")]],
    ["by each answer", [callback([strict]), { ...settings, response: callback([strict]).response }, last()]],
    ["beside a cookie that is Lax", [callback(["theme=dark; Path=/", strict]), last(`theme=dark; ${sent}`)]],
  ])("is reported if it is Strict, was set %s, and the page needs it", (_, own) => {
    expect(kept(own)).toMatchObject({ result: "warn", message: expect.stringMatching(/^without the cookie session,/) });
  });

  it.each<[what: string, own: Exchange[]]>([
    ["it is Lax", [callback([lax]), last()]],
    ["the browser does not send it again", [callback([strict]), last("")]],
    ["another value replaces it on the way", [callback([strict]), last(`session=${OTHER}`)]],
    ["only requests before sent its value", [{ ...callback([strict]), request: last().request }, last("")]],
    ["the page itself sets it", [callback([]), browsed(home, [strict], { sent })]],
    ["the app's own page leads on from the callback", [browsed(redirectUri, [strict]), last()]],
    ["the app's own page leads on after a redirect", [callback([strict], "/welcome"), leadingOn, last()]],
  ])("passes, whatever the page needs, if %s", (_, own) => {
    expect(kept(own)).toMatchObject({ result: "pass" });
  });

  it("is reported if browsers do not store it, whether or not the page needs it", () => {
    const open = `session=${SESSION}; Path=/; SameSite=None`;
    const own = [callback([open, "csrf=1; Path=/; SameSite=None"]), browsed(home, [open])];
    expect(kept(own, null)).toEqual({
      result: "warn",
      message: "the cookie session, csrf is SameSite=None without Secure",
      hint: "browsers do not store such a cookie: use SameSite=Lax",
    });
  });

  it("is not judged in a login without tokens", () => {
    const refused = visit(page(400), [request("exchange", { error: "invalid_grant" })]);
    const facts = { ...good, callback: { ...refused, own: usual }, trial: needed };
    expect(verdictOf("oauth.session.kept", facts)).toBeUndefined();
    expect(verdictOf("oauth.session.in-address", facts)).toBeUndefined();
  });
});

describe("the session in an address", () => {
  const inAddress = (own: readonly Exchange[], trial: OAuthLoginFacts["trial"] = null, start = good.start) =>
    verdictOf("oauth.session.in-address", { ...login(own, trial), start });
  const at = (location: string, ...cookies: string[]) => [callback(cookies, location), last()];
  const visible = (name: string, value: string) => `${name}=${value}; Path=/`;
  const scripted = browsed(`${home}?s=${SESSION}`, [], { sent });

  it.each<[what: string, own: Exchange[]]>([
    ["in the query of a redirect", at(`/home?s=${SESSION}`, lax)],
    ["in the fragment of a redirect", at(`/home#s=${SESSION}`, lax)],
    ["in the address of a page that a script opens", [browsed(redirectUri, [lax]), scripted]],
    ["although scripts can read the cookie", at(`/home?s=${SESSION}`, visible("session", SESSION))],
    [
      "beside a cookie that scripts can read",
      at(`/home?s=${SESSION}`, lax, visible("tracking", "a-long-value-that-tracks")),
    ],
    ["beside a short cookie", at(`/home?s=${SESSION}`, lax, "csrf=short; HttpOnly")],
    ["beside a cookie that the app deleted", at(`/home?s=${SESSION}`, lax, `old=${OTHER}; HttpOnly; Max-Age=0`)],
    ["decoded", at("/home?s=a/long/session/id", "session=a%2Flong%2Fsession%2Fid; HttpOnly")],
    ["encoded", at("/home?s=a%2Flong%2Fsession%2Fid", "session=a/long/session/id; HttpOnly")],
    ["and is not percent-encoded", at("/home?s=100%-long-session", "session=100%-long-session; HttpOnly")],
  ])("is reported: %s", (_, own) => {
    expect(inAddress(own)).toEqual({
      result: "warn",
      message: "the value of the cookie session is in a URL of the app",
      hint: "URLs end up in histories and logs: keep the session only in its cookie",
    });
  });

  it("is reported if the login began with its cookie", () => {
    expect(inAddress(at(`/home?s=${SESSION}`), null, begun(lax))).toMatchObject({ result: "warn" });
  });

  it.each<[what: string, own: Exchange[]]>([
    ["its cookie alone has it", at("/home", lax)],
    ["a value in a URL is short enough to be there by chance", at("/home?n=0123456789abcde", "n=0123456789abcde")],
    ["the cookie holds the page to show", at("/projects/of/the/user", "page=/projects/of/the/user; HttpOnly")],
    ["it holds that page's URL", at("/?to=https%3A%2F%2Fa.example", "page=https%3A%2F%2Fa.example; HttpOnly")],
    ["the state is in the callback's own address", [browsed(`${redirectUri}?state=${SESSION}`, [lax]), last()]],
    ["another cookie is the session", at(`/home?organization=${OTHER}`, lax, visible("organization", OTHER))],
    [
      "any of several cookies may be the session",
      at(`/home?organization=${OTHER}`, visible("organization", OTHER), visible("session", SESSION)),
    ],
    ["the cookie was deleted", at(`/home?s=${SESSION}`, `session=${SESSION}; Max-Age=0`)],
    [
      "the page deletes its cookie",
      [callback([lax], `/home?s=${SESSION}`), browsed(home, ["session=; Path=/; Max-Age=0"], { sent })],
    ],
    ["the app does not answer at the last address", [callback([lax]), { ...last(), response: null }]],
  ])("passes if %s", (_, own) => {
    expect(inAddress(own)).toMatchObject({ result: "pass", message: "the session is not in any URL" });
  });

  describe("with several cookies, any of which may be the session", () => {
    const several = at(`/home?o=${OTHER}`, visible("session", SESSION), visible("other", OTHER));

    it("is reported if the page needs the cookie whose value is in the address", () => {
      expect(inAddress(several, tried(page(401), page(200), ["other"]))).toMatchObject({
        result: "warn",
        message: "the value of the cookie other is in a URL of the app",
      });
    });

    it.each<[what: string, trial: OAuthLoginFacts["trial"]]>([
      ["the page is the same without the cookie", tried(page(200), page(200), ["other"])],
      ["the page needs a cookie that is in no address", tried(page(401), page(200), ["session"])],
      ["the page needs one of two cookies, of which one is in no address", tried(page(401), page(200), ["other", "x"])],
    ])("passes if %s", (_, trial) => {
      expect(inAddress(several, trial)).toMatchObject({ result: "pass" });
    });
  });
});

describe("the cookies that a page is opened without, to see whether it needs them", () => {
  const own = [callback([strict]), last()];
  const inUrl = [callback([lax], `/home?s=${SESSION}`), last()];

  it.each<[what: string, visit: AppVisit, names: string[]]>([
    ["Strict ones, set on the way", endedBy(...own), ["session"]],
    ["ones whose value is in an address", endedBy(...inUrl), ["session"]],
    ["each of them once", endedBy(...inUrl.slice(0, 1), callback([lax]), last()), ["session"]],
    ["one that is both, once", endedBy(callback([strict], `/home?s=${SESSION}`), last()), ["session"]],
    [
      "Strict ones alone, so that nothing else explains what changes",
      endedBy(callback([strict, `organization=${OTHER}; Path=/`], `/home?o=${OTHER}`), last()),
      ["session"],
    ],
  ])("are %s", (_, callbackVisit, names) => {
    expect(cookiesToTry(callbackVisit)).toEqual({ page: home, names });
  });

  it.each<[what: string, visit: AppVisit | null]>([
    ["there was no callback", null],
    ["no cookie is suspicious", endedBy(callback([lax]), last())],
    ["a value in an address is too short for a session", endedBy(callback(["n=1234567"], "/home?n=1234567"), last())],
    ["the login ended on an error page", { ...endedBy(...own), landing: page(403) }],
    ["the login ended on the platform", { ...endedBy(...own), landing: toPlatform }],
    [
      "the callback is the page, whose code is used up",
      { ...endedBy(...own), landing: { ...page(200), url: redirectUri } },
    ],
  ])("are none if %s", (_, callbackVisit) => {
    expect(cookiesToTry(callbackVisit)).toBeNull();
  });
});
