import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import {
  type Answer,
  authorize,
  callApi,
  codeFor,
  consent,
  garden,
  manage,
  noPkce,
  orchard,
  redirectedTo,
  refresh,
  type Sending,
  send,
  startPlatform,
  tokens,
  tokensOf,
  verdictOf,
} from "../rig/oauth.ts";

// Interface 4.1: the endpoints, and the standard extras around them. Rows A25, A30 and A31 of the hardening table.

let sim: RunningSimulator;
beforeAll(async () => {
  sim = await startPlatform();
});
afterAll(() => sim.close());

const metadataPaths = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

async function metadataOf({ url }: RunningSimulator, path = metadataPaths[0] ?? ""): Promise<Record<string, unknown>> {
  return JSON.parse((await send(url + path)).body);
}

describe("4.1 A30: the metadata of the authorization server (RFC 8414)", () => {
  it.each(metadataPaths)("%s has the exact issuer, and addresses below it", async (path) => {
    const answer = await send(sim.url + path);
    expect([answer.status, answer.headers["content-type"]]).toEqual([
      200,
      expect.stringMatching(/^application\/json\b/),
    ]);
    expect(JSON.parse(answer.body)).toMatchObject({
      issuer: sim.url,
      authorization_endpoint: `${sim.url}/oauth/authorize`,
      token_endpoint: `${sim.url}/oauth/token`,
      revocation_endpoint: `${sim.url}/oauth/revoke`,
      introspection_endpoint: `${sim.url}/oauth/introspect`,
      jwks_uri: `${sim.url}/.well-known/jwks.json`,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256", "plain"],
      scopes_supported: ["project", "glossary"],
      authorization_response_iss_parameter_supported: false,
    });
  });

  it("has the same issuer under every name of the platform, as the tokens have", async () => {
    const { port } = new URL(sim.url);
    const { body } = await send(`http://127.0.0.1:${port}${metadataPaths[0]}`, {
      headers: { host: `acme.localhost:${port}` },
    });
    expect(JSON.parse(body).issuer).toBe(sim.url);
  });

  it("every address in it answers", async () => {
    const metadata = await metadataOf(sim);
    const addresses = Object.entries(metadata).filter(([name]) => /_(endpoint|uri)$/.test(name));
    expect(addresses).toHaveLength(5);
    for (const [name, address] of addresses) {
      const { status } = await send(String(address), { headers: { accept: "text/html" } });
      const expected = { authorization_endpoint: 400, jwks_uri: 200 }[name] ?? 405;
      expect([name, status]).toEqual([name, expected]);
    }
  });

  it("every authentication method in it works", async () => {
    const metadata = await metadataOf(sim);
    expect(metadata.token_endpoint_auth_methods_supported).toEqual([
      "client_secret_basic",
      "client_secret_post",
      "none",
    ]);
    for (const endpoint of ["revocation", "introspection"]) {
      expect(metadata[`${endpoint}_endpoint_auth_methods_supported`]).toEqual([
        "client_secret_basic",
        "client_secret_post",
      ]);
    }
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS"])("A25: %s is 405 at each of them", async (method) => {
    for (const path of [...metadataPaths, "/.well-known/jwks.json"]) {
      const answer = await send(sim.url + path, { method });
      expect([path, answer.status, answer.headers.allow]).toEqual([path, 405, "GET, HEAD"]);
    }
  });

  it("iss is in no redirect by default, and in each if the choice says so", async () => {
    expect(redirectedTo(await authorize(sim)).searchParams.has("iss")).toBe(false);
    await using on = await startPlatform({ choices: { "oauth.redirect.iss": "on" }, oauth: { consent: "ask" } });
    expect((await metadataOf(on)).authorization_response_iss_parameter_supported).toBe(true);
    const answers = [
      await consent(on, await authorize(on)),
      await consent(on, await authorize(on), { decision: "deny" }),
      await authorize(on, { scope: null }),
    ];
    for (const answer of answers) expect(redirectedTo(answer).searchParams.getAll("iss")).toEqual([on.url]);
  });

  it("only public keys are published", async () => {
    const { keys } = JSON.parse((await send(`${sim.url}/.well-known/jwks.json`)).body);
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatchObject({ kty: "EC", crv: "P-256", alg: "ES256", use: "sig", kid: expect.any(String) });
    for (const key of keys) for (const name of ["d", "p", "q", "k"]) expect(key).not.toHaveProperty(name);
  });
});

describe("4.1 A31: revocation (RFC 7009)", () => {
  it.each<[string, Sending]>([
    ["a form", { as: "form" }],
    ["JSON", { as: "json" }],
    ["Basic", { as: "form", basic: { id: garden.clientId, secret: garden.clientSecret } }],
  ])("in %s, of an access token revokes only that, of a refresh token the whole grant", async (_, sending) => {
    const first = await tokens(sim);
    expect((await manage(sim, "revoke", first.access_token, {}, sending)).status).toBe(200);
    expect((await callApi(sim, first.access_token)).status).toBe(401);
    const second = tokensOf(await refresh(sim, first.refresh_token));
    expect((await callApi(sim, second.access_token)).status).toBe(200);
    expect((await manage(sim, "revoke", second.refresh_token, {}, sending)).status).toBe(200);
    expect((await callApi(sim, second.access_token)).status).toBe(401);
    expect(verdictOf(await refresh(sim, second.refresh_token))).toBe("400 invalid_grant");
  });

  it("of an unknown token, or of one that was already revoked, is 200", async () => {
    const { refresh_token } = await tokens(sim);
    await manage(sim, "revoke", refresh_token);
    for (const token of ["x", "a.b.c", "__proto__", refresh_token]) {
      for (const token_type_hint of [null, "access_token", "refresh_token", "nonsense"]) {
        expect((await manage(sim, "revoke", token, { token_type_hint })).status).toBe(200);
      }
    }
  });

  it("a wrong hint does not matter", async () => {
    const { access_token, refresh_token } = await tokens(sim);
    await manage(sim, "revoke", access_token, { token_type_hint: "refresh_token" });
    expect((await callApi(sim, access_token)).status).toBe(401);
    await manage(sim, "revoke", refresh_token, { token_type_hint: "access_token" });
    expect(verdictOf(await refresh(sim, refresh_token))).toBe("400 invalid_grant");
  });

  it("of another client's token is refused, and the token stays valid", async () => {
    const { access_token, refresh_token } = await tokens(sim);
    const ofOrchard = { client_id: orchard.clientId, client_secret: orchard.clientSecret };
    for (const token of [access_token, refresh_token]) {
      expect((await manage(sim, "revoke", token, ofOrchard)).status).toBe(400);
    }
    expect((await callApi(sim, access_token)).status).toBe(200);
    expect(verdictOf(await refresh(sim, refresh_token))).toBe("200");
  });
});

describe("4.1 A31: introspection (RFC 7662)", () => {
  const factsOf = async (token: string, on = sim) => JSON.parse((await manage(on, "introspect", token)).body);

  it("describes a valid token", async () => {
    const { access_token, refresh_token } = await tokens(sim);
    expect(await factsOf(access_token)).toMatchObject({
      active: true,
      client_id: "garden-client",
      username: "milan.member",
      scope: "project",
      token_type: "bearer",
      sub: "104",
      exp: expect.any(Number),
    });
    expect(await factsOf(refresh_token)).toMatchObject({ active: true, client_id: "garden-client", scope: "project" });
  });

  it('of what is not good says {"active":false} and no more', async () => {
    await using turned = await startPlatform();
    const [first, revoked, rotated] = [await tokens(turned), await tokens(turned), await tokens(turned)];
    await manage(turned, "revoke", revoked.refresh_token);
    await refresh(turned, rotated.refresh_token);
    const bad = [
      ...["x", "a.b.c", "__proto__", await codeFor(turned, noPkce)],
      ...[revoked.access_token, revoked.refresh_token, rotated.refresh_token],
    ];
    for (const token of bad) expect(await factsOf(token, turned)).toEqual({ active: false });
    turned.clock.advance("2h");
    expect(await factsOf(first.access_token, turned)).toEqual({ active: false });
    expect(await factsOf(first.refresh_token, turned)).toMatchObject({ active: true });
    turned.clock.advance("30d");
    expect(await factsOf(first.refresh_token, turned)).toEqual({ active: false });
  });

  it("of another client's token says nothing else", async () => {
    const { access_token, refresh_token } = await tokens(sim);
    const ofOrchard = { client_id: orchard.clientId, client_secret: orchard.clientSecret };
    for (const token of [access_token, refresh_token]) {
      expect((await manage(sim, "introspect", token, ofOrchard)).body).toBe('{"active":false}');
    }
  });
});

describe.each(["revoke", "introspect"] as const)("4.1 A21 to A26 at /oauth/%s", (endpoint) => {
  const refusalOf = async (...[token, changes, sending]: [string, object?, Sending?]) =>
    verdictOf(await manage(sim, endpoint, token, { ...changes }, sending ?? { as: "form" }));

  it("a client that does not authenticate is 401 invalid_client", async () => {
    const { access_token } = await tokens(sim);
    for (const changes of [
      { client_secret: null },
      { client_secret: "wrong" },
      { client_id: null },
      { client_id: "nobody" },
    ]) {
      expect(await refusalOf(access_token, changes)).toBe("401 invalid_client");
    }
    expect(await refusalOf(access_token, {}, { basic: { id: garden.clientId, secret: "wrong" } })).toBe(
      "401 invalid_client",
    );
    expect((await callApi(sim, access_token)).status).toBe(200);
  });

  it("no token, or a parameter twice, is 400 invalid_request", async () => {
    expect(await refusalOf("", { token: null })).toBe("400 invalid_request");
    expect(await refusalOf("x", { token: ["x", "y"] })).toBe("400 invalid_request");
    expect(await refusalOf("x", { client_secret: ["x", garden.clientSecret] })).toBe("400 invalid_request");
  });

  it("another content type is 415, another method 405 with Allow; no answer is cached", async () => {
    const plain = await send(`${sim.url}/oauth/${endpoint}`, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "token=x",
    });
    expect(verdictOf(plain)).toBe("415 invalid_request");
    for (const method of ["GET", "PUT", "OPTIONS"]) {
      const answer: Answer = await send(`${sim.url}/oauth/${endpoint}`, { method });
      expect([answer.status, answer.headers.allow]).toEqual([405, "POST"]);
    }
    for (const answer of [plain, await manage(sim, endpoint, "x")]) {
      expect(answer.headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
    }
  });
});
