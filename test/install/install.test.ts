import { describe, expect, it, onTestFinished } from "vitest";
import { installResultSchema, resetResultSchema } from "../../src/index.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { recordForJson } from "../../src/log/log-records.ts";
import { type RunningPlatform, startPlatform } from "../../src/start-platform.ts";
import { type AppCall, type CallHandler, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import {
  assemble,
  exchangesOf,
  hurriedGateway,
  onlyCall,
  type SimulationOptions,
  startSimulation,
  usageErrorOf,
} from "../rig/simulation.ts";

const both = { ...manifestOf({}), events: { installed: "/installed", uninstall: "/uninstall" } };
const GRANT = "app_installation";
const on = { "install.event": "on", "oauth.grant.installation": GRANT } as const;

const credentials = {
  client_id: "app-sim-client",
  client_secret: "app-sim-client-secret-long-enough-for-HS256",
};
const proof = { app_id: "app-sim-app", app_secret: "app-sim-app-secret", domain: "acme", user_id: "101" };

const acknowledges: CallHandler = (call) => call.send("", { status: 204 });
const fails: CallHandler = (call) => call.send("", { status: 500 });

function simulation(answer: CallHandler, options: Partial<SimulationOptions> = {}) {
  return startSimulation({ serves: both, choices: on, answer, ...options });
}

interface TokenAnswer {
  readonly status: number;
  readonly body: { readonly access_token?: string; readonly error?: string; readonly error_description?: string };
}

/** Asks for the installation grant, as the app with these credentials and this proof. */
async function askForToken(baseUrl: string, parameters: Record<string, unknown> = {}): Promise<TokenAnswer> {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ grant_type: GRANT, ...credentials, ...proof, ...parameters }),
  });
  return { status: response.status, body: (await response.json()) as TokenAnswer["body"] };
}

async function callApi(baseUrl: string, token = ""): Promise<number> {
  const response = await fetch(`${baseUrl}/api/v2/projects`, { headers: { authorization: `Bearer ${token}` } });
  return response.status;
}

/** What an app does that is told of its installation: all that it needs stands in the event. */
async function askForTokenOf(call: AppCall): Promise<TokenAnswer> {
  const event = call.json() as Record<string, unknown>;
  return askForToken(String(event.baseUrl), {
    client_id: event.clientId,
    app_id: event.appId,
    app_secret: event.appSecret,
    domain: event.domain,
    user_id: event.userId,
  });
}

describe("an installation", () => {
  it("is sent to the manifest's address, with everything that the app must know", async () => {
    await using run = await simulation(acknowledges);
    const result = installResultSchema.parse(JSON.parse(JSON.stringify(await run.sim.install())));
    expect(result).toMatchObject({
      command: "install",
      outcome: "installed",
      reason: null,
      failure: null,
      warnings: [],
    });
    expect(result.apps).toMatchObject([{ app: run.app.url, url: `${run.app.url}/installed`, status: 204 }]);
    const call = onlyCall(run.app);
    expect([call.method, call.path, call.header("content-type")]).toEqual(["POST", "/installed", "application/json"]);
    expect(call.header("authorization")).toBeUndefined();
    expect(call.json()).toEqual({
      appId: "app-sim-app",
      appSecret: "app-sim-app-secret",
      clientId: "app-sim-client",
      userId: 101,
      organizationId: 200_000_001,
      domain: "acme",
      baseUrl: run.sim.url,
    });
    const [exchange, ...others] = exchangesOf(run.sim, "install");
    expect([exchange?.id, others]).toEqual([result.apps[0]?.exchange, []]);
  });

  it("lets the app ask for a token and use it while its call is open", async () => {
    const seen: unknown[] = [];
    await using run = await simulation(async (call) => {
      const { status, body } = await askForTokenOf(call);
      seen.push(status, await callApi(run.sim.url, body.access_token));
      call.send("", { status: 200 });
    });
    const result = await run.sim.install();
    expect(seen).toEqual([200, 200]);
    const [token, api] = [exchangesOf(run.sim, "token")[0]?.id, exchangesOf(run.sim, "api")[0]?.id];
    expect(result.apps).toMatchObject([
      {
        state: "installed",
        grant: { outcome: "granted", type: GRANT, error: null, reason: null, exchange: token },
        exchanges: [token, api],
      },
    ]);
  });

  it("is forgotten with `reset()`: every app is installed again, and none has a token", async () => {
    const issued: (string | undefined)[] = [];
    await using run = await simulation(async (call) => {
      if (call.path === "/installed") issued.push((await askForTokenOf(call)).body.access_token);
      acknowledges(call);
    });
    const { sim } = run;
    await sim.install();
    expect(await callApi(sim.url, issued[0])).toBe(200);
    expect(resetResultSchema.parse(await sim.reset())).toEqual({ command: "reset", warnings: [] });
    expect(await callApi(sim.url, issued[0])).toBe(401);
    await sim.uninstall();
    expect((await askForToken(sim.url)).status).not.toBe(200);
    await sim.reset();
    expect((await askForToken(sim.url)).status).toBe(200);
  });

  it("makes its platform listen if it does not yet", async () => {
    const answers: TokenAnswer[] = [];
    const answer: CallHandler = async (call) => {
      answers.push(await askForTokenOf(call));
      acknowledges(call);
    };
    await using run = await simulation(answer, { listen: "when-needed" });
    expect((await run.sim.install()).outcome).toBe("installed");
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it("distinguishes the first granted request from those refused before", async () => {
    await using run = await simulation(async (call) => {
      await askForToken(run.sim.url, { app_secret: "wrong" });
      await askForTokenOf(call);
      acknowledges(call);
    });
    const { apps } = await run.sim.install();
    expect(apps[0]?.grant.outcome).toBe("granted");
    expect(apps[0]?.exchanges).toHaveLength(2);
  });

  it.each([
    ["a user of the role that is named", { user: "member" }, 104],
    ["the owner", {}, 101],
  ] as const)("is the work of %s", async (_, options, id) => {
    await using run = await simulation(acknowledges);
    await run.sim.install(options);
    expect(onlyCall(run.app).json()).toMatchObject({ userId: id });
  });

  it("can be sent to an absolute address, at another origin only if that is allowed", async () => {
    await using elsewhere = await startFakeApp();
    elsewhere.answer(acknowledges);
    const serves = { ...both, events: { installed: `${elsewhere.url}/hello` } };
    await using refused = await simulation(fails, { serves });
    await expect(refused.sim.install()).rejects.toMatchObject({ code: "manifest-invalid" });
    expect(elsewhere.calls).toEqual([]);
    await using run = await simulation(fails, { serves, fileOrigins: [elsewhere.url] });
    expect((await run.sim.install()).outcome).toBe("installed");
    expect(onlyCall(elsewhere).path).toBe("/hello");
  });
});

describe("the installation grant", () => {
  const refusedFor = "the app is not installed in this organization";

  it("is valid from the start of the install call until the app is uninstalled, and so are its tokens", async () => {
    const inside: [string, number, number][] = [];
    let latest = "";
    await using run = await simulation(async (call) => {
      const { status, body } = await askForTokenOf(call);
      latest = body.access_token ?? "";
      inside.push([call.path, status, await callApi(run.sim.url, latest)]);
      acknowledges(call);
    });
    const { url } = run.sim;
    await run.sim.uninstall();
    expect(await callApi(url, latest)).toBe(401);
    expect(await askForToken(url)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant", error_description: refusedFor },
    });

    await run.sim.install();
    expect(await callApi(url, latest)).toBe(200);
    const later = await askForToken(url);
    expect(await callApi(url, later.body.access_token)).toBe(200);

    const { outcome, apps } = await run.sim.uninstall();
    expect([outcome, apps[0]?.state]).toEqual(["uninstalled", "not-installed"]);
    expect(inside).toEqual([
      ["/uninstall", 200, 200],
      ["/installed", 200, 200],
      ["/uninstall", 200, 200],
    ]);
    expect(await Promise.all([latest, later.body.access_token].map((token) => callApi(url, token)))).toEqual([
      401, 401,
    ]);
    expect((await askForToken(url)).body.error).toBe("invalid_grant");
  });

  it("that was refused is mentioned if the installation failed", async () => {
    await using run = await simulation(async (call) => {
      await askForToken(run.sim.url, { app_secret: "wrong" });
      fails(call);
    });
    const { apps, hint } = await run.sim.install();
    expect(apps[0]).toMatchObject({ hint, grant: { outcome: "refused", error: "invalid_grant" } });
    expect(hint).toMatch(
      /^meanwhile the app's token request was refused: invalid_grant: the app's id is right, but its secret/,
    );
  });

  it("is off by default: the refusal says how to enable it", async () => {
    const answer: CallHandler = async (call) => {
      await askForTokenOf(call);
      fails(call);
    };
    await using run = await simulation(answer, { choices: { "install.event": "on" } });
    const { apps, hint } = await run.sim.install();
    expect(apps[0]?.grant).toMatchObject({ outcome: "refused", error: "unsupported_grant_type" });
    expect(hint).toContain("--choose oauth.grant.installation=NAME");
  });

  it("belongs to one app: requests of another app meanwhile are not attributed to it", async () => {
    await using one = await startFakeApp({ manifest: both });
    const apps = [{ url: one.url }, { url: one.url, clientId: "other" }];
    await using sim = await startPlatform({ apps, choices: on });
    one.answer(async (call) => {
      await askForToken(sim.url, { client_id: "other" });
      acknowledges(call);
    });
    const { apps: told } = await sim.install();
    expect(told.map(({ grant }) => grant.outcome)).toEqual(["not-asked", "granted"]);
  });
});

describe("an installation that fails", () => {
  /** Whether the app is installed afterwards, for the platform as for the result. */
  async function expectNotInstalled(sim: RunningPlatform, token: string | undefined): Promise<void> {
    expect((await askForToken(sim.url)).body.error).toBe("invalid_grant");
    expect(await callApi(sim.url, token)).toBe(401);
  }

  it.each([
    [302, "a redirect", "login page"],
    [401, "did not accept the call as authentic", "APP_SECRET in its body"],
    [404, "no such endpoint", "routes"],
    [500, "the app answered 500", "log"],
  ])(
    "because the app answers %i: it gets no grant, and the token that it got is revoked",
    async (status, reason, hint) => {
      let token: string | undefined;
      await using run = await simulation(async (call) => {
        token = (await askForTokenOf(call)).body.access_token;
        call.send("", { status, headers: { location: "/" } });
      });
      const result = await run.sim.install();
      expect(result).toMatchObject({
        outcome: "failed",
        failure: "other",
        reason: expect.stringContaining(reason),
        hint: expect.stringContaining(hint),
        apps: [{ status, failure: "other", state: "not-installed", grant: { outcome: "granted" } }],
      });
      await expectNotInstalled(run.sim, token);
    },
  );

  it("because the app cannot be reached", async () => {
    const gone = `http://127.0.0.1:${await unusedPort()}/installed`;
    await using run = await simulation(acknowledges, {
      serves: { ...both, events: { installed: gone } },
      fileOrigins: [new URL(gone).origin],
    });
    const result = await run.sim.install();
    expect(result).toMatchObject({
      outcome: "failed",
      failure: "unreachable",
      apps: [{ url: gone, status: null, failure: "unreachable", state: "not-installed" }],
    });
    await expectNotInstalled(run.sim, undefined);
  });

  it("because the app takes longer than 30 seconds", async () => {
    await using app = await startFakeApp({ manifest: both });
    app.answer((call) => call.hang());
    const gateway = hurriedGateway(100);
    const sim = await assemble({ app: { url: app.url }, choices: on }, { gateway });
    expect(await sim.install()).toMatchObject({
      outcome: "failed",
      failure: "timed-out",
      apps: [{ failure: "timed-out", state: "not-installed" }],
    });
    expect(gateway.limits).toEqual([30_000]);
    expect(sim.oauth.installed.size).toBe(0);
  });

  it("because it was interrupted", async () => {
    const interrupting = new AbortController();
    await using run = await simulation(() => interrupting.abort(), { signal: interrupting.signal });
    const result = await run.sim.install();
    expect(result).toMatchObject({ outcome: "failed", failure: "interrupted", apps: [{ state: "not-installed" }] });
  });

  it("because there is no manifest: nothing changes", async () => {
    await using app = await startFakeApp();
    app.answer((call) => call.send("", { status: 404 }));
    const sim = await assemble({ app: { url: app.url }, choices: on });
    expect(await sim.install()).toMatchObject({ outcome: "failed", failure: "other", apps: [] });
    expect(sim.oauth.installed.size).toBe(1);
  });

  it("is tried again with success", async () => {
    const answers = [fails, acknowledges];
    await using run = await simulation((call) => answers.shift()?.(call));
    const outcomes = [(await run.sim.install()).outcome, (await run.sim.install()).outcome];
    expect(outcomes).toEqual(["failed", "installed"]);
    expect((await askForToken(run.sim.url)).status).toBe(200);
  });
});

describe("the end of an installation", () => {
  it.each<[string, CallHandler]>([
    ["500", fails],
    ["nothing", (call) => call.reset()],
  ])("also happens if the app answers %s, which is reported", async (_, answer) => {
    await using run = await simulation(acknowledges);
    const { body } = await askForToken(run.sim.url);
    run.app.answer(answer);
    const result = await run.sim.uninstall();
    expect(result).toMatchObject({ command: "uninstall", outcome: "failed", failure: "other" });
    expect(result.apps).toMatchObject([{ state: "not-installed", url: `${run.app.url}/uninstall` }]);
    expect(await callApi(run.sim.url, body.access_token)).toBe(401);
    expect((await askForToken(run.sim.url)).body.error).toBe("invalid_grant");
  });

  it("revokes users' grants to the app: access token, refresh token, and an unused code", async () => {
    const redirectUri = "http://127.0.0.1:9/callback";
    await using app = await startFakeApp({ manifest: both });
    await using run = await simulation(acknowledges, {
      app: { url: app.url, redirectUris: [redirectUri] },
      oauth: { consent: "approve" },
    });
    app.answer(acknowledges);
    const { url } = run.sim;
    const codeOf = async () => {
      const query = new URLSearchParams({
        response_type: "code",
        client_id: credentials.client_id,
        redirect_uri: redirectUri,
        scope: "project",
        state: "s",
      });
      const response = await fetch(`${url}/oauth/authorize?${query}`, { redirect: "manual" });
      return new URL(response.headers.get("location") ?? "").searchParams.get("code") ?? "";
    };
    const exchange = (code: string) =>
      askForToken(url, { grant_type: "authorization_code", code, redirect_uri: redirectUri });
    const [used, unused] = [await codeOf(), await codeOf()];
    const { body } = await exchange(used);
    expect(await callApi(url, body.access_token)).toBe(200);

    expect((await run.sim.uninstall()).outcome).toBe("uninstalled");
    expect(await callApi(url, body.access_token)).toBe(401);
    const { refresh_token } = body as { refresh_token?: string };
    expect((await askForToken(url, { grant_type: "refresh_token", refresh_token })).body.error).toBe("invalid_grant");
    expect((await exchange(unused)).body.error).toBe("invalid_grant");

    const again = await exchange(await codeOf());
    expect(await callApi(url, again.body.access_token)).toBe(200);
  });

  it("keeps the grants of other apps", async () => {
    await using quiet = await startFakeApp({ manifest: manifestOf({}) });
    await using told = await startFakeApp({ manifest: both });
    told.answer(acknowledges);
    const apps = [
      { url: told.url, clientId: "told" },
      { url: quiet.url, clientId: "quiet" },
    ];
    await using sim = await startPlatform({ apps, choices: on });
    const tokens = await Promise.all(apps.map(({ clientId }) => askForToken(sim.url, { client_id: clientId })));
    const result = await sim.uninstall();
    expect(result.warnings).toEqual([`the manifest of ${quiet.url} names no events.uninstall: nothing was sent there`]);
    expect(result.apps.map(({ app }) => app)).toEqual([told.url]);
    expect(await Promise.all(tokens.map(({ body }) => callApi(sim.url, body.access_token)))).toEqual([401, 200]);
  });
});

describe("several apps", () => {
  it("are installed one after another; one that fails does not stop the others", async () => {
    const apps = await Promise.all([1, 2, 3].map(() => startFakeApp({ manifest: both })));
    onTestFinished(() => Promise.all(apps.map((app) => app.close())).then(() => {}));
    for (const [index, app] of apps.entries()) app.answer(index === 1 ? fails : acknowledges);
    const sim = await assemble({
      apps: apps.map(({ url }, index) => ({ url, clientId: `app-${index}` })),
      choices: on,
    });
    const result = await sim.install();
    expect(result).toMatchObject({ outcome: "failed", reason: "the app answered 500" });
    expect(result.apps.map(({ app, state }) => [app, state])).toEqual([
      [apps[0]?.url, "installed"],
      [apps[1]?.url, "not-installed"],
      [apps[2]?.url, "installed"],
    ]);
    expect([...sim.oauth.installed]).toEqual(["app-0", "app-2"]);
  });
});

describe("what is renamed", () => {
  const names = {
    appSecret: "shared",
    baseUrl: "host",
    userId: "by",
    app_id: "aid",
    app_secret: "key",
    user_id: "uid",
  };
  const choices = { ...on, "install.names": names };

  it("is renamed in the event and in the grant", async () => {
    const statuses: number[] = [];
    await using run = await simulation(
      async (call) => {
        const { host, shared, appId, domain, by } = call.json() as Record<string, unknown>;
        const usual = { app_id: undefined, app_secret: undefined, user_id: undefined };
        const { status } = await askForToken(String(host), { ...usual, aid: appId, key: shared, domain, uid: by });
        statuses.push(status, (await askForToken(String(host))).status);
        acknowledges(call);
      },
      { choices },
    );
    expect((await run.sim.install()).outcome).toBe("installed");
    expect(Object.keys(onlyCall(run.app).json() as object)).toEqual([
      "appId",
      "shared",
      "clientId",
      "by",
      "organizationId",
      "domain",
      "host",
    ]);
    expect(statuses).toEqual([200, 400]);
  });

  it("S27: is still hidden where the journal is shown, and so are the tokens", async () => {
    let token = "";
    await using run = await simulation(
      async (call) => {
        const { host, shared, appId, domain, by } = call.json() as Record<string, unknown>;
        token = (await askForToken(String(host), { aid: appId, key: shared, domain, uid: by })).body.access_token ?? "";
        await callApi(String(host), token);
        call.reply({ kept: shared, got: token });
      },
      { choices },
    );
    await run.sim.install();
    const secrets = ["app-sim-app-secret", "app-sim-client-secret-long-enough-for-HS256"];
    const journal = run.sim.journal.list();
    const raw = journal.flatMap((record) => (record.type === "exchange" ? [record.request.body.base64] : []));
    expect(raw.map((body) => Buffer.from(body, "base64").toString()).join()).toContain(secrets[0]);
    expect(token).toMatch(/^eyJ/);
    const shown = JSON.stringify(journal.map((record) => recordForJson(record, new Redactor(secrets))));
    const bodies = journal.flatMap((record) => {
      if (record.type !== "exchange") return [];
      const { request, response } = recordForJson(record, new Redactor(secrets)) as typeof record;
      return [request, response].map((message) => Buffer.from(message?.body.base64 ?? "", "base64").toString());
    });
    for (const secret of [...secrets, token.split(".")[2] ?? ""]) {
      expect([shown, ...bodies].join("\n")).not.toContain(secret);
    }
  });

  it("has the names of the shipped profile installation", async () => {
    const statuses: number[] = [];
    const answer: CallHandler = async (call) => {
      const { base_url, app_id, app_secret, domain, user_id } = call.json() as Record<string, unknown>;
      statuses.push((await askForToken(String(base_url), { app_id, app_secret, domain, user_id })).status);
      acknowledges(call);
    };
    await using run = await simulation(answer, { choices: {}, profile: "installation" });
    expect((await run.sim.install()).outcome).toBe("installed");
    expect(statuses).toEqual([200]);
  });
});

describe("nothing is sent", () => {
  it.each(["install", "uninstall"] as const)(
    "by %s if the choice install.event is off, which is the default",
    async (command) => {
      await using run = await simulation(acknowledges, { choices: {} });
      const error = await usageErrorOf(run.sim[command]());
      expect([error.code, error.hint]).toEqual(["install-off", expect.stringContaining("--choose install.event=on")]);
      expect(error.message).toContain("the interface shows no installation event");
      expect(run.app.calls).toEqual([]);
      expect(run.sim.journal.list()).toEqual([]);
      expect(run.sim.oauth.installed.size).toBe(1);
    },
  );

  it.each([
    ["install", { uninstall: "/uninstall" }, "events.installed"],
    ["uninstall", { installed: "/installed" }, "events.uninstall"],
    ["install", undefined, "events.installed"],
  ] as const)("by %s if the manifest says %j, and nothing changes", async (command, events, named) => {
    await using run = await simulation(acknowledges, { serves: { ...manifestOf({}), events } });
    expect(await run.sim[command]()).toMatchObject({
      outcome: "no-event",
      reason: expect.stringContaining(named),
      hint: expect.stringContaining('"events"'),
      apps: [],
      choices: ["install.event"],
    });
    expect(run.app.calls).toEqual([]);
    expect((await askForToken(run.sim.url)).status).toBe(200);
  });

  it("for an unknown user, or a misspelled option", async () => {
    await using run = await simulation(acknowledges, { users: [{ id: 1, role: "member", login: "m" }] });
    expect(await usageErrorOf(run.sim.install({ user: "admin" }))).toMatchObject({ code: "unknown-user" });
    const misspelt = { usr: "admin" } as object;
    expect(await usageErrorOf(run.sim.uninstall(misspelt))).toMatchObject({ code: "options-invalid" });
    expect(run.app.calls).toEqual([]);
  });
});

it("names the choices that decide whether it is sent, with which names and by which grant", async () => {
  await using run = await simulation(acknowledges);
  const { choices } = await run.sim.install();
  const [grant, ofEvent, sent] = [
    ["oauth.grant.installation"],
    ["oauth.grant.agent", "oauth.grant.callCode"],
    ["install.event", "install.names"],
  ];
  expect(choices).toEqual([...grant, ...ofEvent, ...sent]);
  expect((await run.sim.uninstall()).choices).toEqual([...grant, ...sent]);
});
