import * as oauth from "oauth4webapi";
import { describe, expect, it, test } from "vitest";
import {
  approved,
  call,
  challengeTo,
  client,
  configured,
  errorOf,
  exchange,
  introspect,
  overHttp,
  proofs,
  refresh,
  revoke,
  validate,
} from "./oauth4webapi-client.ts";
import { CLIENT_ID } from "./platform.ts";

describe("refresh (interface 5.3)", () => {
  it.each(["client_secret_basic", "client_secret_post"] as const)("gives new tokens to %s", async (method) => {
    await using platform = await configured();
    const first = await exchange(platform, await approved(platform));
    const second = await refresh(platform, first, { proof: proofs[method] });
    expect(second).toEqual({ ...first, access_token: expect.any(String), refresh_token: expect.any(String) });
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await call(platform, second)).status).toBe(200);
  });

  test("A18: the old refresh token ends the grant, and the error says why", async () => {
    await using platform = await configured();
    const first = await exchange(platform, await approved(platform));
    const second = await refresh(platform, first);
    expect(await errorOf(refresh(platform, first))).toMatchObject({
      error: "invalid_grant",
      error_description: expect.stringContaining("each answer has a new one"),
    });
    expect(await challengeTo(call(platform, second))).toMatchObject({ error: "invalid_token" });
    expect(await errorOf(refresh(platform, second))).toMatchObject({ error: "invalid_grant" });
  });

  test("A19: a narrower scope applies to that access token only, and a wider one is refused", async () => {
    await using platform = await configured();
    const first = await exchange(platform, await approved(platform, "project glossary"));
    const narrow = await refresh(platform, first, { scope: "glossary" });
    expect(narrow.scope).toBe("glossary");
    expect(await errorOf(refresh(platform, narrow, { scope: "project admin" }))).toMatchObject({
      error: "invalid_scope",
    });
    expect((await refresh(platform, narrow)).scope).toBe("project glossary");
  });

  test("A20: needs the secret, unless PKCE is enough (choice oauth.refresh.secret)", async () => {
    await using platform = await configured();
    const tokens = await exchange(platform, await approved(platform), proofs.none);
    expect(await errorOf(refresh(platform, tokens, { proof: proofs.none }))).toMatchObject({ error: "invalid_client" });

    await using lenient = await configured({ choices: { "oauth.refresh.secret": "optional-with-pkce" } });
    const others = await exchange(lenient, await approved(lenient), proofs.none);
    expect((await refresh(lenient, others, { proof: proofs.none })).refresh_token).not.toBe(others.refresh_token);
  });
});

describe("the platform's clock", () => {
  it("expires an access token; a refresh gives a valid one again", async () => {
    await using platform = await configured();
    const first = await exchange(platform, await approved(platform));
    expect((await call(platform, first)).status).toBe(200);
    platform.sim.clock.advance("3h");
    expect(await challengeTo(call(platform, first))).toEqual({
      error: "invalid_token",
      error_description: "the access token has expired",
    });
    const second = await refresh(platform, first);
    expect((await call(platform, second)).status).toBe(200);
  });

  it("expires an access token after expires_in, to the second", async () => {
    await using platform = await configured({ choices: { "oauth.accessToken.lifetime": 60 } });
    platform.sim.clock.freeze("2031-05-06T07:08:09Z");
    const tokens = await exchange(platform, await approved(platform));
    expect(tokens.expires_in).toBe(60);
    platform.sim.clock.advance("59s");
    expect((await call(platform, tokens)).status).toBe(200);
    platform.sim.clock.advance("1s");
    expect(await challengeTo(call(platform, tokens))).toMatchObject({ error: "invalid_token" });
  });

  it("expires codes and refresh tokens", async () => {
    await using platform = await configured();
    const tokens = await exchange(platform, await approved(platform));
    const late = await approved(platform);
    platform.sim.clock.advance("10m");
    expect(await errorOf(exchange(platform, late))).toMatchObject({
      error: "invalid_grant",
      error_description: "the code has expired",
    });
    platform.sim.clock.advance("30d");
    expect(await errorOf(refresh(platform, tokens))).toMatchObject({
      error: "invalid_grant",
      error_description: "the refresh token has expired",
    });
  });
});

describe("the API", () => {
  it("says which scope is missing", async () => {
    await using platform = await configured();
    const tokens = await exchange(platform, await approved(platform, "glossary"));
    expect(await challengeTo(call(platform, tokens))).toMatchObject({ error: "insufficient_scope", scope: "project" });
  });

  it("A29: refuses a token that it did not issue", async () => {
    await using platform = await configured();
    await using other = await configured();
    const foreign = await exchange(other, await approved(other));
    expect(await challengeTo(call(platform, foreign))).toMatchObject({ error: "invalid_token" });
  });
});

describe("revocation (RFC 7009) and introspection (RFC 7662)", () => {
  it("describe the client's tokens, and revoke them", async () => {
    await using platform = await configured();
    const tokens = await exchange(platform, await approved(platform));
    const { access_token: accessToken, refresh_token: refreshToken = "" } = tokens;
    expect(await introspect(platform, accessToken)).toMatchObject({
      active: true,
      iss: platform.sim.url,
      client_id: CLIENT_ID,
      username: "milan.member",
      scope: "project",
      token_type: "bearer",
    });
    await revoke(platform, accessToken);
    expect(await introspect(platform, accessToken)).toEqual({ active: false });
    expect(await challengeTo(call(platform, tokens))).toMatchObject({ error: "invalid_token" });

    expect(await introspect(platform, refreshToken)).toMatchObject({ active: true, client_id: CLIENT_ID });
    const next = await refresh(platform, tokens);
    await revoke(platform, next.refresh_token ?? "");
    expect(await introspect(platform, next.refresh_token ?? "")).toEqual({ active: false });
    expect(await challengeTo(call(platform, next)), "the access tokens of the grant end with it").toMatchObject({
      error: "invalid_token",
    });
  });

  test("A31: an unknown token is not an error", async () => {
    await using platform = await configured();
    await revoke(platform, "unknown");
    expect(await introspect(platform, "unknown")).toEqual({ active: false });
  });

  it("follow the clock", async () => {
    await using platform = await configured();
    const { access_token: token } = await exchange(platform, await approved(platform));
    platform.sim.clock.advance("2h");
    expect(await introspect(platform, token)).toEqual({ active: false });
  });

  it.each(["revocation", "introspection"] as const)("at %s refuse an unknown client", async (endpoint) => {
    await using platform = await configured();
    const wrong = oauth.ClientSecretPost("wrong");
    const request = { revocation: oauth.revocationRequest, introspection: oauth.introspectionRequest }[endpoint];
    const answer = await request(platform.as, client, wrong, "unknown", overHttp);
    const processed =
      endpoint === "revocation"
        ? oauth.processRevocationResponse(answer)
        : oauth.processIntrospectionResponse(platform.as, client, answer);
    expect(await errorOf(processed)).toMatchObject({ error: "invalid_client", status: 401 });
  });
});

describe("the access token", () => {
  it("is a JWT as RFC 9068 has it, signed with the key that the platform publishes", async () => {
    await using platform = await configured();
    const claims = await validate(platform, await exchange(platform, await approved(platform)));
    expect(claims).toEqual({
      iss: platform.sim.url,
      aud: CLIENT_ID,
      client_id: CLIENT_ID,
      sub: "104",
      domain: "acme",
      scope: "project",
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: claims.iat + 7200,
    });
  });

  it("is verified by the published keys of the modules' tokens, too", async () => {
    await using platform = await configured({ choices: { "guard.jwt.algorithm": "ES256" } });
    await validate(platform, await exchange(platform, await approved(platform)));
  });

  it("is refused where it is not the client's, or too old", async () => {
    await using platform = await configured();
    const tokens = await exchange(platform, await approved(platform));
    await expect(validate(platform, tokens, { audience: "another" })).rejects.toMatchObject({
      code: oauth.JWT_CLAIM_COMPARISON,
    });
    await expect(validate(platform, tokens, { skew: 3 * 3600 })).rejects.toMatchObject({
      code: oauth.JWT_TIMESTAMP_CHECK,
    });
  });

  it.each(["iss", "sub", "jti", "client_id", "iat"])("is refused without %s", async (claim) => {
    await using platform = await configured();
    platform.sim.oauth.once("claims", ({ [claim]: _left, ...claims }) => claims);
    await expect(validate(platform, await exchange(platform, await approved(platform)))).rejects.toThrow(
      `JWT "${claim}"`,
    );
  });
});
