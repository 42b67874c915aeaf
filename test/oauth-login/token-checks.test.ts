import { describe, expect, it } from "vitest";
import { judgeOAuthLogin } from "../../src/oauth-login/checks/judge-login.ts";
import type { LoginLanding, OAuthLoginFacts, PlatformRequest } from "../../src/oauth-login/checks/login-facts.ts";
import { isUseRefused } from "../../src/oauth-login/checks/token-checks.ts";
import {
  authorization,
  called,
  found,
  good,
  page,
  platform,
  refreshed,
  request,
  toPlatform,
  trouble,
  turned,
  verdictOf,
  visit,
} from "./made-facts.ts";

describe("the use and the refresh of a token", () => {
  it.each<[what: string, facts: OAuthLoginFacts, expected: string[]]>([
    [
      "a call without its scope",
      called(request("exchange"), request("api", { error: "insufficient_scope" })),
      ["oauth.api fail"],
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
  ])("are judged by what the app does: %s", (_, facts, expected) => {
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
});

describe("the calls to the API with the first token", () => {
  const exchange = request("exchange");
  const unauthorized = request("api", { error: "401", reason: "no access token" });
  const inUrl = request("api", { url: `${platform}/api/v2/projects?limit=1&access_token=x` });
  const unscoped = request("api", { error: "insufficient_scope" });
  const missing = request("api", { error: "404" });
  const use = (facts: OAuthLoginFacts) => verdictOf("oauth.api", facts);
  const bearer = (facts: OAuthLoginFacts) => verdictOf("oauth.api.bearer", facts);
  const broken = (...requests: PlatformRequest[]) => ({ ...good, callback: visit(page(502), [exchange, ...requests]) });
  const opened = (landing: LoginLanding, ...requests: PlatformRequest[]) => ({
    ...called(exchange),
    use: visit(landing, requests),
  });

  it("may have the token in the URL of one of them only", () => {
    expect(bearer(called(exchange, request("api"), inUrl))?.message).toBe(
      "an access token is in the URL of an API call",
    );
  });

  it.each([
    ["no access token", unauthorized],
    ["a call to the API had no access token", request("api", { error: "401" })],
  ])("say why one is refused without a token: %s", (message, call) => {
    expect(bearer(called(exchange, request("api"), call))).toMatchObject({ result: "fail", message });
  });

  it("are not blamed twice if one without a token breaks the page", () => {
    expect(bearer(broken(unauthorized))).toMatchObject({ result: "fail" });
    expect(use(broken(unauthorized))).toBeUndefined();
  });

  it.each<[what: string, facts: OAuthLoginFacts]>([
    ["breaks the callback", broken(missing)],
    ["breaks the page that uses the token", opened(page(502), missing)],
  ])("are blamed without a hint if one for something that does not exist %s", (_, facts) => {
    expect(use(facts)).toEqual({ result: "fail", message: "the API answered: 404", hint: null });
  });

  it("are blamed for a missing scope, even if another one succeeds", () => {
    expect(use(called(exchange, unscoped, request("api")))).toMatchObject({ result: "fail" });
  });

  it.each<[what: string, scope: string | undefined, hint: string]>([
    ["none", undefined, "ask for the scope project in the authorization request (the app asked for none)"],
    ["another", "tm", "ask for the scope project in the authorization request (the app asked for tm)"],
    [
      "one that begins like it",
      "projects tm",
      "ask for the scope project in the authorization request (the app asked for projects tm)",
    ],
    ["it, after a comma", "tm,project", "scopes are separated by spaces: scope=tm%20project (the app sent tm,project)"],
    [
      "it, after a comma and a space",
      "tm, project",
      "scopes are separated by spaces: scope=tm%20project (the app sent tm, project)",
    ],
  ])("say which scope to ask for if the app asked for %s", (_, scope, hint) => {
    expect(use({ ...called(exchange, unscoped), authorization: authorization({ scope }) })?.hint).toBe(hint);
  });

  const elsewhere = (setting: string) => `${setting} is a page of the app for a logged-in user`;
  it.each<[landing: LoginLanding, setting: OAuthLoginFacts["useSetting"], message: string, hint: string]>([
    [page(403), "--use", "on --use the app answered 403: Hello", elsewhere("--use")],
    [
      page(403),
      "verify.oauth.use",
      "on the page that uses the token the app answered 403: Hello",
      elsewhere("verify.oauth.use"),
    ],
    [toPlatform, "--use", "on --use the app sent the user to the platform again", elsewhere("--use")],
    [
      { ...trouble, hint: "start it" },
      "--use",
      "on --use the app did not answer properly: nothing listens",
      "start it",
    ],
  ])("are blamed for the page that should make them: %j, named by %s", (landing, useSetting, message, hint) => {
    expect(use({ ...opened(landing), useSetting })).toEqual({ result: "fail", message, hint });
  });

  it.each<[what: string, facts: OAuthLoginFacts, message: string]>([
    ["the callback failed", { ...good, callback: visit(page(500), [exchange]) }, "the app's callback failed"],
    ["no page was named for them", called(exchange), "the app did not call the API after the login"],
    ["the page that was named makes none", opened(page(200)), "the app did not call the API at --use either"],
  ])("are missing if %s", (_, facts, message) => {
    expect(use(facts)).toMatchObject({ result: "skip", message });
  });

  it.each<[what: string, facts: OAuthLoginFacts, isRefused: boolean]>([
    ["without a token", called(exchange, unauthorized), true],
    ["with the token in the URL", called(exchange, inUrl), true],
    ["without its scope", called(exchange, unscoped), true],
    ["to something that does not exist", called(exchange, missing), false],
    ["that the API accepts", called(exchange, request("api")), false],
    ["in a login without tokens", called(request("exchange", { error: "invalid_grant" })), false],
  ])("decide whether a refresh would prove anything: a call %s", (_, facts, isRefused) => {
    expect(isUseRefused(facts)).toBe(isRefused);
  });
});
