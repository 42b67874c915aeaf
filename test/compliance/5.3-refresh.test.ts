import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import {
  callApi,
  codeFor,
  exchange,
  garden,
  manage,
  noPkce,
  orchard,
  refresh,
  startPlatform,
  type TokenAnswer,
  tokens,
  tokensOf,
  verdictOf,
} from "../rig/oauth.ts";

// Interface 5.3: the refresh of tokens. Rows A6 and A18 to A21 of the hardening table.

let sim: RunningSimulator;
beforeAll(async () => {
  sim = await startPlatform();
});
afterAll(() => sim.close());

/** That a refresh token is good: it is used up by this. */
async function refreshed(refreshToken: string, on = sim): Promise<TokenAnswer> {
  return tokensOf(await refresh(on, refreshToken));
}

describe("5.3 a refresh", () => {
  it.each(["json", "form"] as const)("as %s gives a new access token and a new refresh token", async (as) => {
    const first = await tokens(sim, { scope: "project glossary" });
    const second = tokensOf(await refresh(sim, first.refresh_token, {}, { as }));
    expect(Object.keys(second).sort()).toEqual(Object.keys(first).sort());
    expect(second).toMatchObject({ token_type: "bearer", expires_in: 7200, scope: "project glossary" });
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    for (const { access_token } of [first, second]) expect((await callApi(sim, access_token)).status).toBe(200);
  });

  it("also with Basic", async () => {
    const { refresh_token } = await tokens(sim);
    const basic = { id: garden.clientId, secret: garden.clientSecret };
    expect(verdictOf(await refresh(sim, refresh_token, {}, { as: "form", basic }))).toBe("200");
  });

  it("is valid long after the access token has expired", async () => {
    await using turned = await startPlatform();
    const first = await tokens(turned);
    turned.clock.advance("29d");
    expect((await callApi(turned, first.access_token)).status).toBe(401);
    const second = await refreshed(first.refresh_token, turned);
    expect((await callApi(turned, second.access_token)).status).toBe(200);
  });

  it("is valid as long as the choice says, and each new token from its issue", async () => {
    await using turned = await startPlatform({ choices: { "oauth.refresh.lifetime": 60 } });
    turned.clock.freeze();
    const first = await tokens(turned);
    turned.clock.advance(59_999);
    const second = await refreshed(first.refresh_token, turned);
    turned.clock.advance(59_999);
    const third = await refreshed(second.refresh_token, turned);
    turned.clock.advance(60_000);
    const late = await refresh(turned, third.refresh_token);
    expect([verdictOf(late), JSON.parse(late.body).error_description]).toEqual([
      "400 invalid_grant",
      "the refresh token has expired",
    ]);
  });

  it("without a refresh token, or with something else, is refused", async () => {
    const { access_token } = await tokens(sim);
    const code = await codeFor(sim);
    for (const [no, why] of [
      ["x", "this platform did not issue this refresh_token"],
      ["__proto__", "this platform did not issue this refresh_token"],
      [code, "this platform did not issue this refresh_token"],
      [access_token, "this is an access token, or another JWT, and not a refresh_token"],
    ] as const) {
      const refused = await refresh(sim, no);
      expect([verdictOf(refused), JSON.parse(refused.body).error_description]).toEqual(["400 invalid_grant", why]);
    }
    for (const refresh_token of [null, ""]) {
      expect(verdictOf(await refresh(sim, "", { refresh_token }))).toBe("400 invalid_request");
    }
    expect(verdictOf(await exchange(sim, { code }))).toBe("200");
  });

  it("A6: with the refresh token or the scope twice is refused, and the token stays valid", async () => {
    const { refresh_token } = await tokens(sim);
    for (const changes of [{ refresh_token: [refresh_token, refresh_token] }, { scope: ["project", "project"] }]) {
      expect(verdictOf(await refresh(sim, refresh_token, changes, { as: "form" }))).toBe("400 invalid_request");
    }
    await refreshed(refresh_token);
  });
});

describe("5.3 A18: the refresh token is rotated", () => {
  it("the old one again is invalid_grant, says why, and revokes the whole grant", async () => {
    const first = await tokens(sim);
    const second = await refreshed(first.refresh_token);
    const again = await refresh(sim, first.refresh_token);
    expect([verdictOf(again), JSON.parse(again.body).error_description]).toEqual([
      "400 invalid_grant",
      "the refresh token has already been used: each answer has a new one; the grant is now revoked",
    ]);
    for (const { access_token } of [first, second]) {
      const { status, headers } = await callApi(sim, access_token);
      expect([status, headers["www-authenticate"]]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    }
    const afterwards = await refresh(sim, second.refresh_token);
    expect(verdictOf(afterwards)).toBe("400 invalid_grant");
    expect(JSON.parse(afterwards.body).error_description).toContain("revoked");
  });

  it("so does one from the middle of a long chain; other grants stay valid", async () => {
    const line = [await tokens(sim)];
    for (let turn = 0; turn < 4; turn += 1) line.push(await refreshed(line.at(-1)?.refresh_token ?? ""));
    const other = await tokens(sim);
    expect(verdictOf(await refresh(sim, line[2]?.refresh_token ?? ""))).toBe("400 invalid_grant");
    for (const { access_token } of line) expect((await callApi(sim, access_token)).status).toBe(401);
    expect((await callApi(sim, other.access_token)).status).toBe(200);
    await refreshed(other.refresh_token);
  });

  it("an old one sent by another client revokes nothing", async () => {
    const first = await tokens(sim);
    const second = await refreshed(first.refresh_token);
    const ofOrchard = { client_id: orchard.clientId, client_secret: orchard.clientSecret };
    for (const changes of [ofOrchard, { client_secret: "wrong" }, { client_secret: null }]) {
      await refresh(sim, first.refresh_token, changes);
    }
    expect((await callApi(sim, second.access_token)).status).toBe(200);
  });
});

describe("5.3 A19: a refresh that is not this client's, or asks for more", () => {
  it("by another client is invalid_grant, and the token stays valid", async () => {
    const { refresh_token } = await tokens(sim);
    const ofOrchard = { client_id: orchard.clientId, client_secret: orchard.clientSecret };
    expect(verdictOf(await refresh(sim, refresh_token, ofOrchard))).toBe("400 invalid_grant");
    await refreshed(refresh_token);
  });

  it.each(["project glossary", "glossary", "Project", "project  project", " ", "pro\\ject"])(
    "with the scope %j is invalid_scope, and the token stays valid",
    async (scope) => {
      const { refresh_token } = await tokens(sim, { scope: "project" });
      expect(verdictOf(await refresh(sim, refresh_token, { scope }))).toBe("400 invalid_scope");
      await refreshed(refresh_token);
    },
  );

  it("may ask for less, which does not limit the next refresh (RFC 6749 section 6)", async () => {
    const { refresh_token } = await tokens(sim, { scope: "project glossary" });
    const less = tokensOf(await refresh(sim, refresh_token, { scope: "glossary" }));
    expect(less.scope).toBe("glossary");
    expect((await callApi(sim, less.access_token)).status).toBe(403);
    const { scope, access_token } = await refreshed(less.refresh_token);
    expect(scope).toBe("project glossary");
    expect((await callApi(sim, access_token)).status).toBe(200);
  });
});

describe("5.3 A20: a refresh without the secret", () => {
  it("is invalid_client, even for a PKCE grant, and the token stays valid", async () => {
    for (const changes of [{}, noPkce]) {
      const { refresh_token } = await tokens(sim, changes);
      expect(verdictOf(await refresh(sim, refresh_token, { client_secret: null }))).toBe("401 invalid_client");
      await refreshed(refresh_token);
    }
  });

  it("A21: so is one with a wrong secret", async () => {
    const { refresh_token } = await tokens(sim);
    expect(verdictOf(await refresh(sim, refresh_token, { client_secret: "wrong" }))).toBe("401 invalid_client");
    const basic = { id: garden.clientId, secret: "wrong" };
    const sent = await refresh(sim, refresh_token, {}, { basic });
    expect([verdictOf(sent), sent.headers["www-authenticate"]]).toEqual([
      "401 invalid_client",
      expect.stringMatching(/^Basic /),
    ]);
    await refreshed(refresh_token);
  });

  it("is accepted for a PKCE grant if the choice says so, and for no other", async () => {
    await using lax = await startPlatform({ choices: { "oauth.refresh.secret": "optional-with-pkce" } });
    const bound = await tokens(lax);
    expect(verdictOf(await refresh(lax, bound.refresh_token, { client_secret: "wrong" }))).toBe("401 invalid_client");
    expect(verdictOf(await refresh(lax, bound.refresh_token, { client_secret: null }))).toBe("200");
    expect(verdictOf(await refresh(lax, "unknown", { client_secret: null }))).toBe("400 invalid_grant");
    const unbound = await tokens(lax, noPkce);
    expect(verdictOf(await refresh(lax, unbound.refresh_token, { client_secret: null }))).toBe("401 invalid_client");
    expect(verdictOf(await refresh(lax, unbound.refresh_token))).toBe("200");
  });
});

describe("5.3 a refresh token that was revoked", () => {
  it("is invalid_grant, and so are all tokens that came of it", async () => {
    const first = await tokens(sim);
    const second = await refreshed(first.refresh_token);
    expect((await manage(sim, "revoke", second.refresh_token)).status).toBe(200);
    expect(verdictOf(await refresh(sim, second.refresh_token))).toBe("400 invalid_grant");
    for (const { access_token } of [first, second]) expect((await callApi(sim, access_token)).status).toBe(401);
  });
});
