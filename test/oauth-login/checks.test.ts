import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import { REDIRECT_URI_MISSING } from "../../src/oauth/rules/oauth-token.ts";
import { judgeOAuthLogin, oauthLoginChecks } from "../../src/oauth-login/checks/judge-login.ts";
import type { OAuthLoginFacts } from "../../src/oauth-login/checks/login-facts.ts";
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
  found,
  good,
  JSON_TYPE,
  page,
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
    [
      "an empty page",
      { ...good, callback: visit(page(200, "\n"), [request("exchange"), request("api")]) },
      ["oauth.callback warn"],
    ],
    ["null after a call", { ...good, use: visit(page(200, "null"), [request("api")]) }, ["oauth.api warn"]],
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
    ["a Strict cookie", { ...good, start: begun("x=1; Path=/; SameSite=Strict") }, ["oauth.cookie fail"]],
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
