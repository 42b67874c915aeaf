import { describe, expect, it } from "vitest";
import {
  type OAuthLoginOptions,
  type OAuthLoginResult,
  oauthLoginResultSchema,
  type SimulatorOptions,
  startSimulator,
} from "../../src/index.ts";
import { createAppGateway } from "../../src/simulator/app-gateway.ts";
import { systemClock } from "../../src/simulator/ports.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { assemble, exchangesOf, usageErrorOf } from "../rig/simulation.ts";
import { type OAuthApp, type OAuthAppWays, startOAuthApp } from "./oauth-app.ts";

interface Run extends AsyncDisposable {
  readonly app: OAuthApp;
  readonly sim: Awaited<ReturnType<typeof startSimulator>>;
  readonly login: (options?: Partial<OAuthLoginOptions>) => Promise<OAuthLoginResult>;
}

/** An app that does this wrong, registered with a platform of its own. */
async function start(ways: OAuthAppWays = {}, options: SimulatorOptions = {}): Promise<Run> {
  const app = await startOAuthApp(ways);
  const sim = await startSimulator({ app: { url: app.url, redirectUris: [app.callbackUrl] }, ...options });
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

/** Each step with what became of it. */
function stepsOf({ steps }: OAuthLoginResult): string[] {
  return steps.map(({ step, result }) => (result === "passed" ? step : `${step} ${result}`));
}

/** What the checks found that is not good. */
function foundBy({ findings }: OAuthLoginResult): string[] {
  return findings.flatMap(({ check, result }) => (result === "pass" ? [] : [`${check} ${result}`]));
}

const whole = ["start", "authorize", "consent", "exchange", "callback", "api", "refresh", "refresh-again"];
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

  it("turns the platform's clock by no more than the life of two access tokens", async () => {
    await using run = await start({}, { choices: { "oauth.accessToken.lifetime": 60 } });
    await run.login();
    const { offsetMs } = run.sim.clock.state();
    expect(offsetMs).toBe(2 * 61_000);
  });

  it("is logged in as the user who is named", async () => {
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

const C1 = "oauth.request";
const skippedRefresh = [...untilCallback, "api", "refresh skipped"];

describe("an app with one fault", () => {
  it.each<[fault: string, OAuthAppWays, steps: string[], found: string[]]>([
    ["C1: no state", { state: "none" }, whole, [`${C1}.state warn`]],
    ["C1: a state of three letters", { state: "short" }, whole, [`${C1}.state warn`]],
    ["C1: a time as its state", { state: "number" }, whole, [`${C1}.state warn`]],
    ["C1: no PKCE", { pkce: "none" }, whole, [`${C1}.pkce warn`, "oauth.exchange.verifier skip"]],
    ["C1: plain", { pkce: "plain" }, whole, [`${C1}.pkce warn`]],
    [
      "C1: neither state nor PKCE",
      { pkce: "none", state: "none" },
      failing("authorize", whole),
      [`${C1}.state fail`, `${C1}.pkce warn`, "oauth.exchange.verifier skip"],
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
      [`${C1} fail`, `${C1}.pkce warn`],
    ],
    ["no cookie", { cookie: "none" }, whole, ["oauth.cookie warn"]],
    ["a cookie that no other site's redirect brings back", { cookie: "strict" }, whole, ["oauth.cookie warn"]],
    ["no exchange", { exchange: "none" }, failing("exchange", untilCallback), ["oauth.exchange fail"]],
    [
      "a code that is exchanged twice, which revokes its tokens",
      { exchange: "twice" },
      [],
      ["oauth.exchange.once fail", "oauth.callback fail", "oauth.api fail", "oauth.refresh skip"],
    ],
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
    ["C9: no refresh", { refresh: "none" }, failing("refresh", whole.slice(0, 7)), ["oauth.refresh fail"]],
    [
      "C9: the user has to log in again",
      { refresh: "log-in" },
      failing("refresh", whole.slice(0, 7)),
      ["oauth.refresh fail"],
    ],
    ["C8: a loop of refreshes", { refresh: "loop" }, failing("refresh", whole.slice(0, 7)), ["oauth.refresh fail"]],
    [
      "C8: two refreshes for one page",
      { refresh: "twice" },
      whole,
      ["oauth.refresh warn", "oauth.refresh.rotation warn"],
    ],
    ["C9: no second call", { refresh: "no-retry" }, failing("refresh", whole.slice(0, 7)), ["oauth.refresh fail"]],
    [
      "a page that breaks after the refresh",
      { refresh: "500" },
      failing("refresh", whole.slice(0, 7)),
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
  });

  it.each<[fault: string, OAuthAppWays, says: RegExp]>([
    ["a page without a redirect", { start: "page" }, /answered 200, not with a redirect.*links to \/sign-in/],
    ["no such page", { start: "404" }, /answered 404.*Not here/],
    ["redirects without end", { start: "loop" }, /redirects more than 10 times.*cookie/],
    ["another site", { start: "elsewhere" }, /http:\/\/127\.0\.0\.1:9\/secret, which is neither/],
    ["another platform", { start: "other-platform" }, /accounts\.example.*PLATFORM_AUTH_URL/],
    ["another address of the platform", { start: "other-path" }, /\/authorize, but the authorization endpoint is/],
  ])("the login begins with %s", async (_, ways, says) => {
    await using run = await start(ways);
    const result = await run.login();
    expect(stepsOf(result)).toEqual(["start failed"]);
    expect(`${result.reason} ${result.hint}`).toMatch(says);
    expect(result.failure).toBe("other");
    expect(exchangesOf(run.sim, "authorize")).toEqual([]);
  });

  it.each<[fault: string, OAuthAppWays, says: RegExp]>([
    ["breaks", { callback: "500" }, /answered 500: Something broke\. look into the app's own log/],
    ["refuses", { callback: "400" }, /answered 400: Who are you\? does the app compare the state/],
    ["leads to another site", { callback: "elsewhere" }, /neither the app nor the platform/],
    ["leads to the platform again", { callback: "again" }, /sent the user to the platform again.*lose the login/],
    ["redirects to nowhere", { callback: "no-location" }, /answered 302, but no address/],
  ])("the callback %s", async (_, ways, says) => {
    await using run = await start(ways);
    const result = await run.login();
    expect(stepsOf(result)).toEqual(["start", "authorize", "consent", "callback failed"]);
    expect(`${result.reason} ${result.hint}`).toMatch(says);
  });

  it("S18: the browser goes nowhere but to the app", async () => {
    for (const ways of [{ start: "elsewhere" }, { callback: "elsewhere" }] as const) {
      await using run = await start(ways);
      await run.login();
      const hosts = exchangesOf(run.sim, "visit").map(({ request }) => new URL(request.url).origin);
      expect([...new Set(hosts)]).toEqual([run.app.url]);
    }
  });
});

function failing(failed: string, steps: readonly string[]): string[] {
  return steps.map((step) => (step === failed ? `${step} failed` : step));
}

describe("a cookie that is set for another name of this machine", () => {
  it("is said to be why the callback fails", async () => {
    await using run = await start({ redirectUri: (usual) => usual.replace("127.0.0.1", "localhost") });
    const { port } = new URL(run.app.url);
    await using sim = await startSimulator({
      app: { url: run.app.url, redirectUris: [`http://localhost:${port}/callback`] },
    });
    run.app.platform = sim.url;
    const result = await sim.oauthLogin({ start: "/login" });
    expect(result.outcome).toBe("failed");
    expect(result.hint).toMatch(/cookies for 127\.0\.0\.1, but redirect_uri is at localhost/);
  });
});

describe("the user declines", () => {
  const denied = ["start", "authorize", "consent", "exchange", "callback"];

  it("C6: the app says so, and asks for no token", async () => {
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

  it("or the platform does so: that is no login", async () => {
    await using run = await start({}, { faults: ["consent=denied"] });
    const result = await run.login();
    expect(result).toMatchObject({ outcome: "denied", decision: "approve" });
  });
});

describe("faults of the platform", () => {
  it("at the consent, of which the app is told", async () => {
    await using run = await start({}, { faults: ["consent=server_error"] });
    const result = await run.login();
    expect(stepsOf(result)).toEqual(["start", "authorize failed", "exchange", "callback"]);
    expect(result.reason).toBe("server_error: a fault that was asked for");
  });

  it("at the token endpoint", async () => {
    await using run = await start({}, { faults: ["token=500"] });
    const result = await run.login();
    expect(stepsOf(result)).toEqual(["start", "authorize", "consent", "exchange failed", "callback skipped"]);
    expect(result.reason).toBe("the platform refused the exchange: 500: a fault that was asked for");
  });
});

describe("what the platform answers by itself", () => {
  it("is taken where it is what is wanted", async () => {
    for (const [consent, deny] of [
      ["approve", false],
      ["deny", true],
    ] as const) {
      await using run = await start({}, { oauth: { consent } });
      const result = await run.login({ deny, refresh: false });
      expect(result.outcome).toBe(deny ? "denied" : "ok");
      expect(result.steps.find(({ step }) => step === "consent")?.text).toMatch(/^the platform by itself/);
    }
  });

  it.each([
    ["approve", { deny: true }],
    ["deny", {}],
    ["approve", { user: "admin" }],
  ] as const)("is a mistake where it is not: %s, %o", async (consent, options) => {
    await using run = await start({}, { oauth: { consent } });
    expect(await usageErrorOf(run.login(options))).toMatchObject({ code: "consent-contrary" });
  });
});

describe("an app that does not answer", () => {
  it("is not there: unreachable", async () => {
    const url = `http://127.0.0.1:${await unusedPort()}`;
    await using sim = await startSimulator({ app: { url } });
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

  it("and is given up when the run is interrupted", async () => {
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

  it("is left alone where it cannot be turned", async () => {
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
    ["nothing", {}, "options-invalid"],
    ["a word that is none", { start: "/login", denied: true }, "options-invalid"],
    ["a user who is not there", { start: "/login", user: "king" }, "options-invalid"],
  ])("%s", async (_, options, code) => {
    await using run = await start();
    expect(await usageErrorOf(run.sim.oauthLogin(options as OAuthLoginOptions))).toMatchObject({ code });
    expect(run.app.calls).toEqual([]);
  });

  it("a path where there are several apps", async () => {
    await using run = await start();
    const apps = [{ url: run.app.url }, { url: "http://127.0.0.1:3999", clientId: "other" }];
    await using sim = await startSimulator({ apps });
    expect(await usageErrorOf(sim.oauthLogin({ start: "/login" }))).toMatchObject({ code: "start-ambiguous" });
  });

  it("of several apps, the one whose address it is", async () => {
    await using run = await start();
    const apps = [
      { url: "http://127.0.0.1:3999", clientId: "other", clientSecret: "other-secret" },
      { url: run.app.url, redirectUris: [run.app.callbackUrl] },
    ];
    await using sim = await startSimulator({ apps });
    run.app.platform = sim.url;
    expect((await sim.oauthLogin({ start: `${run.app.url}/login` })).outcome).toBe("ok");
  });
});

describe("S27: what an app says back", () => {
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
      expect(result).not.toContain("app-sim-client-secret");
      // How every JWT begins.
      expect(result).not.toContain("eyJ");
    },
  );

  it("a code is not either, not even a part of it", async () => {
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
