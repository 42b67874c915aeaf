import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import { REDIRECT_URI_MISSING } from "../../src/oauth/rules/oauth-token.ts";
import { judgeOAuthLogin, oauthLoginChecks } from "../../src/oauth-login/checks/judge-login.ts";
import type { LoginLanding, OAuthLoginFacts, PlatformRequest } from "../../src/oauth-login/checks/login-facts.ts";
import { guessable } from "../../src/oauth-login/checks/request-checks.ts";
import {
  app,
  asked,
  authorization,
  bare,
  basic,
  begun,
  called,
  denied,
  exchangeBody,
  exchanged,
  forged,
  found,
  good,
  JSON_TYPE,
  page,
  platform,
  redirectUri,
  refreshed,
  request,
  toPlatform,
  trouble,
  turned,
  visit,
  withoutSecret,
  withoutVerifier,
} from "./made-facts.ts";

const answered = (landing: LoginLanding, ...requests: PlatformRequest[]) =>
  forged({ callback: visit(landing, requests) });
const elsewhere: LoginLanding = { ...trouble, failure: "other" };
const declined = { kind: "decided", isApproved: false, location: redirectUri } as const;

const F = "oauth.forged";
const none = { ...bare, state: undefined };

describe("the checks of a login by OAuth", () => {
  it("each have a unique id, and a section of the interface", () => {
    const ids = oauthLoginChecks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(oauthLoginChecks.filter(({ section }) => !/^\d(\.\d)?$/.test(section))).toEqual([]);
  });

  it("report nothing about a correct one, and all except those of a denial pass", () => {
    const passed = judgeOAuthLogin(good).map(({ check, result }) => `${check} ${result}`);
    const ids = oauthLoginChecks.map(({ id }) => id).filter((id) => !id.startsWith("oauth.denied."));
    expect(passed).toEqual(ids.map((id) => `${id} pass`));
    expect(found(denied)).toEqual([]);
  });

  it("say nothing of what was not reached", () => {
    const facts = { ...good, start: visit(trouble), authorization: null, callback: null, second: null, turns: [] };
    expect(judgeOAuthLogin(facts)).toMatchObject([
      { check: "oauth.start", step: "start", result: "fail", message: "nothing listens" },
    ]);
  });

  it.each<[what: string, facts: OAuthLoginFacts, expected: string[]]>([
    [
      "C2: the state of the first login",
      forged({ authorization: authorization({ code_challenge: "o" }) }),
      [`${F}.fresh fail`],
    ],
    ["C2: its challenge", forged({ authorization: authorization({ state: "another" }) }), [`${F}.fresh fail`]],
    [
      "C2: neither in either login",
      { ...forged({ authorization: authorization(none), callback: null }), authorization: authorization(none) },
      ["oauth.request.state fail", "oauth.request.pkce warn", "oauth.exchange.verifier fail", `${F} skip`],
    ],
    [
      "C3: a refused exchange is one too",
      answered(page(400), request("exchange", { error: "invalid_grant" })),
      [`${F} fail`],
    ],
    [
      "C3: so is one that is not well-formed",
      answered(page(400), request("token", { error: "invalid_request" })),
      [`${F} fail`],
    ],
    ["C3: another session's refresh is none", answered(page(400), request("refresh")), []],
    ["C3: a refusal without an error status", answered(page(200)), []],
    ["C3: the login begins again", answered(toPlatform), []],
    ["C3: an app that breaks", answered(page(500)), [`${F} warn`]],
    ["C3: an app that leads elsewhere", answered(elsewhere), [`${F} warn`]],
    ["C3: an app that is gone", answered(trouble), [`${F} fail`]],
    [
      "C3: a second login that is not begun",
      forged({ start: visit(page(429)), authorization: null, callback: null }),
      [`${F} inconclusive`],
    ],
    [
      "C3: an app that is gone before it",
      forged({ start: visit(trouble), authorization: null, callback: null }),
      [`${F} fail`],
    ],
    [
      "C3: a second login without a code",
      forged({
        authorization: { ...authorization({ state: "other", code_challenge: "o" }), verdict: declined },
        callback: null,
      }),
      [`${F} inconclusive`],
    ],
    [
      "a call without its scope",
      called(request("exchange"), request("api", { error: "insufficient_scope" })),
      ["oauth.api fail"],
    ],
    [
      "a page that breaks by a call",
      { ...good, callback: visit(page(502), [request("exchange"), request("api", { error: "404" })]) },
      ["oauth.callback skip", "oauth.api fail"],
    ],
    [
      "a page that breaks after a call",
      {
        ...good,
        callback: visit(page(502), [request("exchange"), request("api", { error: "invalid_token" }), request("api")]),
      },
      ["oauth.callback fail"],
    ],
    ["C1: no state, but PKCE", asked({ state: undefined }), ["oauth.request.state warn"]],
    ["C1: an empty state", asked({ state: "" }), ["oauth.request.state warn"]],
    ["C1: a guessable state", asked({ state: "12345678" }), ["oauth.request.state warn"]],
    [
      "C1: a guessable state, without PKCE",
      asked({ state: "12345678", code_challenge: undefined, code_challenge_method: undefined }),
      ["oauth.request.state fail", "oauth.request.pkce warn", "oauth.exchange.verifier fail"],
    ],
    ["C1: plain", asked({ code_challenge_method: "plain" }), ["oauth.request.pkce warn"]],
    ["C1: the secret, as its parameter", asked({ client_secret: "another" }), ["oauth.request.secret fail"]],
    ["C1: the secret, under another name", asked({ key: app.clientSecret }), ["oauth.request.secret fail"]],
    ["a Strict cookie", { ...good, start: begun("x=1; Path=/; SameSite=Strict") }, ["oauth.cookie warn"]],
    ["no cookie", { ...good, start: begun() }, ["oauth.cookie warn"]],
    ["a cookie that is taken away", { ...good, start: begun("x=1; Path=/; Max-Age=0") }, ["oauth.cookie warn"]],
    [
      "a cookie for all sites that is not Secure",
      { ...good, start: begun("x=1; Path=/; SameSite=None") },
      ["oauth.cookie warn"],
    ],
    ["a Secure cookie for all sites", { ...good, start: begun("x=1; Path=/; SameSite=None; Secure") }, []],
    ["a cookie without attributes", { ...good, start: begun("x=1; Path=/") }, []],
    ["a cookie for the login link alone", { ...good, start: begun("x=1") }, ["oauth.cookie warn"]],
    ["a cookie of another domain", { ...good, start: begun("x=1; Path=/; Domain=a.example") }, ["oauth.cookie warn"]],
    ["one that comes back beside one that does not", { ...good, start: begun("x=1", "y=1; Path=/") }, []],
    ["the secret by Basic", exchanged({ body: withoutSecret, headers: [JSON_TYPE, basic(app.clientSecret)] }), []],
    [
      "a wrong secret by Basic",
      exchanged({ body: withoutSecret, headers: [JSON_TYPE, basic("x")], error: "invalid_client" }),
      ["oauth.exchange.client fail"],
    ],
    [
      "the secret twice",
      exchanged({ headers: [JSON_TYPE, basic(app.clientSecret)], error: "invalid_request" }),
      ["oauth.exchange.client fail"],
    ],
    ["no secret, but a verifier", exchanged({ body: withoutSecret }), []],
    ["no verifier", exchanged({ body: withoutVerifier, error: "invalid_grant" }), ["oauth.exchange.verifier fail"]],
    [
      "a verifier that does not fit",
      exchanged({ body: { ...exchangeBody, code_verifier: "x".repeat(43) }, error: "invalid_grant" }),
      ["oauth.exchange.verifier fail"],
    ],
    [
      "a verifier without a challenge",
      { ...exchanged({ error: "invalid_grant" }), authorization: authorization(bare) },
      ["oauth.request.pkce warn", "oauth.exchange.verifier fail"],
    ],
    [
      "no PKCE at all",
      { ...exchanged({ body: withoutVerifier }), authorization: authorization(bare) },
      ["oauth.request.pkce warn", "oauth.exchange.verifier skip"],
    ],
    [
      "another redirect_uri in the exchange",
      exchanged({ error: "invalid_grant", reason: "redirect_uri is not the one" }),
      ["oauth.exchange fail"],
    ],
    [
      "a code that has expired",
      exchanged({ error: "invalid_grant", reason: "the code has expired" }),
      ["oauth.exchange fail"],
    ],
    ["JSON that is none", exchanged({ body: "{", error: "invalid_request" }), ["oauth.exchange.encoding fail"]],
    [
      "a form where only JSON is taken",
      {
        ...exchanged({
          body: new URLSearchParams(exchangeBody).toString(),
          headers: [["Content-Type", "application/x-www-form-urlencoded"]],
          error: "invalid_request",
        }),
        choices: { ...defaultChoices, "oauth.token.contentTypes": "json" },
      },
      ["oauth.exchange.encoding fail"],
    ],
    [
      "one more exchange after it was done",
      called(request("exchange"), request("exchange", { error: "invalid_grant" }), request("api")),
      ["oauth.exchange.once fail"],
    ],
    [
      "two exchanges that cross",
      called(request("exchange", { error: "invalid_grant" }), request("exchange"), request("api")),
      ["oauth.exchange.once fail"],
    ],
    [
      "another way of authentication tried first",
      called(request("exchange", { error: "invalid_client" }), request("exchange"), request("api")),
      [],
    ],
    ["no exchange", { ...called(), turns: [] }, ["oauth.exchange fail"]],
    ["a callback that breaks", { ...good, callback: visit(page(500)), turns: [] }, ["oauth.callback fail"]],
    ["a callback that loops", { ...good, callback: visit(toPlatform), turns: [] }, ["oauth.callback fail"]],
    [
      "C12: the access token on a later page",
      turned(refreshed, { ...refreshed, landing: page(200, "Token: the-access-token") }),
      ["oauth.secrets warn"],
    ],
    [
      "C12: the app's secret on the page",
      { ...good, callback: visit(page(200, `<!-- ${app.appSecret} -->`), good.callback?.requests) },
      ["oauth.secrets fail"],
    ],
    [
      "a call without a token",
      called(request("exchange"), request("api", { error: "401" })),
      ["oauth.api.bearer fail"],
    ],
    [
      "a token in the address",
      called(request("exchange"), request("api", { url: `${platform}/api/v2/projects?access_token=x` })),
      ["oauth.api.bearer fail"],
    ],
    [
      "a call to what is not there",
      called(request("exchange"), request("api", { error: "404", reason: "nothing" })),
      ["oauth.api warn"],
    ],
    ["a call too many", called(request("exchange"), request("api", { error: "429" })), ["oauth.api fail"]],
    ["no call", { ...called(request("exchange")), turns: [] }, ["oauth.api skip"]],
    ["a page to use the token that is not there", { ...good, use: visit(page(404)) }, ["oauth.api fail"]],
    ["a refresh before the call", turned(visit(page(200), [request("refresh"), request("api")])), []],
    ["a refresh without a call", turned(visit(page(200), [request("refresh")])), []],
    ["C9: no refresh", turned(visit(page(502), [request("api", { error: "invalid_token" })])), ["oauth.refresh fail"]],
    ["no use of the token", turned(visit(page(200))), ["oauth.refresh inconclusive"]],
    ["a log-in instead", turned(visit(toPlatform)), ["oauth.refresh warn"]],
    [
      "a refresh by the app's own clock alone",
      { ...turned(visit(page(502), [request("api", { error: "invalid_token" })])), ownClock: refreshed },
      [],
    ],
    [
      "C9: no refresh by that clock either",
      { ...turned(visit(page(502), [request("api", { error: "invalid_token" })])), ownClock: visit(page(200)) },
      ["oauth.refresh fail"],
    ],
    ["a page that is gone", turned(visit(trouble)), ["oauth.refresh fail"]],
    [
      "C8: the old refresh token",
      turned(refreshed, visit(page(502), [request("refresh", { error: "invalid_grant" })])),
      ["oauth.refresh.rotation fail"],
    ],
    [
      "C8: two refreshes",
      turned(visit(page(200), [request("refresh"), request("refresh"), request("api")])),
      ["oauth.refresh warn"],
    ],
    [
      "C8: a loop",
      turned(
        visit(
          page(200),
          Array.from({ length: 4 }, () => request("refresh")),
        ),
      ),
      ["oauth.refresh fail"],
    ],
    [
      "C9: no second call",
      turned(
        visit(page(200), [
          request("api", { error: "invalid_token" }),
          request("refresh"),
          request("api", { error: "invalid_token" }),
        ]),
      ),
      ["oauth.refresh fail"],
    ],
    ["the clock that stood", { ...good, turns: [], notTurned: { reason: "no", hint: null } }, ["oauth.refresh skip"]],
    [
      "C6: a token call after a denial",
      { ...denied, callback: visit(page(403), [request("token", { error: "invalid_request" })]) },
      ["oauth.denied.no-exchange fail"],
    ],
    ["C6: a page that breaks", { ...denied, callback: visit(page(500)) }, ["oauth.denied.answer fail"]],
    ["a denial that begins again", { ...denied, callback: visit(toPlatform) }, ["oauth.denied.answer fail"]],
    ["a denial without an answer", { ...denied, callback: visit(trouble) }, ["oauth.denied.answer fail"]],
  ])("%s", (_, facts, expected) => {
    expect(found(facts)).toEqual(expected);
  });

  it("say for an app that does not call the API how to name its page, with each command's own names", () => {
    const silent = { ...good, callback: visit(page(200), [request("exchange")]), use: visit(page(200)) };
    const said = (useSetting: OAuthLoginFacts["useSetting"]) => {
      const { message, hint } =
        judgeOAuthLogin({ ...silent, useSetting }).find(({ check }) => check === "oauth.api") ?? {};
      return [message, hint];
    };
    expect(said("--use")).toEqual([
      "the app did not call the API at --use either",
      expect.stringMatching(/: --use URL$/),
    ]);
    expect(said("verify.oauth.use")).toEqual([
      "the app did not call the API after the login",
      expect.stringMatching(/: verify\.oauth\.use$/),
    ]);
  });

  it("say of an expired code how long one is valid", () => {
    const facts = exchanged({ error: "invalid_grant", reason: "the code has expired" });
    expect(judgeOAuthLogin(facts).find(({ check }) => check === "oauth.exchange")?.hint).toBe(
      "exchange the code immediately: it is valid for 600 s of the platform's clock",
    );
  });

  it.each([
    ["dGhlIHN0YXRlIGlzIGxvbmc", "this is the state of the login: send the `code` of the callback's query"],
    ["another", "send this login's code, redirect_uri and client_id"],
  ])("say of an unknown code whether it is the state: %s", (code, hint) => {
    const body = { ...exchangeBody, code };
    const facts = exchanged({ error: "invalid_grant", reason: "this platform did not issue this code", body });
    expect(judgeOAuthLogin(facts).find(({ check }) => check === "oauth.exchange")?.hint).toBe(hint);
  });

  it("say of an exchange without redirect_uri which one to send", () => {
    const facts = exchanged({ error: "invalid_request", reason: REDIRECT_URI_MISSING });
    expect(judgeOAuthLogin(facts).find(({ check }) => check === "oauth.exchange")?.hint).toBe(
      `send redirect_uri with the code, too, exactly as before: ${redirectUri}`,
    );
  });

  it("C1: neither state nor PKCE is a fault", () => {
    const facts = {
      ...exchanged({ body: withoutVerifier }),
      authorization: authorization({ ...bare, state: undefined }),
    };
    expect(found(facts)).toContain("oauth.request.state fail");
  });

  it.each([
    ["with a wrong secret", "client_secret is wrong", /^send the CLIENT_ID and CLIENT_SECRET/],
    ["without its secret", "client_secret is missing", /^a refresh needs the secret, even if .*: send the CLIENT_ID/],
  ])("say of a refresh %s what to send", (_, reason, says) => {
    const [refused] = judgeOAuthLogin(
      turned(
        visit(page(502), [
          request("api", { error: "invalid_token" }),
          request("refresh", { error: "invalid_client", reason }),
        ]),
      ),
    ).filter(({ result }) => result === "fail");
    expect(refused?.hint).toMatch(says);
  });

  it("say of a redirect_uri that is not registered what to register", () => {
    const refused = { kind: "refused", reason: "no", hint: "no" } as const;
    const other = `${redirectUri}/`;
    const facts = {
      ...good,
      authorization: { ...authorization({ redirect_uri: other }), verdict: refused },
      callback: null,
      turns: [],
    };
    const fault = judgeOAuthLogin(facts).filter(({ result }) => result === "fail");
    expect(fault).toMatchObject([{ check: "oauth.request.redirect-uri" }]);
    expect(fault[0]?.hint).toContain(`--redirect-uri=${other} `);
    expect(fault[0]?.hint).toContain(`so far: ${redirectUri})`);
  });
});

describe("C1: a state that can be guessed", () => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 32 }).filter((array) => new Set(array).size >= 10);

  it("is never reported if it is made of random bytes", () => {
    fc.assert(
      fc.property(bytes, fc.constantFrom("hex", "base64url", "base64"), (array, encoding) => {
        expect(guessable(Buffer.from(array).toString(encoding))).toBeNull();
      }),
    );
    fc.assert(
      fc.property(
        fc.uuid({ version: 4 }).filter((id) => new Set(id).size > 4),
        (id) => guessable(id) === null,
      ),
    );
  });

  it.each(["1", "abc", "xyz1234", "00000000000000000000", "1718000000000", "abcabcabcabc"])("is found: %s", (state) => {
    expect(guessable(state)).not.toBeNull();
  });
});
