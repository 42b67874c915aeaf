import { describe, expect, it } from "vitest";
import type {
  LoginLanding,
  OAuthLoginFacts,
  PlatformRequest,
  SecondLogin,
} from "../../src/oauth-login/checks/login-facts.ts";
import {
  authorization,
  bare,
  forged,
  found,
  good,
  page,
  redirectUri,
  request,
  toPlatform,
  trouble,
  verdictOf,
  visit,
} from "./made-facts.ts";

const answered = (landing: LoginLanding, ...requests: PlatformRequest[]) =>
  forged({ callback: visit(landing, requests) });
const elsewhere: LoginLanding = { ...trouble, failure: "other" };
const declined = { kind: "decided", isApproved: false, location: redirectUri } as const;

const F = "oauth.forged";
const none = { ...bare, state: undefined };

describe("a second login with a forged callback", () => {
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
  ])("is judged by what the app does: %s", (_, facts, expected) => {
    expect(found(facts)).toEqual(expected);
  });

  it.each<[what: string, changes: Record<string, string>, same: string]>([
    ["state", { code_challenge: "o" }, "state"],
    ["challenge", { state: "another" }, "code_challenge"],
    ["state and challenge", {}, "state and code_challenge"],
  ])("C2: names what both logins sent: the same %s", (_, changes, same) => {
    expect(verdictOf(`${F}.fresh`, forged({ authorization: authorization(changes) }))?.message).toBe(
      `two logins in two browsers sent the same ${same}`,
    );
  });

  it.each<[what: string, facts: OAuthLoginFacts]>([
    ["the first login did not reach the platform", { ...good, authorization: null }],
    ["the second login did not reach the platform", forged({ authorization: null })],
    ["there was no second login", { ...good, second: null }],
  ])("C2: compares nothing if %s", (_, facts) => {
    expect(verdictOf(`${F}.fresh`, facts)).toBeUndefined();
  });

  const where = "a second login, in another browser,";
  it.each<[what: string, changes: Partial<SecondLogin>, message: string, hint: string | null]>([
    [
      "the app is gone",
      { start: visit({ ...trouble, hint: "start it" }) },
      `${where} did not start: nothing listens`,
      "start it",
    ],
    [
      "the app did not begin it",
      { start: visit(page(429)), authorization: null },
      `${where} did not start: the app answered 429: Hello`,
      null,
    ],
    [
      "the app sends no state",
      { authorization: authorization({ state: "" }) },
      "the app sends no state that could be changed",
      null,
    ],
    ["the platform gave no code", {}, `${where} got no code from the platform`, null],
  ])("C3: says why it was not forged: %s", (_, changes, message, hint) => {
    expect(verdictOf(F, forged({ ...changes, callback: null }))).toMatchObject({ message, hint });
  });

  it.each<[what: string, landing: LoginLanding, message: string]>([
    ["answered", page(400, "No"), "a callback with a forged state was refused: the app answered 400: No"],
    ["broke", page(500, ""), "the callback had a forged state, and the app broke: it answered 500"],
    ["is gone", trouble, "nothing listens"],
  ])("C3: says how the app %s", (_, landing, message) => {
    expect(verdictOf(F, answered(landing))?.message).toBe(message);
  });
});

describe("a callback of another browser", () => {
  const brought = (...requests: PlatformRequest[]): OAuthLoginFacts =>
    forged({
      foreign: { start: visit(toPlatform), authorization: authorization(), callback: visit(page(400), requests) },
    });
  const foreign = (facts: OAuthLoginFacts) => verdictOf(`${F}.browser`, facts);
  const refused = request("exchange", { error: "invalid_grant" });
  const unanswered = { ...refused, exchange: { ...refused.exchange, response: null } };

  it.each([
    ["at once", [request("exchange")]],
    ["after another try", [refused, request("exchange")]],
  ])("C4: is a fault if the app gets tokens for it %s", (_, requests) => {
    expect(foreign(brought(...requests))).toMatchObject({
      result: "fail",
      message:
        "a callback with another browser's state and code logged this one in: the state is not bound to the browser",
    });
  });

  it.each([
    ["exchanges nothing", []],
    ["is refused its code", [refused]],
    ["gets no answer to its exchange", [unanswered]],
    ["refreshes the token of another session", [request("refresh")]],
  ])("C4: is none if the app %s", (_, requests) => {
    expect(foreign(brought(...requests))).toMatchObject({
      result: "pass",
      message: "a callback with another browser's state and code was refused: the app answered 400: Hello",
    });
  });

  it("C4: is unknown if the third login got no code", () => {
    const third = { start: visit(toPlatform), authorization: authorization(), callback: null };
    expect(foreign(forged({ foreign: third }))).toMatchObject({ result: "inconclusive" });
    expect(foreign(forged({ foreign: null }))).toBeUndefined();
  });
});
