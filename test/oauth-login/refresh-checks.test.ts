import { describe, expect, it } from "vitest";
import { judgeOAuthLogin } from "../../src/oauth-login/checks/judge-login.ts";
import type { AppVisit, LoginLanding, PlatformRequest } from "../../src/oauth-login/checks/login-facts.ts";
import { isRefreshed } from "../../src/oauth-login/checks/token-checks.ts";
import { page, refreshed, request, toPlatform, trouble, turned, verdictOf, visit } from "./made-facts.ts";

describe("the refresh of a token", () => {
  const expired = request("api", { error: "invalid_token" });
  const refresh = request("refresh");
  const refused = request("refresh", { error: "invalid_grant" });
  const api = request("api");
  const unscoped = request("api", { error: "insufficient_scope" });
  const judged = (landing: LoginLanding, ...requests: PlatformRequest[]) =>
    verdictOf("oauth.refresh", turned(visit(landing, requests)));

  it.each<[what: string, landing: LoginLanding, requests: PlatformRequest[], result: string, message: string]>([
    ["the app is gone", trouble, [], "fail", "nothing listens"],
    ["it is refused", page(502), [expired, refused], "fail", "the refresh was refused: invalid_grant"],
    [
      "one of two is refused",
      page(200),
      [expired, refused, refresh, api],
      "pass",
      "the app got new tokens and continues",
    ],
    ["it is done twice", page(200), [refresh, refresh, api], "warn", "the app refreshed 2 times for one page"],
    [
      "it is done three times",
      page(200),
      [refresh, refresh, refresh],
      "warn",
      "the app refreshed 3 times for one page",
    ],
    [
      "it is done four times",
      page(200),
      [refresh, refresh, refresh, refresh],
      "fail",
      "the app requested new tokens 4 times in a row",
    ],
    [
      "a good page hides that it is missing",
      page(200),
      [expired],
      "fail",
      "the access token had expired, but the app did not refresh it: the app answered 200: Hello",
    ],
    [
      "the app shows an error without a call",
      page(500),
      [],
      "fail",
      "the access token had expired: the app answered 500: Hello",
    ],
    [
      "the user has to log in again",
      toPlatform,
      [expired],
      "warn",
      "the app makes its user log in again, and never uses its refresh token",
    ],
    [
      "the user has to log in again in spite of it",
      toPlatform,
      [refresh],
      "fail",
      "the app got new tokens, but sent the user to the platform again",
    ],
    [
      "the app shows an error in spite of it",
      page(500),
      [refresh, api],
      "fail",
      "the app got new tokens, but answered 500: Hello",
    ],
    [
      "the last call after it is refused",
      page(200),
      [expired, refresh, api, expired],
      "fail",
      "the app got new tokens, but its last call to the API was refused: invalid_token",
    ],
    [
      "the last call after it lacks a scope",
      page(200),
      [refresh, unscoped],
      "pass",
      "the app got new tokens and continues",
    ],
  ])("is judged if %s", (_, landing, requests, result, message) => {
    expect(judged(landing, ...requests)).toMatchObject({ result, message });
  });

  it("has the hint of the app that is gone", () => {
    expect(judged({ ...trouble, hint: "start it" })?.hint).toBe("start it");
  });

  it("says that both ways were tried, if the app's own clock was", () => {
    const facts = turned(visit(page(502), [expired]));
    const hint = (ownClock: AppVisit | null) => verdictOf("oauth.refresh", { ...facts, ownClock })?.hint;
    const both = ". app-sim tried both: it answered 401, and it issued a token valid for 1 s. If the app refreshes in";
    expect(hint(visit(page(200)))).toContain(both);
    expect(hint(null)).toMatch(/and repeat the call$/);
  });

  it.each<[what: string, turn: AppVisit, continues: boolean]>([
    ["refreshes once", refreshed, true],
    ["refreshes twice", visit(page(200), [refresh, refresh, api]), true],
    ["is refused once before", visit(page(200), [expired, refused, refresh, api]), true],
    ["shows an error after it", visit(page(500), [refresh]), false],
    ["makes the user log in again", visit(toPlatform, [expired]), false],
    ["does nothing", visit(page(200)), false],
  ])("shows whether the clock is worth advancing again: the app %s", (_, turn, continues) => {
    expect(isRefreshed(turn)).toBe(continues);
  });

  it.each([
    ["because of a wrong secret", "client_secret is wrong", /^send the PLATFORM_CLIENT_ID and PLATFORM_CLIENT_SECRET/],
    [
      "because the secret is missing",
      "client_secret is missing",
      /^a refresh needs the secret, even if .*: send the PLATFORM_CLIENT_ID/,
    ],
  ])("says what to send if it was refused %s", (_, reason, says) => {
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
});
