import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/journal/exchange.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { judgeOAuthLogin } from "../../src/oauth-login/checks/judge-login.ts";
import type { OAuthLoginFacts } from "../../src/oauth-login/checks/login-facts.ts";
import { app, good, page, platform, toPlatform, verdictOf, visit } from "./made-facts.ts";

describe("C12: secrets in anything that the app sends to its user", () => {
  type Answered = [status: number, headers: [string, string][], body?: string];

  const answer = ([status, headers, body = ""]: Answered): Exchange => ({
    type: "exchange",
    id: "x",
    purpose: "visit",
    module: null,
    startedAt: "2030-01-01T00:00:00.000Z",
    timings: { headersMs: 1, totalMs: 1 },
    request: { method: "GET", url: `${app.url}/callback`, headers: [], body: recordBody(Buffer.alloc(0)) },
    response: { status, headers, body: recordBody(Buffer.from(body)) },
    outcome: { kind: "answered" },
  });

  it.each<[what: string, sent: Answered, result: "fail" | "warn" | "pass"]>([
    ["the client secret in an answer on the way", [302, [["location", "/"]], `secret ${app.clientSecret}`], "fail"],
    ["the access token in an address", [302, [["location", "/projects?token=the-access-token"]]], "fail"],
    ["it, percent-encoded", [302, [["location", "/projects?t=the%2Daccess%2Dtoken"]]], "fail"],
    ["it in a cookie that scripts read", [200, [["set-cookie", "t=the-access-token; Path=/"]]], "fail"],
    ["it in a cookie that no script reads", [200, [["set-cookie", "t=the-access-token; HttpOnly"]]], "pass"],
    ["the app's secret in any cookie", [200, [["set-cookie", `s=${app.appSecret}; HttpOnly`]]], "fail"],
    ["the access token in another header", [200, [["x-token", "the-access-token"]]], "warn"],
    ["the client secret in another header", [200, [["x-key", app.clientSecret]]], "fail"],
    [
      "the access token in a header before a secret",
      [
        200,
        [
          ["x-token", "the-access-token"],
          ["x-key", app.appSecret],
        ],
      ],
      "fail",
    ],
    ["the access token in the body of an answer on the way", [200, [], "the-access-token"], "pass"],
    [
      "a secret in the address of the login page, which has a check of its own",
      [302, [["location", `${platform}/oauth/authorize?key=${app.clientSecret}`]]],
      "pass",
    ],
    ["a code in a redirect of the app to itself", [302, [["location", "/callback/?code=the-code-of-it"]]], "pass"],
    ["it in an address that ends like such a cookie", [302, [["location", "/?t=the-access-token;httponly"]]], "fail"],
    ["nothing", [200, [["content-type", "text/html"]], "Hello"], "pass"],
  ])("%s", (_, sent, result) => {
    const facts = {
      ...good,
      answers: [answer(sent)],
      issued: [...good.issued, { name: "code", value: "the-code-of-it" }],
    };
    const findings = judgeOAuthLogin(facts as OAuthLoginFacts);
    expect(findings.find(({ check }) => check === "oauth.secrets")?.result).toBe(result);
  });

  it.each<[what: string, body: string, result: "fail" | "warn" | "pass"]>([
    ["the code_verifier", "the-verifier-of-it", "fail"],
    ["the refresh token", "the-refresh-token", "fail"],
    ["the code, which is used up", "the-code-of-it", "warn"],
    ["no secret", "Hello", "pass"],
  ])("looks for all of them in pages: %s", (_, body, result) => {
    const issued = [
      { name: "code", value: "the-code-of-it" },
      { name: "code_verifier", value: "the-verifier-of-it" },
      { name: "refresh_token", value: "the-refresh-token" },
    ] as const;
    const facts = { ...good, callback: visit(page(200, body)), use: visit(toPlatform), issued };
    expect(verdictOf("oauth.secrets", facts)?.result).toBe(result);
  });

  it.each([
    ["in the query", "/projects?access_token=the-access-token", /redirect from \/callback to http:.*\/projects holds/],
    ["in the fragment", "/projects#access_token=the-access-token", /redirect from \/callback to .*\/projects holds/],
    ["in the path: it is not shown", "/projects/the-access-token", /the app's redirect to an address holds/],
  ])("names the redirect whose address has it %s", (_, location, says) => {
    const facts = { ...good, answers: [answer([302, [["location", location]]])] };
    const { message } = judgeOAuthLogin(facts).find(({ check }) => check === "oauth.secrets") ?? {};
    expect(message).toMatch(says);
    expect(message).not.toContain("the-access-token");
  });
});
