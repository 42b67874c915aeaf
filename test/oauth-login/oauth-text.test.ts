import { Chalk } from "chalk";
import { describe, expect, it, test } from "vitest";
import { secretsOf } from "../../src/config/secrets.ts";
import { type OAuthLoginOptions, type OAuthLoginResult, startSimulator } from "../../src/index.ts";
import { issuedSecrets } from "../../src/journal/issued-secrets.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { exchangeLine, oauthText } from "../../src/oauth-login/oauth-text.ts";
import { paintWith } from "../../src/output/paint.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";
import { rawControls } from "../rig/output.ts";
import { type OAuthAppWays, startOAuthApp } from "./oauth-app.ts";

const paint = paintWith(new Chalk({ level: 0 }), 80);
const evil = "a\u001b[31mb\u202ec\u2028d\re\u009bf";

/** What a person reads of a login, and what was issued in it. */
async function shown(ways: OAuthAppWays, options: Partial<OAuthLoginOptions> = {}) {
  await using app = await startOAuthApp(ways);
  await using sim = await startSimulator({ app: { url: app.url, redirectUris: [app.callbackUrl] } });
  app.platform = sim.url;
  const result = await sim.oauthLogin({ start: "/login", ...options });
  const records = sim.journal.list();
  const issued = records.flatMap((record) => (record.type === "exchange" ? issuedSecrets(record) : []));
  const lines = oauthText(
    result,
    (id) => {
      const record = sim.journal.find(id);
      return record?.type === "exchange" ? exchangeLine(record, new Redactor(secretsOf(sim.config)), paint) : [];
    },
    paint,
  );
  return { lines, text: lines.join("\n"), issued };
}

describe("a login by OAuth as text", () => {
  it("shows each step with its exchanges, and how it ended", async () => {
    const { lines, text } = await shown({});
    expect(lines[0]).toMatch(/^OAuth login as member \(user 104\) from http:\/\/127\.0\.0\.1:\d+\/login$/);
    const steps = lines.flatMap((line) => /^ {2}(\S) (\S+) +(passed|failed|skipped)/.exec(line)?.slice(1) ?? []);
    const names = [
      "start",
      "authorize",
      "consent",
      "exchange",
      "callback",
      "forged",
      "api",
      "refresh",
      "refresh-again",
    ];
    expect(steps).toEqual(names.flatMap((name) => ["✓", name, "passed"]));
    expect(text).toMatch(/\n {6}user → app {6}GET 127\.0\.0\.1:\d+\/login ← 302 {2}exchange \w{8}\n/);
    expect(text).toMatch(/\n {6}app → platform {2}POST \/oauth\/token ← 200 {2}exchange \w{8}\n/);
    expect(text).toMatch(/API 401, refresh 200, API 200 after 7200 s/);
    expect(text).toMatch(/\nThe app logs its user in and uses its tokens: \d+ checks passed\n/);
  });

  it("ends with why it failed and what to do, which no step repeats", async () => {
    const { text } = await shown({ redirectUri: (usual) => `${usual}/` });
    expect(text).toMatch(/\n {2}✗ authorize failed\n/);
    const [, end = ""] = text.split("\nFailed at authorize: ");
    expect(end.replaceAll("\n", " ")).toMatch(
      /^redirect_uri \S+\/callback\/ is not registered; it differs from the registered \S+\/callback only by the trailing slash of its path hint: if the app serves its callback with the slash, register exactly/,
    );
    expect(end).toMatch(/app: { redirectUris: \["http:\/\/127\.0\.0\.1:\d+\/callback\/"\] }/);
  });

  it("marks a step with a warning, and ends with the warning if warnings fail the login", async () => {
    const { text } = await shown({ pkce: "plain" }, { strict: true, refresh: false });
    expect(text).toMatch(/\n {2}! authorize warned: the platform asks the user\n/);
    expect(text).toMatch(/\n {2}! warning: PKCE with plain/);
    expect(text).toMatch(/\nFailed at authorize by a warning \(strict\): PKCE with plain/);
  });

  it("shows warnings with their check and hint, even with a failure", async () => {
    const { text } = await shown({ pkce: "none", state: "none" });
    expect(text).toMatch(
      /\n {2}! warning: no code_challenge was sent[^[]*\[oauth\.request\.pkce,\s+interface 5\.2\]\n {6}hint: /,
    );
    expect(text).toMatch(/\nFailed at authorize: no state was sent/);
  });

  it("says why a step was skipped, and how to enable it", async () => {
    const { text } = await shown({ api: "none" });
    expect(text).toMatch(/\n {2}- api +skipped: the app did not call the API after the login\n/);
    expect(text).toMatch(/hint: name a page of the app that makes it call the API: the option\s+use\n/);
    expect(text).toMatch(
      /\nThe app logs its user in \(it is not known whether it uses its tokens\): \d+ checks\s+passed\n/,
    );
  });

  it("marks a well-handled refusal as right", async () => {
    const { text } = await shown({}, { deny: true });
    expect(text).toMatch(/\n {2}✓ consent +passed: the user declines\n/);
    expect(text).toMatch(/\nThe app handles the user's refusal correctly: /);
  });

  it.each<[string, OAuthAppWays, Partial<OAuthLoginOptions>]>([
    ["good", {}, {}],
    ["denied", {}, { deny: true }],
    ["broken", { callback: "500", state: "none", pkce: "plain" }, {}],
  ])("keeps within 80 columns: %s", async (_, ways, options) => {
    const { lines } = await shown(ways, options);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it.each(["access-token", "refresh-token"] as const)("S27: shows no code, verifier or token: %s", async (tells) => {
    const { text, issued } = await shown({ tells });
    expect(new Set(issued.map(({ name }) => name))).toEqual(
      new Set(["code", "code_verifier", "access_token", "refresh_token"]),
    );
    expect(issued.filter(({ value }) => text.includes(value))).toEqual([]);
  });
});

describe("S15: whatever an app says", () => {
  const step: OAuthLoginResult["steps"][number] = {
    step: "callback",
    result: "passed",
    text: evil,
    hint: evil,
    details: [evil],
    exchanges: [],
  };
  const result: OAuthLoginResult = {
    command: "oauth",
    outcome: "failed",
    decision: "approve",
    reason: evil,
    hint: evil,
    failure: "other",
    start: `http://127.0.0.1/${evil}`,
    user: { id: 1, role: "member" },
    steps: [step, { ...step, result: "failed" }, { ...step, result: "skipped" }],
    findings: [
      {
        check: "oauth.callback",
        section: "5.2",
        result: "warn",
        path: "x",
        message: `${evil}!`,
        step: "callback",
        hint: evil,
      },
    ],
    warnings: [],
    choices: [],
  };

  it("is harmless", () => {
    expect(rawControls(oauthText(result, () => [], paint).join("\n"))).toEqual([]);
  });

  it("and an interruption is named as the end", () => {
    const interrupted = oauthText({ ...result, failure: "interrupted" }, () => [], paint);
    expect(interrupted.at(-1)).toBe("Interrupted: the login was not finished");
  });
});

test.each([
  [40, "user → app  exchange aaaabbbb|  GET /oauth/callback ← 200"],
  [80, "user → app      GET /oauth/callback ← 200  exchange aaaabbbb"],
  [120, "user → app      GET 127.0.0.1:30001/oauth/callback ← 200  exchange aaaabbbb"],
])("at %i columns the path of an exchange is shown, and the host if there is room", (width, shown) => {
  const request = {
    ...exchangeRecord("x").request,
    method: "GET",
    url: "http://127.0.0.1:30001/oauth/callback?code=1",
  };
  const exchange = exchangeRecord("aaaabbbb", { purpose: "visit", request });
  const lines = exchangeLine(exchange, new Redactor([]), paintWith(new Chalk({ level: 0 }), width));
  expect(lines.join("|")).toBe(shown);
});
