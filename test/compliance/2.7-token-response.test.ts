import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import jwt from "jsonwebtoken";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import { callApi, codeFor, exchange, garden, refresh, startPlatform, tokens, tokensOf } from "../rig/oauth.ts";

// Interface 2.7: the token answer.

let sim: RunningSimulator;
beforeAll(async () => {
  sim = await startPlatform();
});
afterAll(() => sim.close());

describe("2.7 the token answer", () => {
  it("has the fields of the table with their types, and the scope", async () => {
    const first = tokensOf(await exchange(sim, { code: await codeFor(sim) }));
    const second = tokensOf(await refresh(sim, first.refresh_token));
    for (const tokens of [first, second]) {
      expect(tokens).toEqual({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: "bearer",
        expires_in: 7200,
        refresh_token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        scope: "project",
      });
    }
  });

  it("has an access token that any library verifies with the published keys", async () => {
    sim.clock.freeze();
    const { access_token } = await tokens(sim, { scope: "project glossary" }, "milan.member");
    const keys = createRemoteJWKSet(new URL(`${sim.url}/.well-known/jwks.json`));
    const currentDate = sim.clock.now();
    const rules = { issuer: sim.url, audience: garden.clientId, typ: "at+jwt", algorithms: ["ES256"], currentDate };
    const { payload } = await jwtVerify(access_token, keys, rules);
    const now = Math.floor(currentDate.getTime() / 1000);
    expect(payload).toEqual({
      iss: sim.url,
      aud: "garden-client",
      client_id: "garden-client",
      sub: "104",
      domain: "acme",
      scope: "project glossary",
      jti: expect.stringMatching(/^[\w-]{43}$/),
      iat: now,
      exp: now + 7200,
    });
    sim.clock.resume();
  });

  it("has one that the app cannot make with any of its secrets", async () => {
    const { access_token } = await tokens(sim);
    const claims = decodeJwt(access_token);
    for (const secret of [garden.clientSecret, garden.appSecret]) {
      for (const algorithm of ["HS256", "HS512"] as const) {
        const forged = jwt.sign({ ...claims, sub: "101" }, secret, {
          algorithm,
          header: { ...decodeProtectedHeader(access_token), alg: algorithm },
        });
        expect((await callApi(sim, forged)).status).toBe(401);
      }
    }
    const [, payload] = access_token.split(".");
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url");
    for (const forged of [`${none}.${payload}.`, `${none}.${payload}`]) {
      expect((await callApi(sim, forged)).status).toBe(401);
    }
  });

  it("expires_in is as the choice says, and the token is valid for that time", async () => {
    await using short = await startPlatform({ choices: { "oauth.accessToken.lifetime": 60 } });
    short.clock.freeze("2030-01-01T00:00:00Z");
    const { access_token, expires_in } = await tokens(short);
    expect(expires_in).toBe(60);
    short.clock.advance("59s");
    expect((await callApi(short, access_token)).status).toBe(200);
    short.clock.advance("1s");
    expect((await callApi(short, access_token)).status).toBe(401);
  });

  it("7200 seconds are counted by the platform's clock", async () => {
    await using turned = await startPlatform();
    turned.clock.freeze("2030-01-01T00:00:00Z");
    const { access_token } = await tokens(turned);
    turned.clock.advance("1h59m59s");
    expect((await callApi(turned, access_token)).status).toBe(200);
    turned.clock.advance("1s");
    const late = await callApi(turned, access_token);
    expect([late.status, late.headers["www-authenticate"]]).toEqual([
      401,
      'Bearer error="invalid_token", error_description="the access token has expired"',
    ]);
  });
});
