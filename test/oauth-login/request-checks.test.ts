import { describe, expect, it } from "vitest";
import { recordBody } from "../../src/journal/journal.ts";
import { METHOD_MISSING } from "../../src/oauth/rules/oauth-authorize.ts";
import { queryParameters } from "../../src/oauth/rules/oauth-parameters.ts";
import { malformation } from "../../src/oauth/rules/pkce.ts";
import {
  type Authorization,
  type LoginLanding,
  type OAuthLoginFacts,
  sentParameter,
} from "../../src/oauth-login/checks/login-facts.ts";
import { guessable } from "../../src/oauth-login/checks/request-checks.ts";
import {
  app,
  asked,
  authorization,
  bare,
  begun,
  browsed,
  good,
  page,
  platform,
  redirectUri,
  site,
  toPlatform,
  trouble,
  verdictOf,
  visit,
} from "./made-facts.ts";

const OWN_LOG = "look in the app's own log";
const endpoint = `${platform}/oauth/authorize`;

describe("the start of a login", () => {
  const start = (landing: LoginLanding) =>
    verdictOf("oauth.start", { ...good, authorization: null, start: visit(landing), callback: null });
  const address = "--start, or else verify.oauth.start of the configuration, is the address of the app's login button";
  const linking = (...links: string[]) => ({ ...page(200), links: links.map((path) => `${site}${path}`) });

  it("passes if the app sends the user to the platform", () => {
    expect(verdictOf("oauth.start", good)).toMatchObject({
      result: "pass",
      message: "the app sends the user to the platform",
    });
  });

  it("is judged by why the app did not answer", () => {
    expect(start({ ...trouble, hint: "start it" })).toEqual({
      result: "fail",
      message: "nothing listens",
      hint: "start it",
    });
  });

  it("names both addresses if the app sends the user to another one of the platform", () => {
    expect(start({ kind: "platform", url: `${platform}/oauth/auth?state=x` })).toEqual({
      result: "fail",
      message: `the app sends the user to ${platform}/oauth/auth, but the authorization endpoint is ${endpoint}`,
      hint: "the path is {auth_url}/oauth/authorize (interface 4.1)",
    });
  });

  it.each(["/oauth/authorize", "/oauth/authorize/", "/undefined/oauth/authorize"])(
    "says which setting the app lacks if it sends the user to its own %s",
    (path) => {
      expect(start({ ...page(404), url: `${site}${path}?state=x` })).toEqual({
        result: "fail",
        message: `the app sends the user to ${site}${path}, which is its own address, not to ${endpoint}`,
        hint: expect.stringMatching(/PLATFORM_AUTH_URL is probably not set in the app's environment/),
      });
    },
  );

  it.each<[what: string, landing: LoginLanding, message: string, hint: string]>([
    ["a page", page(404, "Gone"), "answered 404, not with a redirect to", address],
    ["a page below such an address", { ...page(404), url: `${site}/docs/oauth/authorize` }, "answered 404,", address],
    ["a page above it", { ...page(404), url: `${site}/oauth/authorize/more` }, "answered 404,", address],
    ["a redirect that leads nowhere", page(300), "answered 300,", address],
    ["an error", page(499), "answered 499,", address],
    ["an error of the server", page(500), "answered 500,", OWN_LOG],
    [
      "a page that needs a script",
      page(299),
      "answered 299,",
      `${address}; if a script makes it, open it in a browser while \`app-sim serve\` runs`,
    ],
    [
      "a page with links to something else",
      linking("/help"),
      "answered 200,",
      `${address}; if a script makes it, open it in a browser while \`app-sim serve\` runs`,
    ],
    [
      "a page with a link to a login",
      linking("/help", "/Login?next=1"),
      "answered 200,",
      `${address}; this page links to /Login`,
    ],
  ])("says where a login may start if the app shows %s", (_, landing, message, hint) => {
    expect(start(landing)).toEqual({ result: "fail", message: expect.stringContaining(`the app ${message}`), hint });
  });

  it.each([
    [["/log-in", "/login"], "/log-in, /login"],
    [["/sign-in", "/signin", "/help"], "/sign-in, /signin"],
    [["/auth", "/connect"], "/auth, /connect"],
    [["/login?a", "/login?b", "/auth/1", "/auth/2", "/auth/3"], "/login, /auth/1, /auth/2"],
  ])("names up to three links that may begin a login, each once: %s", (links, named) => {
    expect(start(linking(...links))?.hint).toBe(`${address}; this page links to ${named}`);
  });

  it.each([
    ["Hello", "; the page says: Hello"],
    ["", ""],
  ])("quotes the text of the page, if there is any: %j", (text, quoted) => {
    expect(start(page(404, text))?.message).toBe(`the app answered 404, not with a redirect to ${endpoint}${quoted}`);
  });
});

describe("the authorization request", () => {
  const request = (changes: Partial<Authorization>, facts: Partial<OAuthLoginFacts> = {}) => {
    const all = { ...good, authorization: { ...authorization(), ...changes }, ...facts };
    return verdictOf("oauth.request", all);
  };
  const error = (name: string, reason: string) =>
    ({ verdict: { kind: "error", error: name, reason, location: redirectUri } }) as const;
  const refused = { kind: "refused", reason: "no such app", hint: "send the client id" } as const;

  it("passes if the platform asks the user", () => {
    expect(request({})).toMatchObject({ result: "pass", message: "the platform accepts the request" });
  });

  it("is reported with the reason and the hint of the platform's error page", () => {
    expect(request({ verdict: refused })).toEqual({
      result: "fail",
      message: "no such app",
      hint: "send the client id",
    });
  });

  it.each<[what: string, sent: string | undefined]>([
    ["another redirect_uri", "http://127.0.0.1:3000/other"],
    ["no redirect_uri", undefined],
  ])("is not reported for %s, which has a check of its own", (_, redirect_uri) => {
    expect(request({ ...authorization({ redirect_uri }), verdict: refused })).toBeUndefined();
  });

  const malformed = authorization({ code_challenge: "short" });
  const withoutPadding = "code_challenge is BASE64URL(SHA256(code_verifier)) without padding";
  it.each<[what: string, changes: Partial<Authorization>, hint: string | null]>([
    [
      "without the method of its challenge",
      error("invalid_request", METHOD_MISSING),
      "add code_challenge_method=S256: the challenge is then the SHA-256 hash of the verifier",
    ],
    [
      "for a malformed challenge",
      { ...malformed, ...error("invalid_request", `code_challenge ${malformation("short")}`) },
      withoutPadding,
    ],
    ["for something else, beside a malformed challenge", { ...malformed, ...error("invalid_request", "no") }, null],
    ["for something else", error("invalid_request", "no"), null],
    ["for something else, without PKCE", { ...authorization(bare), ...error("invalid_request", "no") }, null],
  ])("has a hint that fits, if it is refused %s", (_, changes, hint) => {
    expect(request(changes)).toMatchObject({
      result: "fail",
      hint,
      message: expect.stringMatching(/^invalid_request: /),
    });
  });

  it.each<[what: string, scopes: string[], hint: RegExp]>([
    ["registered", ["project", "tm"], /, each registered for this app: project tm; to let it ask for more, add them/],
    [
      "known if none are registered",
      [],
      /, such as project; no scopes are registered for this app .* any name will do/,
    ],
  ])("names the scopes that are %s, if its scope is refused", (_, scopes, hint) => {
    const facts = { app: { ...app, scopes } };
    expect(request(error("invalid_scope", "unknown scope: x"), facts)).toEqual({
      result: "fail",
      message: "invalid_scope: unknown scope: x",
      hint: expect.stringMatching(hint),
    });
  });
});

describe("the parameters of the authorization request", () => {
  it("are reported without a redirect_uri, with those that are registered", () => {
    expect(verdictOf("oauth.request.redirect-uri", asked({ redirect_uri: undefined }))).toEqual({
      result: "fail",
      message: "redirect_uri is missing",
      hint: `send one of those registered with the app: ${redirectUri}`,
    });
  });

  it("say that no redirect_uri is registered so far", () => {
    const facts = { ...good, app: { ...app, redirectUris: [] } };
    expect(verdictOf("oauth.request.redirect-uri", facts)?.hint).toMatch(/\(so far: none\)/);
  });

  it("are all missing if the login did not reach the platform, or the query is not UTF-8", () => {
    expect(sentParameter(null, "state")).toBeNull();
    expect(sentParameter({ ...authorization(), parameters: null }, "state")).toBeNull();
  });

  it.each([
    ["1234567", "it has only 7 characters"],
    ["s", "it has only 1 character"],
    ["12345678", "it is a number, such as a time or a counter"],
    ["abcabcabc", "it has only 3 different characters"],
    ["abcdefgh", null],
    ["abcdabcd", null],
  ])("have a state that can be guessed or not, and why: %s", (state, why) => {
    expect(guessable(state)).toBe(why);
  });

  it("are not judged as PKCE with a challenge that has no method, which the platform refuses", () => {
    expect(verdictOf("oauth.request.pkce", asked({ code_challenge_method: undefined }))).toBeUndefined();
  });

  const raw = (query: string) => {
    const url = `${endpoint}?${query}`;
    return verdictOf("oauth.request.secret", {
      ...good,
      authorization: { ...authorization(), url, parameters: queryParameters(url) },
    })?.result;
  };
  const encoded = `%${app.clientSecret.charCodeAt(0).toString(16)}${app.clientSecret.slice(1)}`;
  it.each([
    ["as part of a value", `key=my-${app.clientSecret}`, "fail"],
    ["percent-encoded", `key=${encoded}`, "fail"],
    ["in a query that is not UTF-8", `key=${app.clientSecret}&q=%ff`, "fail"],
    ["nowhere, with its parameter empty", "client_secret=", "fail"],
    ["nowhere", "key=x", "pass"],
    ["nowhere, in a query that is not UTF-8", "q=%ff", "pass"],
  ])("have the client secret %s", (_, query, result) => {
    expect(raw(query)).toBe(result);
  });
});

describe("the cookie of the login", () => {
  const NONE = "no cookie was set before the user was sent to the platform";
  const unsent = (why: string) => `no cookie of the login is sent with the callback: ${why}`;
  it.each<[what: string, cookies: string[], result: string, message: string]>([
    ["is absent", [], "warn", NONE],
    ["is deleted on purpose", ["x=; Path=/; Max-Age=0"], "warn", NONE],
    ["is deleted as it is set", ["x=1; Max-Age=0"], "warn", unsent("the cookie x has Max-Age=0, which deletes it")],
    [
      "is for other addresses",
      ["x=1"],
      "warn",
      unsent("the cookie x has no Path, so it is only for the addresses below /auth"),
    ],
    ["is not stored", ["x=1; Path=/; SameSite=None"], "warn", "the cookie x is SameSite=None without Secure"],
    ["is Strict", ["x=1; Path=/; SameSite=Strict"], "fail", "the cookie x is SameSite=Strict"],
    [
      "is Strict, as is another, which is set twice",
      ["x=1; Path=/; SameSite=Strict", "y=1; Path=/; SameSite=Strict", "y=2; Path=/; SameSite=Strict"],
      "fail",
      "the cookie x, y is SameSite=Strict",
    ],
    [
      "is Strict, and another is not",
      ["x=1; Path=/; SameSite=Strict", "y=1; Path=/"],
      "warn",
      "the cookie x is SameSite=Strict",
    ],
    [
      "is sent, and another deleted",
      ["x=1; Path=/", "old=1; Max-Age=0"],
      "pass",
      "the cookie of the login is sent with the callback",
    ],
  ])("is judged if it %s", (_, cookies, result, message) => {
    expect(verdictOf("oauth.cookie", { ...good, start: begun(...cookies) })).toMatchObject({ result, message });
  });

  it.each<[page: string, status: number, result: string]>([
    ['<meta http-equiv="refresh" content="0; url=/callback?again=1">', 200, "pass"],
    ["<script>location.replace(location.href)</script>", 200, "pass"],
    ['<body onload="document.forms[0].submit()">', 200, "pass"],
    ["<script>track()</script><p>This login was not started from this location.</p>", 200, "fail"],
    ["<script>location.replace('/login')</script>", 403, "fail"],
  ])("may be Strict if the callback without it loads itself again: %s, %i", (body, status, result) => {
    const start = begun("x=1; Path=/; SameSite=Strict");
    const answer = browsed(redirectUri);
    const response = { status, headers: [], body: recordBody(Buffer.from(body)) };
    const withoutStrict = { ...visit(page(403)), own: [{ ...answer, response }] };
    const facts = { ...good, start, withoutStrict };
    expect(verdictOf("oauth.cookie", facts)).toMatchObject({ result });
  });

  it("is not said to be lost on the way to a callback whose address is unknown", () => {
    const facts = { ...asked({ redirect_uri: undefined }), start: { ...visit(toPlatform), own: begun("x=1").own } };
    expect(verdictOf("oauth.cookie", facts)).toMatchObject({ result: "pass" });
  });
});
