import { describe, expect, test } from "vitest";
import { type OAuthLoginResult, oauthLoginResultSchema, reportText, startSimulator } from "../../src/index.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { type OAuthAppWays, startOAuthApp } from "./oauth-app.ts";

async function oauth(ways: OAuthAppWays, args: (callback: string) => readonly string[]) {
  const port = await unusedPort();
  await using app = await startOAuthApp(ways);
  app.platform = `http://127.0.0.1:${port}`;
  const common = ["oauth", "--app", app.url, "--port", String(port), "--start", "/login"];
  return { ...(await runLine([...common, ...args(app.callbackUrl)])), callback: app.callbackUrl };
}

describe("app-sim oauth", () => {
  test("a correct app: each step, exit 0", async () => {
    const { code, stdout, stderr } = await oauth({}, (callback) => ["--redirect-uri", callback]);
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^OAuth login as member \(user 104\) from /);
    expect(stdout).toMatch(/✓ refresh-again passed: API 401, refresh 200, API 200/);
    expect(stdout).toMatch(/\nThe app logs its user in and uses its tokens: /);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /To test what else the app must refuse: app-sim verify --only oauth --app \S+ --port \d+ --redirect-uri \S+ $/,
    );
  });

  test("an address that is not registered: says which flag to add, exit 1", async () => {
    const { code, stdout, callback } = await oauth({}, () => []);
    expect(code).toBe(1);
    expect(stdout).toContain(`--redirect-uri=${callback} `);
    const second = await oauth({}, (other) => [`--redirect-uri=${other}`, "--no-refresh"]);
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(/- refresh +skipped: the refresh was skipped on request/);
  });

  test("--strict: a warning is exit 1, without it exit 0", async () => {
    for (const [flags, expected] of [
      [[], 0],
      [["--strict"], 1],
    ] as const) {
      const { code, stdout } = await oauth({ pkce: "plain" }, (callback) => ["--redirect-uri", callback, ...flags]);
      expect(code).toBe(expected);
      expect(stdout).toMatch(/\n {2}! authorize +warned: /);
      expect(stdout).toMatch(/\n {2}! warning: PKCE with plain[^[]*\[oauth\.request\.pkce,[^[]*\n {6}hint: /);
    }
  });

  test("no state, and a token in a page: the same warnings in text, as JSON and in the library", async () => {
    const ways = { state: "none", tells: "access-token" } as const;
    const told = ["no state was sent: the app cannot tell", "the app's page holds the access_token"];
    const text = (await oauth(ways, (callback) => ["--redirect-uri", callback])).stdout;
    const json = await oauth(ways, (callback) => ["--redirect-uri", callback, "--format", "json"]);
    await using app = await startOAuthApp(ways);
    await using sim = await startSimulator({ app: { url: app.url, redirectUris: [app.callbackUrl] } });
    app.platform = sim.url;
    const result = await sim.oauthLogin({ start: "/login" });
    const warnedIn = ({ findings }: OAuthLoginResult) =>
      findings.flatMap(({ result: found, message }) => (found === "warn" ? message : []));
    for (const warned of [warnedIn(result), warnedIn(oauthLoginResultSchema.parse(onlyObject(json.stdout)))])
      expect(warned).toEqual(told.map((words) => expect.stringContaining(words)));
    for (const report of [text, await reportText(result)]) {
      for (const words of told) expect(report).toContain(`! warning: ${words}`);
      expect(report).toMatch(/^The app logs .*: \d+ checks passed, 2 warnings$/m);
    }
  });

  test("--deny as JSON: a well-handled refusal is a success, whatever oauth.consent is", async () => {
    const { code, stdout } = await oauth({}, (callback) => [
      ...["--redirect-uri", callback, "--deny", "--user", "admin", "--format", "json"],
    ]);
    const result = oauthLoginResultSchema.parse(onlyObject(stdout));
    expect(code).toBe(0);
    expect(result).toMatchObject({ outcome: "denied", decision: "deny", user: { role: "admin" } });
  });

  test("S27: an app that shows its tokens: none is printed in either format", async () => {
    for (const format of ["text", "json"]) {
      const { code, stdout } = await oauth({ tells: "refresh-token" }, (callback) => [
        ...["--redirect-uri", callback, "--format", format],
      ]);
      expect(code).toBe(1);
      expect(stdout).toContain("the app's page holds the refresh_token");
      // What is left of the page, with the token of 43 characters hidden.
      expect(stdout).not.toMatch(/(?<![\w-])[\w-]{43}(?![\w-])/);
    }
  });

  test("an app that is not running: exit 3", async () => {
    const app = `http://127.0.0.1:${await unusedPort()}`;
    const { code, stdout } = await runLine(["oauth", "--app", app, "--port", "0", "--start", "/login"]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/\nFailed at start: nothing listens at /);
  });

  test.each([
    ["no --start", [], /--start/],
    ["another site", ["--start", "https://example.com/"], /not an address of the app/],
  ])("%s: exit 2", async (_, args, says) => {
    const { code, stdout, stderr } = await runLine(["oauth", "--port", "0", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(says);
  });
});
