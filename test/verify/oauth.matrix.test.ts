import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import { oauthChecks } from "../../src/oauth-checks/checks.ts";
import { paintWith } from "../../src/output/paint.ts";
import { noEvidence } from "../../src/platform/result-evidence.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { verifyText } from "../../src/verify/text/verify-text.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { startCookieApp } from "./apps/cookie-oauth-app.ts";
import { startEditedApp } from "./edited-app.ts";
import { faultsOf, variationsOf } from "./faults.ts";

describe("a correct app as an OAuth client", () => {
  test("passes every check", async () => {
    await using edited = await startEditedApp([]);
    const { checks } = await edited.sim.verify({ only: ["oauth"], slow: true });
    expect(checks.filter(({ result }) => result !== "pass")).toEqual([]);
    expect(checks).toHaveLength(oauthChecks.length);
  });

  test.each(variationsOf("oauth"))("right too: $id: $says", async ({ edits, verify = {} }) => {
    await using edited = await startEditedApp(edits, { verify });
    const { checks } = await edited.sim.verify({ only: ["oauth"], slow: true });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
    expect(checks.filter(({ result }) => result === "pass").length).toBeGreaterThan(30);
  });
});

describe.concurrent("a faulty app as an OAuth client", () => {
  test.each(faultsOf("oauth"))("$id: $says", async ({ edits, checks: expected }) => {
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: expected, slow: true });
    const found = checks.filter(({ result }) => result === "fail" || result === "warn").map(({ id }) => id);
    for (const id of expected) expect(found).toContain(id);
  });
});

test("a correct app that keeps its sessions in cookies, without PKCE", async () => {
  const port = await unusedPort();
  const client = { clientId: "cookie-app", clientSecret: "canary-cookie-app-secret-0123456789" };
  const url = `http://127.0.0.1:${port}`;
  const sim = await startPlatform({ app: { ...client, url, redirectUris: [`${url}/auth/back`] } });
  const app = await startCookieApp({ ...client, authUrl: sim.url, port });
  try {
    const { checks } = await sim.verify({ only: ["oauth"], slow: true });
    const found = checks.filter(({ result }) => result !== "pass" && result !== "skip");
    expect(found.map(({ id, result }) => `${id} ${result}`)).toEqual(["oauth.request.pkce warn"]);
    const skipped = checks.filter(({ result }) => result === "skip").map(({ id }) => id);
    expect(skipped).toEqual([
      "oauth.exchange.verifier",
      "oauth.exchange.verifier-random",
      "oauth.request.verifier",
      "oauth.callback.code-injected",
      "oauth.refresh.at-once",
      "oauth.api.early",
    ]);
  } finally {
    await app.close();
    await sim.close();
  }
});

test.each([
  ["leaves refusing a missing code to the platform", "oauth-code-unchecked", "oauth.callback.code-missing"],
  ["breaks at a missing code", "oauth-code-missing-500", "oauth.callback.code-missing"],
  ["breaks at a state that every object has", "oauth-state-inherited-500", "oauth.callback.state-inherited"],
  ["ignores what follows the state", "oauth-state-longer", "oauth.callback.state-longer"],
])("a client that %s gets only a warning", async (_, fault, id) => {
  const edits = faultsOf("oauth").find((each) => each.id === fault)?.edits ?? [];
  await using edited = await startEditedApp(edits);
  const { checks } = await edited.sim.verify({ only: ["oauth.callback"], skip: ["oauth.callback.odd"] });
  expect(checks.filter(({ result }) => result !== "pass").map((check) => `${check.id} ${check.result}`)).toEqual([
    `${id} warn`,
  ]);
});

test("a session cookie that is readable only after a refresh is found, and the answer that sets it", async () => {
  const file = "oauth-login.js";
  const [{ from = "", to = "" } = {}] =
    faultsOf("oauth").find(({ id }) => id === "oauth-session-readable-again")?.edits ?? [];
  const refreshed = "session.tokens = await client.refresh(refreshToken);";
  await using edited = await startEditedApp([
    { file, from, to: `if (!session.isRefreshed) ${from}\n      ${to}` },
    { file, from: refreshed, to: `${refreshed}\n      session.isRefreshed = true;` },
  ]);
  const { checks } = await edited.sim.verify({
    only: ["oauth.session.http-only", "oauth.refresh"],
    skip: ["oauth.refresh.recovers"],
  });
  const found = checks.filter(({ result }) => result !== "pass");
  expect(found.map(({ id, result, reason }) => ({ id, result, reason }))).toEqual([
    {
      id: "oauth.session.http-only",
      result: "warn",
      reason: "the cookie sample_app_session carries the session, but /projects sets it again without HttpOnly",
    },
  ]);
  const [shown] = found[0]?.exchanges ?? [];
  const answer = edited.sim.journal.list().find((record) => record.type === "exchange" && record.id === shown);
  expect(JSON.stringify(answer)).toContain("; Path=/; SameSite=Lax");
});

test.each([
  ["oauth-token-missing", "oauth.token.incomplete", "the app called the API with `Bearer undefined`"],
  ["oauth-token-empty", "oauth.token.empty", "the app called the API without a token"],
  ["oauth-token-any-type", "oauth.token.other-type", "the browser is logged in"],
])("%s: the finding says what the app did", async (fault, id, happened) => {
  const edits = faultsOf("oauth").find((each) => each.id === fault)?.edits ?? [];
  await using edited = await startEditedApp(edits);
  const { checks } = await edited.sim.verify({ only: [id] });
  expect(checks.map(({ reason }) => reason)).toEqual([expect.stringMatching(`, and ${happened}$`)]);
});

test("an app that spares a failing platform for a long time is not accused of losing sessions", async () => {
  const edits = variationsOf("oauth").find(({ id }) => id === "oauth-breaker")?.edits ?? [];
  const longer = edits.map((edit) => ({ ...edit, to: edit.to.replace("+ 5000", "+ 60_000").replace('"5"', '"60"') }));
  await using edited = await startEditedApp(longer);
  const { checks } = await edited.sim.verify({ only: ["oauth.refresh.failing", "oauth.api.failing"] });
  const reason =
    "the app answered 503 without calling the platform soon after a fault: whether it does so later is not known";
  expect(checks.map(({ result, reason: why }) => [result, why])).toEqual([
    ["skip", reason],
    ["skip", reason],
  ]);
});

test("an app whose refreshes are all refused is not accused of keeping its session in a cookie", async () => {
  const [from, to] = ["refresh_token: refreshToken }", "refresh_token: String(undefined) }"];
  await using edited = await startEditedApp([{ file: "oauth.js", from, to }]);
  const { checks } = await edited.sim.verify({ only: ["oauth.refresh", "oauth.refresh.at-once"] });
  expect(checks.map(({ id, result, reason }) => [id, result, reason])).toEqual(
    expect.arrayContaining([
      ["oauth.refresh.at-once", "skip", "the platform refused every refresh of the app"],
      ["oauth.refresh", "fail", expect.stringContaining("refresh_token is the word undefined")],
    ]),
  );
});

test("a rate-limited login link is not a fault of the app", async () => {
  const to = 'const login = async (request) => {\n    throw new Refusal(429, "Too many logins.");';
  await using edited = await startEditedApp(
    [{ file: "oauth-login.js", from: "const login = async (request) => {", to }],
    { verify: { oauth: { start: "/login" } } },
  );
  const { checks } = await edited.sim.verify({ only: ["oauth.start"] });
  expect(checks.map(({ result, reason }) => ({ result, reason }))).toEqual([
    { result: "inconclusive", reason: "the app answered 429 to the login link" },
  ]);
});

test("an app that limits logins: all checks that this stops have one reason, and one place in the report", async () => {
  const to = [
    "const login = async (request) => {",
    "    logins += 1;",
    '    if (logins > 12) throw new Refusal(429, "Too many logins.", { "retry-after": String(99 - logins) });',
  ].join("\n");
  await using edited = await startEditedApp([
    { file: "oauth-login.js", from: "const login = async (request) => {", to },
    { file: "oauth-login.js", from: "const LIMIT = 10_000;", to: "const LIMIT = 10_000;\nlet logins = 0;" },
  ]);
  const result = await edited.sim.verify({ only: ["oauth.callback", "oauth.denied", "oauth.token"] });
  const stopped = result.checks.filter((check) => check.result !== "pass");
  expect(new Set(stopped.map((check) => `${check.result}: ${check.reason}`))).toEqual(
    new Set(["inconclusive: the app answered 429 (Retry-After 86) to a correct login"]),
  );
  const text = verifyText(result, noEvidence, paintWith(new Chalk({ level: 0 }), Number.POSITIVE_INFINITY));
  expect(text.filter((line) => line.startsWith("?"))).toEqual([
    `? inconclusive ${stopped.length} checks that depend on a correct request, which the app did not accept`,
  ]);
  expect(text.join("\n")).toContain("Raise the app's limit for this run");
});

test("checks that could not be tried because the app was gone are inconclusive", async () => {
  await using edited = await startEditedApp([]);
  let begun = 0;
  const { checks } = await edited.sim.verify({
    only: ["oauth.callback", "oauth.denied", "oauth.token"],
    wait: 0,
    onCheck: ({ what }) => {
      if (what !== "began") return;
      begun += 1;
      if (begun === 3) void edited.app.close();
    },
  });
  const found = checks.filter(({ result }) => result !== "pass");
  expect(new Set(found.map(({ result, reason }) => `${result}: ${reason}`))).toEqual(
    new Set(["fail: the app was gone after it", "inconclusive: the app was gone before it"]),
  );
});

test("every check finds at least one fault", () => {
  const found = new Set(faultsOf("oauth").flatMap(({ checks }) => checks));
  expect(oauthChecks.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([]);
});

describe("a redirect address that is not registered", () => {
  const startAt = async (redirectUris: string[]) => {
    await using edited = await startEditedApp([], {});
    const [app] = edited.sim.config.apps;
    if (app === undefined) throw new RangeError("no app");
    const { url, clientId, clientSecret, appSecret } = app;
    const port = Number(new URL(edited.sim.url).port);
    await edited.sim.close();
    await using sim = await startPlatform({
      port,
      app: { url, clientId, clientSecret, appSecret, redirectUris },
      verify: { oauth: { start: "/login" } },
    });
    const { checks } = await sim.verify({ only: ["oauth.start", "oauth.request.redirect-uri"] });
    return checks.map(({ id, result, reason }) => ({ id, result, reason }));
  };

  test("is a finding if another one is registered", async () => {
    expect(await startAt(["http://127.0.0.1:9/elsewhere"])).toEqual([
      { id: "oauth.start", result: "pass", reason: null },
      {
        id: "oauth.request.redirect-uri",
        result: "fail",
        reason: expect.stringContaining('"redirectUris": ["http://127.0.0.1:'),
      },
    ]);
  });

  test("is shown as a line for the configuration if none is registered", async () => {
    const reason = expect.stringMatching(
      /^no redirect address is registered .*"redirectUris":\["http:.*\/oauth\/callback"\]/,
    );
    expect(await startAt([])).toEqual([
      { id: "oauth.start", result: "inconclusive", reason },
      { id: "oauth.request.redirect-uri", result: "skip", reason },
    ]);
  });
});
