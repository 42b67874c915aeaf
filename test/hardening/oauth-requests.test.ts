import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { recordForJson } from "../../src/log/log-records.ts";
import {
  type Answer,
  authorize,
  authorizeUrl,
  callApi,
  codeFor,
  consent,
  consentForm,
  exchange,
  garden,
  manage,
  postForm,
  proof,
  REDIRECT_URI,
  redirectedTo,
  refresh,
  send,
  startPlatform,
  tokens,
  tokensOf,
  verdictOf,
} from "../rig/oauth.ts";

// S rows of the hardening table at the addresses of the authorization server and the REST API.

let sim: RunningSimulator;
/** What each address is asked for, and the status of the answer where nothing is wrong with the request. */
let routes: readonly (readonly [method: string, path: string, status: number])[];
beforeAll(async () => {
  sim = await startPlatform({ oauth: { consent: "ask" }, controlToken: "a-control-token-that-is-long-enough" });
  const { pathname, search } = new URL(authorizeUrl(sim));
  routes = [
    ["GET", pathname + search, 200],
    ["GET", "/oauth/authorize", 400],
    ["POST", "/oauth/authorize", 403],
    ["POST", "/oauth/token", 415],
    ["GET", "/oauth/token", 405],
    ["POST", "/oauth/revoke", 415],
    ["POST", "/oauth/introspect", 415],
    ["GET", "/api/v2/projects", 401],
    ["POST", "/api/v2/projects", 401],
    ["GET", "/api/nothing", 401],
    ["GET", "/.well-known/oauth-authorization-server", 200],
    ["GET", "/.well-known/openid-configuration", 200],
    ["GET", "/.well-known/jwks.json", 200],
    ["GET", "/-/clock", 401],
    ["POST", "/-/clock", 401],
    ["GET", "/-/faults", 401],
    ["PUT", "/-/faults", 401],
  ];
});
afterAll(() => sim.close());

/** One request of which every header is the test's own. */
async function rawly(method: string, path: string, headers: Record<string, string | string[]> = {}): Promise<Answer> {
  const { hostname, port } = new URL(sim.url);
  const sent = request({ host: hostname, port, method, path, headers, agent: false });
  sent.end();
  const [response] = await once(sent, "response");
  let body = "";
  for await (const chunk of response.setEncoding("utf8")) body += chunk;
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

/** Nothing was decided, issued or asked for meanwhile. */
async function expectNothingDone(run: () => Promise<void>): Promise<void> {
  const done = () => [sim.journal.list().length, sim.clock.state().frozen, sim.oauth.faults.list()];
  const before = done();
  await run();
  expect(done()).toEqual(before);
}

describe("S2, S3: another Host than the platform's is 403 at every address, whatever else is sent", () => {
  it.each([
    "evil.example",
    "evil.example:PORT",
    "0.0.0.0:PORT",
    "127.0.0.1",
    "127.0.0.1:1",
    "[",
    "localhost.evil:PORT",
  ])("%s", async (name) => {
    const host = name.replace("PORT", new URL(sim.url).port);
    await expectNothingDone(async () => {
      for (const [method, path] of routes) {
        const { status, headers } = await rawly(method, path, { host });
        expect([method, path, status, headers.location]).toEqual([method, path, 403, undefined]);
      }
    });
  });

  it("two Host headers, and none", async () => {
    const { port, host } = new URL(sim.url);
    for (const lines of [`Host: ${host}\r\nHost: evil.example\r\n`, ""]) {
      for (const [method, path] of routes) {
        const socket = connect({ host: "127.0.0.1", port: Number(port) });
        socket.write(`${method} ${path} HTTP/1.0\r\n${lines}Connection: close\r\n\r\n`);
        let answer = "";
        for await (const chunk of socket.setEncoding("latin1")) answer += chunk;
        expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
      }
    }
  });

  it("S9: even with an upgrade", async () => {
    for (const [method, path] of routes) {
      const upgrade = { host: "evil.example", connection: "Upgrade", upgrade: "websocket" };
      expect((await rawly(method, path, upgrade)).status).toBe(403);
    }
  });
});

describe("S4, S5: an Origin at addresses without a form or token", () => {
  it.each<Record<string, string>>([
    { origin: "null" },
    { origin: "http://1.2.3.4" },
    { origin: "http://127.0.0.1:1" },
    { origin: "http://[" },
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none" },
  ])(
    "%j does not change the answer, S3: or end the platform; S6, S7: and other origins cannot read it",
    async (headers) => {
      for (const [method, path, status] of routes.filter(
        ([, path]) => !path.startsWith("/-/") && path !== "/oauth/authorize",
      )) {
        const answer = await rawly(method, path, headers);
        expect([method, path, answer.status]).toEqual([method, path, status]);
        expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
        expect(answer.headers["cross-origin-resource-policy"]).toBe("same-origin");
      }
    },
  );

  it("S7: a preflight gets no permission", async () => {
    const ask = { origin: "http://1.2.3.4", "access-control-request-method": "POST" };
    for (const [, path] of routes) {
      const { status, headers } = await rawly("OPTIONS", path, ask);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });

  it("S11, A28: no answer can be framed, sniffed or cached, or sends a referrer", async () => {
    const good = await tokens(sim);
    const answers = [
      ...(await Promise.all(routes.map(([method, path]) => rawly(method, path)))),
      await exchange(sim, { code: "x" }),
      await refresh(sim, good.refresh_token),
      await manage(sim, "introspect", "x"),
      await callApi(sim, good.access_token),
      await consent(sim, await authorize(sim)),
      await consent(sim, await authorize(sim), { decision: "deny" }),
    ];
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        "content-security-policy": expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/),
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
      });
      expect(headers).not.toHaveProperty("set-cookie");
      expect(headers).not.toHaveProperty("server");
    }
  });
});

describe("S10, S11: the consent form", () => {
  const browser = { accept: "text/html", "sec-fetch-site": "same-origin", origin: "null" };
  const decide = (fields: Record<string, string>, headers: Record<string, string> = browser) =>
    postForm(`${sim.url}/oauth/authorize`, Object.entries(fields), headers);

  it.each<[string, Record<string, string>, number]>([
    ["of the page, which sends no referrer", {}, 303],
    ["sent by hand", { "sec-fetch-site": "none" }, 303],
    ["of another site", { "sec-fetch-site": "cross-site" }, 403],
    ["of another port", { "sec-fetch-site": "same-site" }, 403],
    ["of another origin", { origin: "http://1.2.3.4" }, 403],
    ["of another port, in an old browser", { origin: "http://127.0.0.1:1", "sec-fetch-site": "" }, 403],
    ["of a malformed origin", { origin: "http://[" }, 403],
    ["as plain text", { "content-type": "text/plain" }, 415],
    ["as JSON", { "content-type": "application/json" }, 415],
    ["in parts", { "content-type": "multipart/form-data; boundary=x" }, 415],
  ])("%s: decides nothing unless it is the platform's own", async (_, headers, status) => {
    const page = await authorize(sim);
    const sent = Object.entries({ ...browser, ...headers }).filter(([, value]) => value !== "");
    const answer = await decide(consentForm(page), Object.fromEntries(sent));
    expect(answer.status).toBe(status);
    if (status === 303) return;
    expect(answer.headers.location).toBeUndefined();
    expect((await consent(sim, page)).status).toBe(303);
  });

  it("without the token, with a wrong one, or with that of another request", async () => {
    const [page, other] = [await authorize(sim), await authorize(sim)];
    const form = consentForm(page);
    const { token: _, ...without } = form;
    const forged = ["", "x", form.token?.slice(1) ?? "", consentForm(other).token ?? ""];
    const forms = [without, ...forged.map((token) => ({ ...form, token })), { ...form, request: "x" }, {}];
    for (const fields of forms) {
      const { status, headers } = await decide(fields as Record<string, string>);
      expect([status, headers.location]).toEqual([403, undefined]);
    }
    expect((await consent(sim, page)).status).toBe(303);
  });

  it("without a decision, with another one, or with an unknown user, decides nothing", async () => {
    const page = await authorize(sim);
    const form = consentForm(page);
    for (const change of [
      { decision: "" },
      { decision: "Approve" },
      { decision: "__proto__" },
      { user: "nobody" },
      { user: "" },
    ]) {
      const { status, headers } = await decide({ ...form, ...change });
      expect([status, headers.location]).toEqual([400, undefined]);
    }
    expect((await consent(sim, page)).status).toBe(303);
  });

  it("A1: cannot change what the app requested", async () => {
    const page = await authorize(sim, { state: "right" });
    const fields = {
      redirect_uri: "https://evil.example/",
      state: "wrong",
      scope: "glossary",
      client_id: "orchard-client",
    };
    const to = redirectedTo(await decide({ ...consentForm(page), ...fields }));
    expect([to.origin + to.pathname, to.searchParams.get("state")]).toEqual([REDIRECT_URI, "right"]);
    const { scope } = tokensOf(await exchange(sim, { code: to.searchParams.get("code") ?? "" }));
    expect(scope).toBe("project");
  });

  it("S10: a link on another site opens the question, an image does not even do that, and neither approves", async () => {
    const form = consentForm(await authorize(sim));
    const query = new URLSearchParams({ ...Object.fromEntries(new URL(authorizeUrl(sim)).searchParams), ...form });
    const link = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    const image = { accept: "image/*", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };
    for (const [kind, expected] of [
      [link, 200],
      [image, 403],
    ] as const) {
      const sent = { headers: { ...kind, "sec-fetch-site": "cross-site" } };
      const { status, headers } = await send(`${sim.url}/oauth/authorize?${query}`, sent);
      expect([status, headers.location]).toEqual([expected, undefined]);
    }
  });

  it("S20: a form larger than the platform's is 413", async () => {
    const form = consentForm(await authorize(sim));
    expect((await decide({ ...form, more: "x".repeat(17_000) })).status).toBe(413);
  });

  it("S24: fields named like inherited members are ordinary fields", async () => {
    const form = consentForm(await authorize(sim));
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    const answer = await decide({ ...form, ...Object.fromEntries(names.map((name) => [name, "x"])) });
    expect(answer.status).toBe(303);
    expect((await decide({ request: "__proto__", token: "constructor" })).status).toBe(403);
  });

  it("R35: a thousand later requests displace the oldest, which must start again", async () => {
    await using busy = await startPlatform({ oauth: { consent: "ask" } });
    const first = await authorize(busy);
    for (let asked = 0; asked < 1000; asked += 100) {
      await Promise.all(Array.from({ length: 100 }, () => authorize(busy)));
    }
    expect((await consent(busy, first)).status).toBe(410);
    expect((await consent(busy, await authorize(busy))).status).toBe(303);
  });
});

describe("S20: sizes", () => {
  const LIMIT = 64 * 1024;
  const padded = (size: number) => {
    const body = JSON.stringify({ grant_type: "x", client_id: "x", pad: "" });
    return body.replace('"pad":""', `"pad":"${"x".repeat(size - body.length)}"`);
  };

  it.each(["/oauth/token", "/oauth/revoke", "/oauth/introspect"])(
    "%s accepts 64 KiB and not a byte more",
    async (path) => {
      const type = { "content-type": "application/json" };
      const whole = await send(sim.url + path, { method: "POST", headers: type, body: padded(LIMIT) });
      expect(whole.status).toBeLessThan(413);
      const over = await send(sim.url + path, { method: "POST", headers: type, body: padded(LIMIT + 1) });
      expect(verdictOf(over)).toBe("413 invalid_request");
      expect(over.headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
    },
  );

  it("also without a Content-Length", async () => {
    const { hostname, port } = new URL(sim.url);
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    for (const [size, status] of [
      [LIMIT, 400],
      [LIMIT + 1, 413],
    ] as const) {
      const sent = request({ host: hostname, port, method: "POST", path: "/oauth/token", headers, agent: false });
      const answered = once(sent, "response");
      const body = padded(size);
      for (let from = 0; from < size; from += 8192) sent.write(body.slice(from, from + 8192));
      sent.end();
      const [response] = await answered;
      expect(response.statusCode).toBe(status);
      response.resume();
    }
  });

  it("a wrong Content-Length is 4xx, and the platform continues", async () => {
    const { port, host } = new URL(sim.url);
    for (const length of ["-1", "x", "1e3", `${LIMIT * 1000}`]) {
      const socket = connect({ host: "127.0.0.1", port: Number(port) });
      const lines = [
        `Host: ${host}`,
        "Content-Type: application/json",
        `Content-Length: ${length}`,
        "Connection: close",
      ];
      socket.write(`POST /oauth/token HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n{}`);
      let answer = "";
      for await (const chunk of socket.setEncoding("latin1")) answer += chunk;
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
    expect((await authorize(sim)).status).toBe(200);
  });

  it("S17: a compressed body is not decompressed", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const { gzipSync } = await import("node:zlib");
    const body = gzipSync(padded(10_000_000));
    expect(body.length).toBeLessThan(LIMIT);
    const answer = await send(`${sim.url}/oauth/token`, { method: "POST", headers, body });
    expect(verdictOf(answer)).toBe("415 invalid_request");
    expect(answer.body).toContain("gzip");
  });

  it("the REST API accepts a body up to 64 KiB, and ignores it", async () => {
    const headers = { authorization: "Bearer x", "content-type": "application/json" };
    const big = "x".repeat(LIMIT);
    const asked = (body: string) => send(`${sim.url}/api/v2/projects`, { method: "POST", headers, body });
    expect((await asked(big)).status).toBe(401);
    const over = await asked(`${big}x`);
    expect([over.status, JSON.parse(over.body).error.code]).toEqual([413, 413]);
  });
});

describe("S27: what the journal shows", () => {
  it("has no code, verifier, token or secret of a whole flow", async () => {
    await using walk = await startPlatform({ oauth: { consent: "ask" } });
    const page = await authorize(walk);
    const code = redirectedTo(await consent(walk, page)).searchParams.get("code") ?? "";
    const first = tokensOf(await exchange(walk, { code }, { as: "form" }));
    const second = tokensOf(await refresh(walk, first.refresh_token));
    const basic = { id: garden.clientId, secret: garden.clientSecret };
    await callApi(walk, second.access_token);
    await manage(walk, "introspect", second.access_token);
    await manage(walk, "revoke", second.refresh_token, {}, { as: "json", basic });
    await exchange(walk, { code });
    await refresh(walk, "of-another-kind-of-client", {}, { as: "form", basic });
    const records = walk.journal.list();
    expect(records.length).toBeGreaterThan(16);
    const secrets = [garden.clientSecret, garden.appSecret];
    const shown = JSON.stringify(records.map((record) => recordForJson(record, new Redactor(secrets))));
    const base64 = Buffer.from(`${garden.clientId}:${garden.clientSecret}`).toString("base64");
    const signatures = [first, second].map(({ access_token }) => access_token.split(".")[2] ?? "");
    const issued = [code, proof.verifier, first.refresh_token, second.refresh_token, ...signatures, ...secrets, base64];
    for (const secret of issued) {
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(Buffer.from(secret).toString("base64").slice(0, -4));
    }
    expect(shown).toContain("oauth/callback");
  });
});

describe("S26: an address with a path elsewhere", () => {
  it.each([
    "/oauth/..%2ftoken",
    "/oauth/%2e%2e/-/clock",
    "/api/v2/projects/..%2f..",
    "/api/v2/projects%00",
    "//oauth/token",
    "/oauth\\token",
  ])("%s does not exist", async (path) => {
    const { status } = await rawly("GET", path, { authorization: `Bearer ${(await tokens(sim)).access_token}` });
    expect([400, 401, 404]).toContain(status);
  });
});

it("a code from the consent page is only for the app (S8): it is in no other answer", async () => {
  const code = await codeFor(sim);
  for (const [method, path] of routes) expect((await rawly(method, path)).body).not.toContain(code);
});
