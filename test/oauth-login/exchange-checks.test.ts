import { describe, expect, it } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import type { HeaderLines } from "../../src/journal/exchange.ts";
import { GRANT_TYPE_MISSING } from "../../src/oauth/rules/oauth-token.ts";
import { exchangeText } from "../../src/oauth-login/checks/exchange-checks.ts";
import type { OAuthLoginFacts } from "../../src/oauth-login/checks/login-facts.ts";
import {
  app,
  authorization,
  bare,
  basic,
  called,
  denied,
  exchangeBody,
  exchanged,
  found,
  good,
  JSON_TYPE,
  page,
  platform,
  request,
  toPlatform,
  trouble,
  verdictOf,
  visit,
  withoutSecret,
  withoutVerifier,
} from "./made-facts.ts";

const FORM_TYPE = ["Content-Type", "application/x-www-form-urlencoded"] as const;
const form = (body: Readonly<Record<string, string>>) => new URLSearchParams(body).toString();
const onlyJson = { ...defaultChoices, "oauth.token.contentTypes": "json" } as const;
const api = request("api");

describe("the words for how the app exchanges its code", () => {
  const inBody = "client_secret in the body";
  const unread = ["no client_secret", "no code_verifier"];
  it.each<[what: string, headers: HeaderLines, body: unknown, words: string[]]>([
    ["JSON", [JSON_TYPE], exchangeBody, ["JSON", inBody, "code_verifier"]],
    ["a form", [FORM_TYPE], form(exchangeBody), ["a form", inBody, "code_verifier"]],
    ["another type", [["Content-Type", "text/plain; charset=utf-8"]], exchangeBody, ["text/plain", ...unread]],
    ["no type", [], exchangeBody, ["without a Content-Type", ...unread]],
    ["a login without PKCE", [JSON_TYPE], withoutVerifier, ["JSON", inBody, "no code_verifier"]],
    [
      "the secret with Basic",
      [JSON_TYPE, basic(app.clientSecret)],
      withoutSecret,
      ["JSON", "client_secret with Basic", "code_verifier"],
    ],
    [
      "the secret in both places",
      [JSON_TYPE, basic(app.clientSecret)],
      exchangeBody,
      ["JSON", "client_secret in the body and with Basic", "code_verifier"],
    ],
    [
      "another header in place of Basic",
      [JSON_TYPE, ["Authorization", "Bearer x"]],
      exchangeBody,
      ["JSON", inBody, "code_verifier"],
    ],
    [
      "PKCE in place of the secret",
      [JSON_TYPE],
      withoutSecret,
      ["JSON", "no client_secret (optional with code_verifier, required to refresh)", "code_verifier"],
    ],
  ])("name %s", (_, headers, body, words) => {
    expect(exchangeText(exchanged({ headers, body }))).toEqual(words);
  });

  it("are about the exchange that the platform accepted, or else the last one", () => {
    const withBasic = { headers: [JSON_TYPE, basic("x")], body: withoutSecret, error: "invalid_client" };
    const [tried, refused] = [request("exchange", withBasic), request("exchange", { error: "invalid_client" })];
    expect(exchangeText(called(request("exchange"), tried))).toContain(inBody);
    expect(exchangeText(called(tried, refused))).toContain(inBody);
    expect(exchangeText(called(refused, tried))).toContain("client_secret with Basic");
  });

  it("are none if the app did not exchange the code", () => {
    expect(exchangeText(called(request("refresh"), api))).toEqual([]);
  });
});

describe("the exchange of the code", () => {
  const exchange = (facts: OAuthLoginFacts) => verdictOf("oauth.exchange", facts);
  const refused = (parts: { error: string; reason?: string; body?: unknown }) =>
    called(request("exchange", parts), api);

  it.each<[what: string, parts: Parameters<typeof request>[1], message: string, hint: RegExp]>([
    [
      "at another address",
      { error: "404", url: `${platform}/token?code=c` },
      `the app asked for tokens at ${platform}/token, but the token endpoint is ${platform}/oauth/token`,
      /^the path is \{auth_url\}\/oauth\/token/,
    ],
    [
      "with another method",
      { error: "405", method: "GET" },
      "the app sent GET to the token endpoint, which accepts only POST",
      /^send a POST with the parameters in its body/,
    ],
  ])("is reported as misplaced %s, and not judged otherwise", (_, parts, message, hint) => {
    const facts = called(request("token", { body: "", headers: [], ...parts }));
    expect(found({ ...facts, turns: [] })).toEqual(["oauth.exchange fail"]);
    expect(exchange(facts)).toEqual({ result: "fail", message, hint: expect.stringMatching(hint) });
  });

  it("is judged by its content even if the platform could not read it", () => {
    const facts = called(request("token", { body: "{", error: "invalid_request" }));
    expect(found({ ...facts, turns: [] })).toEqual(["oauth.exchange.encoding fail"]);
  });

  it("is missed if the app shows a page without it", () => {
    expect(exchange(called(api))).toEqual({
      result: "fail",
      message: "the app did not exchange the code while handling its callback",
      hint: `send a POST to ${platform}/oauth/token (interface 5.2)`,
    });
  });

  it("is not replaced by a refresh", () => {
    expect(exchange(called(request("refresh"), api))).toMatchObject({ result: "fail" });
  });

  it.each([
    ["the page is not an error", 399, "oauth.exchange fail"],
    ["the page is an error, which is reported instead", 400, "oauth.callback fail"],
  ])("is missed only if %s", (_, status, reported) => {
    expect(found({ ...good, callback: visit(page(status)), turns: [] })).toEqual([reported]);
  });

  it.each<[what: string, facts: OAuthLoginFacts, message: string, hint: string | null]>([
    [
      "without its grant_type",
      refused({ error: "invalid_request", reason: GRANT_TYPE_MISSING }),
      "invalid_request: grant_type is missing",
      "send grant_type=authorization_code, in the body",
    ],
    [
      "for a reason that says it all",
      refused({ error: "unsupported_grant_type", reason: "grant_type must be authorization_code" }),
      "unsupported_grant_type: grant_type must be authorization_code",
      null,
    ],
    [
      "without a reason",
      refused({ error: "invalid_grant" }),
      "invalid_grant",
      "send this login's code, redirect_uri and client_id",
    ],
    [
      "without a code, in a login without a state",
      {
        ...refused({ error: "invalid_grant", body: { ...exchangeBody, code: "" } }),
        authorization: authorization({ state: undefined }),
      },
      "invalid_grant",
      "send this login's code, redirect_uri and client_id",
    ],
  ])("says what the platform answered, and what to send, if it is refused %s", (_, facts, said, hint) => {
    const message = `the platform refused the exchange: ${said}`;
    expect(exchange(facts)).toEqual({ result: "fail", message, hint });
  });
});

describe("the encoding of the exchange", () => {
  const encoding = (facts: OAuthLoginFacts) => verdictOf("oauth.exchange.encoding", facts);
  const plain = exchanged({ headers: [["Content-Type", "text/plain"]], error: "invalid_request" });

  it("is JSON, or a form", () => {
    expect(encoding(good)).toMatchObject({ result: "pass", message: "the request is JSON" });
    const facts = exchanged({ headers: [FORM_TYPE], body: form(exchangeBody) });
    expect(encoding(facts)).toMatchObject({ result: "pass", message: "the request is a form" });
  });

  it.each<[what: string, facts: OAuthLoginFacts, hint: string]>([
    ["both", plain, `send JSON with Content-Type: application/json, or a form with ${FORM_TYPE[1]}`],
    [
      "JSON, if the platform takes that alone",
      { ...plain, choices: onlyJson },
      "send JSON with Content-Type: application/json",
    ],
  ])("is named in the hint: %s", (_, facts, hint) => {
    expect(encoding(facts)).toMatchObject({ result: "fail", hint });
  });
});

describe("the client of the exchange", () => {
  const client = (facts: OAuthLoginFacts) => verdictOf("oauth.exchange.client", facts);
  const error = "invalid_client";
  const { code_verifier: _verifier, ...neither } = withoutSecret;

  it.each<[what: string, body: unknown, message: string]>([
    ["by its secret", exchangeBody, "the client secret is right"],
    ["by its secret, without PKCE", withoutVerifier, "the client secret is right"],
    ["by PKCE in place of its secret", withoutSecret, "PKCE replaces the client secret"],
  ])("is known %s", (_, body, message) => {
    expect(client(exchanged({ body }))).toEqual({ result: "pass", message, hint: null });
  });

  it.each<[what: string, facts: OAuthLoginFacts]>([
    ["a verifier", exchanged({ body: neither, error })],
    ["a challenge", { ...exchanged({ body: withoutSecret, error }), authorization: authorization(bare) }],
    ["either", { ...exchanged({ body: neither, error }), authorization: authorization(bare) }],
  ])("is unknown without its secret if the login has PKCE without %s", (_, facts) => {
    expect(client(facts)).toMatchObject({ result: "fail", message: "client_secret is missing" });
  });
});

describe("the verifier of the exchange", () => {
  const verifierOf = (facts: OAuthLoginFacts) => verdictOf("oauth.exchange.verifier", facts);
  const refused = (code_verifier: string) =>
    exchanged({ body: { ...exchangeBody, code_verifier }, error: "invalid_grant", reason: "redirect_uri differs" });

  it.each<[what: string, verifier: string, message: RegExp, hint: RegExp]>([
    [
      "is well-formed: how a challenge is made",
      "x".repeat(43),
      /does not match/,
      /^code_challenge is BASE64URL\(SHA256/,
    ],
    [
      "is not: how a verifier is made",
      "xx",
      /^code_verifier has a length of 2/,
      /^a good code_verifier is 32 random bytes/,
    ],
  ])("says for one that does not match, and %s", (_, verifier, message, hint) => {
    expect(verifierOf(refused(verifier))).toEqual({
      result: "fail",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  it("is compared as it is with a plain challenge", () => {
    const plain = "a-plain-verifier-of-a-login-with-43-characters";
    const facts = (code_challenge: string) => ({
      ...refused(plain),
      authorization: authorization({ code_challenge, code_challenge_method: "plain" }),
    });
    expect(verifierOf(facts(plain))).toMatchObject({ result: "pass" });
    expect(verifierOf(facts("x".repeat(43)))).toMatchObject({ result: "fail" });
  });
});

describe("the number of exchanges", () => {
  const late = request("exchange", { error: "invalid_grant" });
  it.each([
    ["one", [request("exchange")], "the code was exchanged once"],
    ["one, and a late one that is refused", [request("exchange"), late], "the code was exchanged 2 times"],
    ["two, both accepted", [request("exchange"), request("exchange")], "the code was exchanged 2 times"],
    ["one between two that are refused", [late, request("exchange"), late], "the code was exchanged 3 times"],
  ])("is counted: %s", (_, requests, message) => {
    expect(verdictOf("oauth.exchange.once", called(...requests))?.message).toMatch(new RegExp(`^${message}`));
  });

  it("does not include refreshes", () => {
    expect(verdictOf("oauth.exchange.once", called(request("exchange"), request("refresh")))?.result).toBe("pass");
  });
});

describe("the answer to a user who declined", () => {
  it.each([
    ["shows a page", page(403), "pass", "the app answered 403: Hello", null],
    ["never comes", { ...trouble, hint: "start the app" }, "fail", "nothing listens", "start the app"],
    [
      "leads back to the platform",
      toPlatform,
      "fail",
      "the app redirected the user who declined straight back to the platform",
      "show a page that says so, with a link to log in again",
    ],
    [
      "is a server error",
      page(500),
      "fail",
      "the app answered 500: Hello",
      "the callback has error, but no code (interface 7)",
    ],
  ] as const)("is judged if it %s", (_, landing, result, message, hint) => {
    expect(verdictOf("oauth.denied.answer", { ...denied, callback: visit(landing) })).toEqual({
      result,
      message,
      hint,
    });
  });
});
