import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { schemaOf } from "../../src/action/check-options.ts";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { systemClock } from "../../src/app-client/ports.ts";
import {
  type OAuthLoginOptions,
  type OAuthLoginResult,
  oauthLoginResultSchema,
  type SimulatorOptions,
} from "../../src/index.ts";
import { oauthLoginOptions } from "../../src/oauth-login/oauth-login-options.ts";
import { reportText } from "../../src/report-text.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { blocksOf } from "../rig/docs.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { assemble, exchangesOf, usageErrorOf } from "../rig/simulation.ts";
import { type OAuthApp, type OAuthAppWays, startOAuthApp } from "./oauth-app.ts";

interface Run extends AsyncDisposable {
  readonly app: OAuthApp;
  readonly sim: Awaited<ReturnType<typeof startPlatform>>;
  readonly login: (options?: Partial<OAuthLoginOptions>) => Promise<OAuthLoginResult>;
}

/** An app that does this wrong, registered with a platform of its own. */
async function start(ways: OAuthAppWays = {}, options: SimulatorOptions = {}): Promise<Run> {
  const app = await startOAuthApp(ways);
  const sim = await startPlatform({ app: { url: app.url, redirectUris: [app.callbackUrl] }, ...options });
  app.platform = sim.url;
  return {
    app,
    sim,
    login: async (more = {}) => {
      const result = await sim.oauthLogin({ start: "/login", ...more });
      expect(oauthLoginResultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
      return result;
    },
    async [Symbol.asyncDispose]() {
      await sim.close();
      await app.close();
    },
  };
}

/** Each step with what became of it, be there a warning or not. */
function stepsOf({ steps }: OAuthLoginResult): string[] {
  return steps.map(({ step, result }) => (result === "passed" || result === "warned" ? step : `${step} ${result}`));
}

/** What the checks found that is not good. */
function foundBy({ findings }: OAuthLoginResult): string[] {
  return findings.flatMap(({ check, result }) => (result === "pass" ? [] : [`${check} ${result}`]));
}

const whole = ["start", "authorize", "consent", "exchange", "callback", "forged", "api", "refresh", "refresh-again"];
const untilCallback = whole.slice(0, 5);

describe("a good app", () => {
  it("takes every step: state, PKCE, exchange, API, refresh, and again with the new refresh token", async () => {
    await using run = await start();
    const result = await run.login();
    expect(stepsOf(result)).toEqual(whole);
    expect(foundBy(result)).toEqual([]);
    expect(result).toMatchObject({
      command: "oauth",
      outcome: "ok",
      decision: "approve",
      reason: null,
      failure: null,
      start: `${run.app.url}/login`,
      user: { id: 104, role: "member" },
    });
    expect(exchangesOf(run.sim, "token").map(({ response }) => response?.status)).toEqual([200, 200, 200]);
    expect(exchangesOf(run.sim, "api").map(({ response }) => response?.status)).toEqual([200, 401, 200, 401, 200]);
    const ids = new Set(run.sim.journal.list().map(({ id }) => id));
    const named = result.steps.flatMap(({ exchanges }) => exchanges);
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
    expect(named).toHaveLength(run.sim.journal.list().filter(({ type }) => type === "exchange").length);
  });

  it("turns the platform's clock by the lifetime of two access tokens at most", async () => {
    await using run = await start({}, { choices: { "oauth.accessToken.lifetime": 60 } });
    const offsets: number[] = [];
    run.sim.journal.subscribe(() => {
      const { offsetMs } = run.sim.clock.state();
      if (offsetMs > (offsets.at(-1) ?? 0)) offsets.push(offsetMs);
    });
    await run.login();
    expect(offsets).toEqual([61_000, 2 * 61_000]);
  });

  it("is logged in as the named user", async () => {
    await using run = await start();
    expect((await run.login({ user: "manager", refresh: false })).user).toEqual({ id: 103, role: "manager" });
    const [call] = exchangesOf(run.sim, "consent");
    expect(Buffer.from(call?.request.body.base64 ?? "", "base64").toString()).toContain("user=maria.manager");
  });

  it.each<[string, OAuthAppWays, Partial<OAuthLoginOptions>?]>([
    ["exchanges with a form", { exchange: "form" }],
    ["authenticates by Basic", { exchange: "basic" }],
    ["tries one way of authentication after the other", { exchange: "try-both" }],
    ["needs no secret with PKCE", { exchange: "no-secret" }],
    ["refreshes before it calls", { refresh: "proactive" }],
    ["has its login link on a page", { start: "link" }],
    ["uses the token at another page", { callback: "here" }, { use: "/home" }],
    ["is begun by its whole address", {}, { start: "" }],
  ])("%s", async (_, ways, options = {}) => {
    await using run = await start(ways);
    const { start: given, ...more } = options;
    const result = await run.login(given === "" ? { start: `${run.app.url}/login` } : more);
    expect(foundBy(result)).toEqual([]);
    expect([result.outcome, stepsOf(result)]).toEqual(["ok", whole]);
  });
});

it.each(["own-clock", "own-clock-log-in"] as const)(
  "a correct app that refreshes its token only by its own clock is recognized, in a separate login: %s",
  async (refresh) => {
    await using run = await start({ refresh });
    const result = await run.login();
    expect(foundBy(result)).toEqual([]);
    expect([result.outcome, stepsOf(result)]).toEqual(["ok", whole.slice(0, 8)]);
    expect(result.steps.at(-1)?.text).toMatch(
      /refresh 200, API 200.* by the app's own clock, with an access token valid for 1 s$/,
    );
    const named = new Set(result.steps.flatMap(({ exchanges }) => exchanges));
    expect(named.size).toBe(run.sim.journal.list().filter(({ type }) => type === "exchange").length);
    expect(run.sim.clock.state().offsetMs).toBe(0);
  },
);

const C1 = "oauth.request";
const skippedRefresh = [...untilCallback, "forged", "api", "refresh skipped"];

describe("an app with one fault", () => {
  it.each<[fault: string, OAuthAppWays, steps: string[], found: string[]]>([
    ["C1: no state", { state: "none" }, failing("forged", whole, "skipped"), [`${C1}.state warn`, "oauth.forged skip"]],
    ["C1: a state of three letters", { state: "short" }, whole, [`${C1}.state warn`]],
    ["C1: a time as its state", { state: "number" }, whole, [`${C1}.state warn`]],
    ["C1: no PKCE", { pkce: "none" }, whole, [`${C1}.pkce warn`, "oauth.exchange.verifier skip"]],
    ["C2: one state for all", { state: "fixed" }, failing("forged", whole), ["oauth.forged.fresh fail"]],
    ["C2: one verifier for all", { pkce: "fixed" }, failing("forged", whole), ["oauth.forged.fresh fail"]],
    ["C3: the state is not compared", { otherState: "taken" }, failing("forged", whole), ["oauth.forged fail"]],
    ["C3: it is, but too late", { otherState: "taken-first" }, failing("forged", whole), ["oauth.forged fail"]],
    ["C3: an exception where it is another", { otherState: "500" }, whole, ["oauth.forged warn"]],
    ["C3: another site where it is another", { otherState: "elsewhere" }, whole, ["oauth.forged warn"]],
    ["C1: plain", { pkce: "plain" }, whole, [`${C1}.pkce warn`]],
    [
      "C1: neither state nor PKCE",
      { pkce: "none", state: "none" },
      failing("forged", failing("authorize", whole), "skipped"),
      [`${C1}.state fail`, `${C1}.pkce warn`, "oauth.exchange.verifier skip", "oauth.forged skip"],
    ],
    ["C1: a secret in the address", { secretInUrl: true }, failing("authorize", whole), [`${C1}.secret fail`]],
    [
      "C1: another redirect_uri than the registered one",
      { redirectUri: (usual) => `${usual}/` },
      ["start", "authorize failed"],
      [`${C1}.redirect-uri fail`],
    ],
    [
      "a challenge without its method",
      { pkce: "challenge-only" },
      ["start", "authorize failed", "exchange", "callback"],
      [`${C1} fail`],
    ],
    [
      "C3: a state that is good in any browser",
      { cookie: "none" },
      failing("forged", whole),
      ["oauth.cookie warn", "oauth.forged.browser fail"],
    ],
    [
      "a cookie that no other site's redirect brings back",
      { cookie: "strict" },
      failing("authorize", whole),
      ["oauth.cookie fail"],
    ],
    ["no exchange", { exchange: "none" }, failing("exchange", untilCallback), ["oauth.exchange fail"]],
    [
      "an exchange as text",
      { exchange: "text" },
      [...failing("exchange", untilCallback.slice(0, 4)), "callback skipped"],
      ["oauth.exchange.encoding fail", "oauth.callback skip"],
    ],
    [
      "a wrong secret",
      { exchange: "wrong-secret" },
      [...failing("exchange", untilCallback.slice(0, 4)), "callback skipped"],
      ["oauth.exchange.client fail", "oauth.callback skip"],
    ],
    [
      "no verifier",
      { exchange: "no-verifier" },
      [...failing("exchange", untilCallback.slice(0, 4)), "callback skipped"],
      ["oauth.exchange.verifier fail", "oauth.callback skip"],
    ],
    [
      "C8: the old refresh token is kept",
      { refresh: "old-token" },
      failing("refresh-again", whole),
      ["oauth.refresh.rotation fail"],
    ],
    ["C9: no refresh", { refresh: "none" }, failing("refresh", whole.slice(0, 8)), ["oauth.refresh fail"]],
    ["C9: the user has to log in again", { refresh: "log-in" }, whole.slice(0, 8), ["oauth.refresh warn"]],
    ["C8: a loop of refreshes", { refresh: "loop" }, failing("refresh", whole.slice(0, 8)), ["oauth.refresh fail"]],
    [
      "C8: two refreshes for one page",
      { refresh: "twice" },
      whole,
      ["oauth.refresh warn", "oauth.refresh.rotation warn"],
    ],
    ["C9: no second call", { refresh: "no-retry" }, failing("refresh", whole.slice(0, 8)), ["oauth.refresh fail"]],
    [
      "a page that breaks after the refresh",
      { refresh: "500" },
      failing("refresh", whole.slice(0, 8)),
      ["oauth.refresh fail"],
    ],
    ["C12: the access token on its page", { tells: "access-token" }, whole, ["oauth.secrets warn"]],
    [
      "C12: the client secret on its page",
      { tells: "client-secret" },
      failing("callback", whole),
      ["oauth.secrets fail"],
    ],
    [
      "C12: the refresh token on its page",
      { tells: "refresh-token" },
      failing("callback", whole),
      ["oauth.secrets fail"],
    ],
    ["no use of the token", { api: "none" }, ["", "api skipped"], ["oauth.api skip", "oauth.refresh skip"]],
    ["a call without the token", { api: "bare" }, ["", "api failed"], ["oauth.api.bearer fail", "oauth.refresh skip"]],
    ["the token in an address", { api: "query" }, ["", "api failed"], ["oauth.api.bearer fail", "oauth.refresh skip"]],
    ["a call to an address that is not simulated", { api: "unknown" }, [], ["oauth.api warn", "oauth.refresh fail"]],
    ["no page but the callback", { callback: "here" }, skippedRefresh, ["oauth.refresh skip"]],
  ])("%s", async (_, ways, steps, found) => {
    await using run = await start(ways);
    const result = await run.login();
    expect(foundBy(result)).toEqual(found);
    const isFailed = found.some((finding) => finding.endsWith(" fail"));
    expect(result.outcome).toBe(isFailed ? "failed" : "ok");
    const [first, ...rest] = steps;
    if (first === "") expect(stepsOf(result)).toEqual(expect.arrayContaining(rest));
    else if (first !== undefined) expect(stepsOf(result)).toEqual(steps);
    const warned = new Set(result.findings.filter(({ result }) => result === "warn").map(({ step }) => step));
    const passed = result.steps.filter(({ result }) => result === "passed").map(({ step }) => step);
    expect(passed.filter((step) => warned.has(step))).toEqual([]);
    const marked = result.steps.filter(({ result }) => result === "warned").map(({ step }) => step);
    expect(marked.filter((step) => !warned.has(step))).toEqual([]);
  });

  it.each([
    ["may have crossed, so that its tokens stay", 60_000, ["oauth.exchange.once fail"]],
    [
      "revokes its tokens",
      0,
      ["oauth.exchange.once fail", "oauth.callback skip", "oauth.api fail", "oauth.refresh skip"],
    ],
  ])("a code that is exchanged twice, and %s", async (_, graceMs, found) => {
    await using run = await start({ exchange: "twice" }, { choices: { "oauth.reuse.grace": graceMs } });
    expect(foundBy(await run.login())).toEqual(found);
  });

  it.each<[fault: string, OAuthAppWays, message: RegExp, hint: RegExp]>([
    [
      "the scope that the API needs was not asked for",
      { scope: "other" },
      /^the API answered: insufficient_scope: .*project/,
      /ask for the scope project .*the app asked for other/,
    ],
    ["the token is in an address", { api: "query" }, /in the URL of an API call/, /Authorization: Bearer/],
    ["there is nothing at that address", { api: "unknown" }, /^the API answered: 404: /, /^null$/],
    [
      "its address has no prefix",
      { api: "no-prefix" },
      /^the API answered: 404: app-sim serves nothing at \/projects, only GET \/api\/v2\/projects$/,
      /^null$/,
    ],
    ["the token is in quotes", { api: "quoted" }, /the access token is in quotes: send it without them$/, /^null$/],
    [
      "scopes with a comma between them",
      { scope: "project,user" },
      /insufficient_scope/,
      /^scopes are separated by spaces: scope=project%20user \(the app sent project,user\)$/,
    ],
  ])("is reported as the reason why the callback breaks: %s", async (_, ways, message, hint) => {
    await using run = await start({ ...ways, isBrittle: true });
    const result = await run.login();
    expect(stepsOf(result).slice(3)).toEqual(["exchange", "callback skipped", "api failed", "refresh skipped"]);
    expect(result.reason).toMatch(message);
    expect(String(result.hint)).toMatch(hint);
  });

  it.each<[NonNullable<OAuthAppWays["exchange"]>, details: RegExp, reason: RegExp]>([
    ["quoted-secret", /client_secret in the body,/, /^client_secret is the right one in quotes: remove them/],
    [
      "basic-too",
      /client_secret in the body and with Basic,/,
      /^client_secret was sent both with Basic and in the body$/,
    ],
  ])("the client's secret: %s", async (exchange, details, reason) => {
    await using run = await start({ exchange });
    const result = await run.login();
    expect(result.steps.find(({ step }) => step === "exchange")?.details.join(", ")).toMatch(details);
    expect(result.reason).toMatch(reason);
  });

  it("a refresh with the word undefined is distinguished from one with another's token, and the hint says what to store", async () => {
    await using run = await start({ refresh: "undefined" });
    const { reason, hint } = await run.login();
    expect(reason).toBe(
      "the refresh was refused: invalid_grant: refresh_token is the word undefined: the app has no value for it",
    );
    expect(hint).toMatch(/^each answer has a new refresh_token, .*: store it$/);
  });

  it("a callback that is refused after a login without a cookie: says so, and which cookie to set", async () => {
    await using run = await start({ cookie: "none", callback: "400" });
    const { reason, hint } = await run.login();
    expect(reason).toMatch(/^the app answered 400/);
    expect(hint).toMatch(/^the login started without a cookie, .*SameSite=Lax; Path=\//);
  });

  it("a redirect address that is only a path: says what to send, and not to register it", async () => {
    await using run = await start({ redirectUri: () => "/callback" });
    const { reason, hint } = await run.login();
    expect(reason).toBe("redirect_uri /callback is not registered, and is not a full URL");
    expect(hint).toBe(`let the app send the full URL, ${run.app.callbackUrl}`);
  });

  it("a call without the required scope fails, even if the page looks right", async () => {
    await using run = await start({ scope: "other" });
    const result = await run.login();
    expect(stepsOf(result).slice(4)).toEqual(["callback", "forged", "api failed", "refresh skipped"]);
  });

  it.each<[fault: string, string, RegExp]>([
    ["not registered", "admin", /^scope is a list .* registered for this app: project reports; .* scopes of the app/],
    ["missing", "", /registered for this app: project reports;/],
  ])("a scope that is %s: says which are registered, and where", async (_, scope, says) => {
    await using run = await start({ scope });
    await using sim = await startPlatform({
      app: { url: run.app.url, redirectUris: [run.app.callbackUrl], scopes: ["project", "reports"] },
    });
    run.app.platform = sim.url;
    const result = await sim.oauthLogin({ start: "/login" });
    expect(stepsOf(result)).toContain("authorize failed");
    expect(result.hint).toMatch(says);
  });

  it.each<[fault: string, OAuthAppWays, says: RegExp]>([
    ["a page without a redirect", { start: "page" }, /answered 200, not with a redirect.*links to \/sign-in/],
    ["no such page", { start: "404" }, /answered 404.*Not here/],
    ["redirects without end", { start: "loop" }, /redirects more than 10 times.*cookie/],
    ["another site", { start: "elsewhere" }, /http:\/\/127\.0\.0\.1:9\/secret, which is neither/],
    [
      "another platform",
      { start: "other-platform" },
      /accounts\.example.*this time the platform is at http:\S+: .*PLATFORM_AUTH_URL/,
    ],
    ["another address of the platform", { start: "other-path" }, /\/authorize, but the authorization endpoint is/],
  ])("the login starts with %s", async (_, ways, says) => {
    await using run = await start(ways);
    const result = await run.login();
    expect(stepsOf(result)).toEqual(["start failed"]);
    expect(`${result.reason} ${result.hint}`).toMatch(says);
    expect(result.failure).toBe("other");
    expect(exchangesOf(run.sim, "authorize")).toEqual([]);
  });

  it.each<[fault: string, OAuthAppWays, says: RegExp]>([
    ["breaks", { callback: "500" }, /answered 500: Something broke\. look in the app's own log/],
    ["refuses", { callback: "400" }, /answered 400: Who are you\? does the app compare the state/],
    [
      "is not served",
      { callback: "404" },
      /answered 404.* redirect_uri is http:.*\/callback: does the app serve GET there/,
    ],
    ["leads to another site", { callback: "elsewhere" }, /neither the app nor the platform/],
    ["leads to the platform again", { callback: "again" }, /sent the user to the platform again.*lose the login/],
    ["redirects to nowhere", { callback: "no-location" }, /answered 302, a redirect without a valid address/],
  ])("the callback %s", async (_, ways, says) => {
    await using run = await start(ways);
    const result = await run.login();
    expect(stepsOf(result)).toEqual(["start", "authorize", "consent", "callback failed"]);
    expect(`${result.reason} ${result.hint}`).toMatch(says);
  });

  it.each<[fault: string, OAuthAppWays, says: string]>([
    [
      "goes to another path",
      { exchange: "other-path" },
      "the app asked for tokens at PLATFORM/token, but the token endpoint is PLATFORM/oauth/token; the path is {auth_url}/oauth/token (interface 4.1)",
    ],
    [
      "is a GET",
      { exchange: "get" },
      "the app sent GET to the token endpoint, which accepts only POST; send a POST with the parameters in its body (interface 5.2)",
    ],
    [
      "says it is text",
      { exchange: "text" },
      "the content type must be application/json or application/x-www-form-urlencoded; send JSON with Content-Type: application/json, or a form with application/x-www-form-urlencoded",
    ],
    [
      "has a short verifier",
      { pkce: "short" },
      "code_verifier has a length of 11: it must be 43 to 128 of the characters A-Z a-z 0-9 - . _ ~; a good code_verifier is 32 random bytes in base64url, which is 43 characters",
    ],
  ])("the exchange %s", async (_, ways, says) => {
    await using run = await start(ways);
    const result = await run.login();
    expect(stepsOf(result).slice(3)).toEqual(["exchange failed", "callback skipped"]);
    expect(`${result.reason}; ${result.hint}`).toBe(says.replaceAll("PLATFORM", run.sim.url));
  });

  it("the challenge is base64", async () => {
    await using run = await start({ pkce: "base64" });
    expect(await run.login()).toMatchObject({
      reason:
        "invalid_request: code_challenge has =, like base64: it must be base64url without padding, 43 to 128 of the characters A-Z a-z 0-9 - . _ ~",
      hint: "code_challenge is BASE64URL(SHA256(code_verifier)) without padding",
    });
  });

  it("a challenge without its method is not called missing, and its hash not a verifier", async () => {
    await using run = await start({ pkce: "challenge-only" });
    const result = await run.login();
    expect(result.hint).toMatch(/^add code_challenge_method=S256/);
    const text = await reportText(result);
    expect(text).toContain("PKCE without its method");
    expect(text).not.toMatch(/PKCE missing|knows the verifier/);
  });

  it("the login starts at another platform, and the hint refers to app-sim env for the address", async () => {
    const port = await unusedPort();
    await using run = await start({ start: "other-platform" }, { port });
    expect((await run.login()).hint).toBe(
      `give the app the PLATFORM_AUTH_URL that \`app-sim env\` prints: http://127.0.0.1:${port}`,
    );
  });

  it.each([
    [
      "/undefined",
      /\/undefined\/oauth\/authorize, which is its own address.*there is "undefined" in place of the platform/,
    ],
    [
      "undefined",
      /\/undefined\/oauth\/authorize, which is its own address.*there is "undefined" in place of the platform/,
    ],
    ["/null", /there is "null" in place of/],
    ["None", /there is "None" in place of/],
    ["/%24%7BPLATFORM_AUTH_URL%7D", /there is "\$\{PLATFORM_AUTH_URL\}" in place of/],
    ["", /:\d+\/oauth\/authorize, which is its own address.*there is the app's own address in place of/],
    ["http://undefined", /http:\/\/undefined\/oauth\/authorize, which is neither.*there is "undefined" in place of/],
  ])(
    "an app that does not know the platform's address sends its users to %s/oauth/authorize",
    async (platform, says) => {
      await using run = await start();
      run.app.platform = platform;
      const { reason, hint } = await run.login();
      expect(`${reason} ${hint}`).toMatch(says);
      expect(hint).toContain(
        `PLATFORM_AUTH_URL is probably not set in the app's environment, and should be ${run.sim.url};`,
      );
    },
  );

  it("S18: the browser goes nowhere but to the app", async () => {
    for (const ways of [{ start: "elsewhere" }, { callback: "elsewhere" }] as const) {
      await using run = await start(ways);
      await run.login();
      const hosts = exchangesOf(run.sim, "visit").map(({ request }) => new URL(request.url).origin);
      expect([...new Set(hosts)]).toEqual([run.app.url]);
    }
  });
});

function failing(failed: string, steps: readonly string[], how = "failed"): string[] {
  return steps.map((step) => (step === failed ? `${step} ${how}` : step));
}

describe("C3: a callback with another state", () => {
  it("is the same user's second login in another browser, the same except for its state", async () => {
    await using run = await start();
    const result = await run.login({ user: "manager" });
    const callbacks = run.app.calls.filter(({ path }) => path.startsWith("/callback"));
    expect(callbacks).toHaveLength(3);
    const [first, second] = callbacks.map(({ path }) => new URL(path, run.app.url).searchParams);
    expect([...(second?.keys() ?? [])]).toEqual([...(first?.keys() ?? [])]);
    expect(second?.get("state")).toHaveLength(first?.get("state")?.length ?? 0);
    const sent = exchangesOf(run.sim, "authorize").map(({ request }) => new URL(request.url, run.sim.url).searchParams);
    expect(sent.map((query) => query.get("state"))).not.toContain(second?.get("state"));
    // The third has the state and the code of a login that another browser began.
    const foreign = new URL(callbacks[2]?.path ?? "", run.app.url).searchParams.get("state");
    expect(foreign).toBe(sent[2]?.get("state"));
    expect(callbacks[2]?.header("cookie")).toBe(callbacks[1]?.header("cookie"));
    const begun = run.app.calls.filter(({ path }) => path === "/login");
    expect(begun.map((call) => call.header("cookie"))).toEqual([undefined, undefined, undefined]);
    expect(new Set(callbacks.map((call) => call.header("cookie"))).size).toBe(2);
    expect(result.steps.find(({ step }) => step === "forged")).toMatchObject({
      result: "passed",
      text: expect.stringMatching(
        /^a callback with a forged state logs nobody in, nor does one with another browser's state and code: the app answered 400: Who are you\?$/,
      ),
    });
  });

  it.each<[string, OAuthAppWays, RegExp]>([
    [
      "that is taken",
      { otherState: "taken" },
      /^first compare the callback's state with the one kept for this browser/,
    ],
    ["that is 500", { otherState: "500" }, /^answer with 400/],
  ])("%s: says what to do", async (_, ways, hint) => {
    await using run = await start(ways);
    const finding = (await run.login({ refresh: false })).findings.find(({ check }) => check === "oauth.forged");
    expect(finding?.hint).toMatch(hint);
  });

  it("counts as refused if it sends the user to the login again", async () => {
    await using run = await start({ otherState: "again" });
    const result = await run.login();
    expect([result.outcome, foundBy(result)]).toEqual(["ok", []]);
  });

  it("is not tried if the user declines, or the first login failed", async () => {
    for (const [ways, options] of [
      [{}, { deny: true }],
      [{ callback: "500" }, {}],
      [{ exchange: "wrong-secret" }, {}],
    ] as const) {
      await using run = await start(ways);
      const result = await run.login(options);
      expect(result.steps.map(({ step }) => step)).not.toContain("forged");
      expect(run.app.calls.filter(({ path }) => path.startsWith("/login"))).toHaveLength(1);
    }
  });

  it("is not tried if the platform gives the second login no code", async () => {
    await using run = await start();
    run.sim.journal.subscribe((record) => {
      if (record.type === "oauth" && record.step === "exchange") run.sim.oauth.faults.add("consent=denied");
    });
    const result = await run.login();
    expect(stepsOf(result)).toEqual(failing("forged", whole, "skipped"));
    expect(result.outcome).toBe("ok");
  });
});

describe("strict", () => {
  it("a warning fails the login: the first one is the reason", async () => {
    await using run = await start({ pkce: "plain", otherState: "500" });
    expect(await run.login({ refresh: false })).toMatchObject({ outcome: "ok", reason: null });
    const result = await run.login({ refresh: false, strict: true });
    expect(result).toMatchObject({ outcome: "failed", failure: "other" });
    expect(result.reason).toMatch(/^PKCE with plain/);
    expect(result.hint).toMatch(/^send the SHA-256 hash/);
  });

  it("a correct app passes, and a failure comes before any warning", async () => {
    await using run = await start();
    expect((await run.login({ strict: true })).outcome).toBe("ok");
    run.app.ways = { pkce: "plain", refresh: "none" };
    expect((await run.login({ strict: true })).reason).toMatch(/^the access token had expired/);
  });
});

describe("a cookie that is set for another name of this machine", () => {
  it("is reported as the reason why the callback fails", async () => {
    await using run = await start({ redirectUri: (usual) => usual.replace("127.0.0.1", "localhost") });
    const { port } = new URL(run.app.url);
    await using sim = await startPlatform({
      app: { url: run.app.url, redirectUris: [`http://localhost:${port}/callback`] },
    });
    run.app.platform = sim.url;
    const result = await sim.oauthLogin({ start: "/login" });
    expect(result.outcome).toBe("failed");
    expect(result.hint).toBe(
      `the cookie login is for 127.0.0.1, not for localhost: a browser does not send it to redirect_uri, http://localhost:${port}/callback`,
    );
  });
});

describe("the user declines", () => {
  const denied = ["start", "authorize", "consent", "exchange", "callback"];

  it("C6: the app says so, and requests no token", async () => {
    await using run = await start();
    const result = await run.login({ deny: true });
    expect(result).toMatchObject({ outcome: "denied", decision: "deny", reason: null });
    expect([stepsOf(result), foundBy(result)]).toEqual([denied, []]);
    expect(exchangesOf(run.sim, "token")).toEqual([]);
  });

  it.each<[string, OAuthAppWays, string, string]>([
    ["C6: asks for a token", { error: "exchange" }, "exchange", "oauth.denied.no-exchange fail"],
    ["C6: breaks", { error: "500" }, "callback", "oauth.denied.answer fail"],
    ["sends the user back at once", { error: "again" }, "callback", "oauth.denied.answer fail"],
  ])("an app that %s fails", async (_, ways, step, found) => {
    await using run = await start(ways);
    const result = await run.login({ deny: true });
    expect(result.outcome).toBe("failed");
    expect([stepsOf(result), foundBy(result)]).toEqual([failing(step, denied), [found]]);
  });

  it("if the platform declines, there is no login", async () => {
    await using run = await start({}, { faults: ["consent=denied"] });
    const result = await run.login();
    expect(result).toMatchObject({ outcome: "denied", decision: "approve" });
  });
});

describe("faults of the platform", () => {
  it("at the consent, which the app gets as an error", async () => {
    await using run = await start({}, { faults: ["consent=server_error"] });
    const result = await run.login();
    expect(stepsOf(result)).toEqual(["start", "authorize failed", "exchange", "callback"]);
    expect(result.reason).toBe("server_error: a requested fault");
  });

  it("at the token endpoint", async () => {
    await using run = await start({}, { faults: ["token=500"] });
    const result = await run.login();
    expect(stepsOf(result)).toEqual(["start", "authorize", "consent", "exchange failed", "callback skipped"]);
    expect(result.reason).toMatch(/^the platform refused the exchange: 500: .*requested fault/);
  });
});

describe("automatic answers of the platform", () => {
  it("is used if it is the wanted one", async () => {
    for (const [consent, deny] of [
      ["approve", false],
      ["deny", true],
    ] as const) {
      await using run = await start({}, { oauth: { consent } });
      const result = await run.login({ deny, refresh: false });
      expect(result.outcome).toBe(deny ? "denied" : "ok");
      expect(result.steps.find(({ step }) => step === "consent")?.text).toMatch(
        /^the platform .* without asking the user/,
      );
    }
  });

  it.each([
    ["approve", { deny: true }],
    ["deny", {}],
    ["approve", { user: "admin" }],
  ] as const)("is a mistake if it is not: %s, %o", async (consent, options) => {
    await using run = await start({}, { oauth: { consent } });
    expect(await usageErrorOf(run.login(options))).toMatchObject({ code: "consent-contrary" });
  });
});

describe("an app that does not answer", () => {
  it("is not running: unreachable", async () => {
    const url = `http://127.0.0.1:${await unusedPort()}`;
    await using sim = await startPlatform({ app: { url } });
    const result = await sim.oauthLogin({ start: "/login" });
    expect([stepsOf(result), result.failure]).toEqual([["start failed"], "unreachable"]);
  });

  it.each<[string, OAuthAppWays, string[]]>([
    ["at the start", { start: "hang" }, ["start failed"]],
    ["at the callback", { callback: "hang" }, ["start", "authorize", "consent", "callback failed"]],
  ])("hangs %s: timed out", async (_, ways, steps) => {
    await using app = await startOAuthApp(ways);
    app.platform = "http://127.0.0.1:7410";
    const gateway = createAppGateway(systemClock);
    const sim = await assemble(
      { app: { url: app.url, redirectUris: [app.callbackUrl] } },
      { gateway: { call: (call) => gateway.call({ ...call, timeoutMs: 200 }) } },
    );
    const result = await sim.oauthLogin({ start: "/login" });
    expect([stepsOf(result), result.failure]).toEqual([steps, "timed-out"]);
  });

  it("and is abandoned when the run is interrupted", async () => {
    const interruption = new AbortController();
    await using run = await start({ callback: "hang" }, { signal: interruption.signal });
    run.sim.journal.subscribe((record) => {
      if (record.type === "exchange" && record.purpose === "consent") setImmediate(() => interruption.abort());
    });
    expect(await run.login()).toMatchObject({ outcome: "failed", failure: "interrupted" });
  });
});

describe("the clock", () => {
  it.each<[string, Partial<OAuthLoginOptions>, Record<string, number>]>([
    ["is left alone where nobody wants it turned", { refresh: false }, {}],
    ["and where the refresh token would expire as well", {}, { "oauth.refresh.lifetime": 7200 }],
  ])("%s", async (_, options, choices) => {
    await using run = await start({}, { choices });
    const result = await run.login(options);
    expect([result.outcome, stepsOf(result)]).toEqual(["ok", skippedRefresh]);
    expect(run.sim.clock.state().offsetMs).toBe(0);
  });

  it.each<[string, (clock: Run["sim"]["clock"]) => void]>([
    ["real time", () => {}],
    ["ahead of real time", (clock) => clock.advance("3h")],
    ["frozen", (clock) => clock.freeze("2031-05-06T07:08:09Z")],
  ])("is restored: %s", async (_, prepare) => {
    await using run = await start();
    prepare(run.sim.clock);
    const shown = () => {
      const { now, frozen, offsetMs } = run.sim.clock.state();
      return frozen ? now : offsetMs;
    };
    const before = shown();
    expect(stepsOf(await run.login())).toEqual(whole);
    expect(shown()).toBe(before);
    run.app.ways = { refresh: "none" };
    expect((await run.login()).outcome).toBe("failed");
    expect(shown()).toBe(before);
  });

  it("is not changed if it cannot be turned", async () => {
    await using run = await start();
    const sim = await assemble(
      { app: { url: run.app.url, redirectUris: [run.app.callbackUrl] } },
      { baseUrl: () => run.sim.url },
    );
    // Only the consent is this simulator's: the exchange goes to the other one, which does not know the code.
    expect((await sim.oauthLogin({ start: "/login" })).outcome).toBe("failed");
  });
});

describe("the options", () => {
  it.each([
    ["S29: another site", { start: "https://example.com/login" }, "start-elsewhere"],
    ["S29: another site to use the token", { start: "/login", use: "https://example.com/" }, "use-elsewhere"],
    ["nothing, where the configuration says nothing either", {}, "start-missing"],
    ["a word that is none", { start: "/login", denied: true }, "options-invalid"],
    ["a user who is not there", { start: "/login", user: "king" }, "options-invalid"],
  ])("%s", async (_, options, code) => {
    await using run = await start();
    expect(await usageErrorOf(run.sim.oauthLogin(options as OAuthLoginOptions))).toMatchObject({ code });
    expect(run.app.calls).toEqual([]);
  });

  it.each([
    [
      "the platform's own page",
      () => "http://127.0.0.1:7410/oauth/authorize",
      /^is that the platform's page\? .*\/login; .* --app http:\/\/127\.0\.0\.1:7410$/,
    ],
    [
      "https for http",
      (url: string) => `${url.replace("http:", "https:")}/login?to=a&b`,
      /^it differs from the app's address, http:\S+, only in https:\/\/: use --start '\/login\?to=a&b'$/,
    ],
    ["another site", () => "https://example.com/login", /with --app URL$/],
  ])("suggest what is meant by %s", async (_, startOf, hint) => {
    await using run = await start();
    const error = await usageErrorOf(run.sim.oauthLogin({ start: startOf(run.app.url) }));
    expect(error).toMatchObject({ code: "start-elsewhere", hint: expect.stringMatching(hint) });
  });

  it("default to the configured login; another start does not use its page", async () => {
    await using run = await start();
    const apps = [{ url: run.app.url, redirectUris: [run.app.callbackUrl] }];
    await using sim = await startPlatform({ apps, verify: { oauth: { start: "/login", use: "/nowhere" } } });
    run.app.platform = sim.url;
    const asked = async (options?: OAuthLoginOptions) => {
      const before = run.app.calls.length;
      await sim.oauthLogin({ ...options, refresh: false, forge: false });
      return run.app.calls.slice(before).map(({ path }) => path);
    };
    expect(await asked()).toEqual(expect.arrayContaining(["/login", "/nowhere"]));
    expect(await asked({ start: "/login" })).not.toContain("/nowhere");
  });

  it("a path if there are several apps", async () => {
    await using run = await start();
    const apps = [{ url: run.app.url }, { url: "http://127.0.0.1:3999", clientId: "other" }];
    await using sim = await startPlatform({ apps });
    expect(await usageErrorOf(sim.oauthLogin({ start: "/login" }))).toMatchObject({ code: "start-ambiguous" });
  });

  it("of several apps, the one whose address it is", async () => {
    await using run = await start();
    const apps = [
      { url: "http://127.0.0.1:3999", clientId: "other", clientSecret: "other-secret" },
      { url: run.app.url, redirectUris: [run.app.callbackUrl] },
    ];
    await using sim = await startPlatform({ apps });
    run.app.platform = sim.url;
    expect((await sim.oauthLogin({ start: `${run.app.url}/login` })).outcome).toBe("ok");
  });
});

describe("docs/testing-oauth.md", async () => {
  const text = await readFile(new URL("../../docs/testing-oauth.md", import.meta.url), "utf8");
  const [example = ""] = blocksOf(text).flatMap(({ language, text }) => (language === "ts" ? [text] : []));
  const logins = [...example.matchAll(/oauthLogin\((.*?)\);.*?toBe\("(\w+)"\)/gs)];

  it("names every option, and every step, and shows two logins", () => {
    expect(logins).toHaveLength(2);
    const [, table = ""] = text.split("| option | meaning |\n");
    const named = [...(table.split("\n\n", 1)[0] ?? "").matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(oauthLoginOptions));
    expect(whole.filter((step) => !text.includes(`\`${step}\``))).toEqual([]);
  });

  it.each(logins.map(([, options = "", outcome = ""]) => [options, outcome]))(
    "its login with %s ends as documented: %s",
    async (options, outcome) => {
      await using run = await start();
      const given = schemaOf(oauthLoginOptions).parse(JSON.parse(options.replaceAll(/(\w+):/g, '"$1":')));
      expect((await run.sim.oauthLogin(given as OAuthLoginOptions)).outcome).toBe(outcome);
    },
  );
});

describe("S27: secrets that an app repeats", () => {
  it.each(["access-token", "client-secret", "refresh-token"] as const)(
    "%s is in no text of the result",
    async (tells) => {
      await using run = await start({ tells });
      const result = JSON.stringify(await run.login());
      const tokens = exchangesOf(run.sim, "token").map(({ response }) =>
        JSON.parse(Buffer.from(response?.body.base64 ?? "", "base64").toString()),
      ) as { access_token: string; refresh_token: string }[];
      expect(tokens).toHaveLength(3);
      for (const { access_token, refresh_token } of tokens) {
        expect(result).not.toContain(access_token);
        expect(result).not.toContain(refresh_token);
      }
      expect(result).not.toContain("app-sim-client-secret-long-enough-for-HS256");
      // How every JWT begins.
      expect(result).not.toContain("eyJ");
    },
  );

  it("a code is not shown either, not even a part of it", async () => {
    await using run = await start({ callback: "tells-code" });
    const { reason } = await run.login();
    const [consent] = exchangesOf(run.sim, "consent");
    const location = consent?.response?.headers.find(([name]) => name === "location")?.[1] ?? "";
    const code = new URL(location).searchParams.get("code") ?? "";
    expect(code).toHaveLength(43);
    expect(reason).toContain("aaaa");
    expect(reason).not.toContain(code.slice(0, 8));
  });
});

describe("cookies as browsers handle them when the user comes from the platform", () => {
  const kept = "oauth.session.kept warn";

  it.each<[how: string, OAuthAppWays, expected: string[]]>([
    ["Strict, without which the page is another", { session: "strict" }, [kept]],
    ["in an address", { session: "in-address" }, ["oauth.session.in-address warn"]],
    ["right: Lax", {}, []],
    ["right: without attributes", { session: "bare" }, []],
    ["right: for all sites, and Secure, at this machine", { session: "none-secure" }, []],
    ["right: Strict beside the session's", { session: "strict-beside" }, []],
    ["right: Strict, and a page on which the user clicks", { session: "strict-page" }, []],
    ["right: Strict, and a page that leads on by itself", { session: "strict-refresh" }, []],
    ["right: a page in an address", { session: "page-in-address" }, []],
    ["right: another one's value in an address", { session: "id-in-address" }, []],
  ])("%s", async (_, ways, expected) => {
    await using run = await start(ways);
    const result = await run.login({ use: "/home" });
    expect([result.outcome, foundBy(result)]).toEqual(["ok", expected]);
  });

  it("a Strict cookie is tried by opening the page without it, then with it, and the result says so", async () => {
    await using run = await start({ session: "strict" });
    const result = await run.login({ forge: false, refresh: false });
    expect(result.findings.find(({ check }) => check === "oauth.session.kept")).toMatchObject({
      message:
        "without the cookie session, which is SameSite=Strict, the callback does not reach this page: the app sent the user to the platform again",
      hint: "a browser that returns from another site does not send it with the callback's redirects: use Lax",
    });
    const told = result.steps.find(({ step }) => step === "callback")?.exchanges ?? [];
    const paths = exchangesOf(run.sim, "visit").map(({ id, request }) => [id, new URL(request.url).pathname]);
    expect(paths.filter(([id = ""]) => told.includes(id)).map(([, path]) => path)).toEqual([
      "/callback",
      "/home",
      "/home",
      "/login",
      "/home",
    ]);
  });

  it.each<[how: string, OAuthAppWays, hint: string]>([
    [
      "for a path below which the callback is not",
      { cookie: "path" },
      "the cookie login has Path=/login, and /callback is not below it: a browser does not send it to redirect_uri, APP/callback",
    ],
    [
      "for another domain",
      { session: "domain" },
      "the cookie session has Domain=example.com, to which 127.0.0.1 does not belong: a browser does not send it to the address that the callback redirects to",
    ],
    [
      "without a path, by a callback in a folder",
      { session: "no-path" },
      "the cookie session has no Path, so it is only for the addresses below /oauth: a browser does not send it to the address that the callback redirects to",
    ],
    [
      "of the login for all sites, but not Secure",
      { cookie: "none-open" },
      "the cookie login is SameSite=None without Secure, and is not stored: a browser does not send it to redirect_uri, APP/callback",
    ],
    [
      "of the login that has expired",
      { cookie: "expired" },
      "the cookie login has Max-Age=0, which deletes it: a browser does not send it to redirect_uri, APP/callback",
    ],
    [
      "for all sites, but not Secure",
      { session: "none-open" },
      "the cookie session is SameSite=None without Secure, and is not stored: a browser does not send it to the address that the callback redirects to",
    ],
    [
      "that is gone at once",
      { session: "gone" },
      "the cookie session has Max-Age=0, which deletes it: a browser does not send it to the address that the callback redirects to",
    ],
  ])("one %s is reported as the reason why the callback fails", async (_, ways, hint) => {
    await using run = await start(ways);
    const result = await run.login();
    expect(stepsOf(result)).toContain("callback failed");
    expect(result.hint).toBe(hint.replace("APP", run.app.url));
  });
});
