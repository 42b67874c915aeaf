import * as oauth from "oauth4webapi";
import { describe, expect, it, test } from "vitest";
import {
  type Approved,
  approved,
  type Configured,
  call,
  client,
  configured,
  discover,
  errorOf,
  exchange,
  linkOf,
  proofs,
  STATE,
} from "./oauth4webapi-client.ts";
import { authMethods, press, REDIRECT_URI } from "./platform.ts";

describe("discovery", () => {
  it("A30: has the same metadata at the addresses of OAuth (RFC 8414) and of OpenID Connect, with the exact issuer", async () => {
    await using platform = await configured();
    expect(await discover(platform.sim, "oidc")).toEqual(platform.as);
    expect(platform.as.issuer).toBe(platform.sim.url);
  });

  it("lists no authentication method that is not tested here", async () => {
    await using platform = await configured();
    expect(platform.as.token_endpoint_auth_methods_supported).toEqual(authMethods);
    expect(platform.as.code_challenge_methods_supported).toEqual(["S256", "plain"]);
    expect(platform.as.response_types_supported).toEqual(["code"]);
    expect(platform.as.grant_types_supported).toEqual(["authorization_code", "refresh_token"]);
  });
});

describe("the code flow", () => {
  it.each(authMethods)("with PKCE and %s gives a token that lists the projects", async (method) => {
    await using platform = await configured();
    const tokens = await exchange(platform, await approved(platform, "project glossary"), proofs[method]);
    expect(tokens).toEqual({
      access_token: expect.any(String),
      token_type: "bearer",
      expires_in: 7200,
      refresh_token: expect.any(String),
      scope: "project glossary",
    });
    const answer = await call(platform, tokens);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ data: [{ data: { identifier: "mobile-app" } }] });
  });

  it("without PKCE accepts the secret, and nothing else", async () => {
    await using platform = await configured();
    const authorize = async () =>
      oauth.validateAuthResponse(platform.as, client, await press("approve", linkOf(platform.as, {})), STATE);
    const parameters = await authorize();
    expect(await errorOf(exchange(platform, { parameters, verifier: oauth.nopkce }, proofs.none))).toMatchObject({
      error: "invalid_client",
    });
    await exchange(platform, { parameters, verifier: oauth.nopkce });
    const downgraded = { parameters: await authorize(), verifier: oauth.generateRandomCodeVerifier() };
    expect(await errorOf(exchange(platform, downgraded)), "A13").toMatchObject({ error: "invalid_grant" });
  });

  it("accepts a plain challenge, unless the choice oauth.pkce.plain refuses it", async () => {
    const verifier = oauth.generateRandomCodeVerifier();
    const plain = { code_challenge: verifier, code_challenge_method: "plain" };
    await using platform = await configured();
    const landed = await press("approve", linkOf(platform.as, plain));
    await exchange(platform, { parameters: oauth.validateAuthResponse(platform.as, client, landed, STATE), verifier });

    await using strict = await configured({ choices: { "oauth.pkce.plain": "refused" } });
    expect(strict.as.code_challenge_methods_supported).toEqual(["S256"]);
    const refused = await press("approve", linkOf(strict.as, plain));
    expect(() => oauth.validateAuthResponse(strict.as, client, refused, STATE)).toThrow(
      expect.objectContaining({ error: "invalid_request" }),
    );
  });

  it("ends at the app if another state comes back", async () => {
    await using platform = await configured();
    const landed = await press("approve", linkOf(platform.as, {}));
    const message = 'unexpected "state" response parameter value';
    expect(() => oauth.validateAuthResponse(platform.as, client, landed, "another")).toThrow(message);
    expect(landed.searchParams.get("state"), "A7").toBe(STATE);
  });

  test("A27: a denial is an error response with the state", async () => {
    await using platform = await configured();
    const landed = await press("deny", linkOf(platform.as, {}));
    expect(() => oauth.validateAuthResponse(platform.as, client, landed, STATE)).toThrow(
      expect.objectContaining({
        name: "AuthorizationResponseError",
        error: "access_denied",
        error_description: "the user declined",
      }),
    );
  });

  it.each([
    ["invalid_scope", { scope: "project unregistered" }],
    ["unsupported_response_type", { response_type: "token" }],
    ["invalid_request", { code_challenge_method: "S256" }],
  ])("reports the app's mistake: %s", async (error, parameters) => {
    await using platform = await configured();
    const landed = await press("approve", linkOf(platform.as, parameters));
    expect(() => oauth.validateAuthResponse(platform.as, client, landed, STATE)).toThrow(
      expect.objectContaining({ name: "AuthorizationResponseError", error }),
    );
  });
});

describe("iss in the redirect (RFC 9207, choice oauth.redirect.iss)", () => {
  it("is announced, sent and correct, even with an error", async () => {
    await using platform = await configured({ choices: { "oauth.redirect.iss": "on" } });
    expect(platform.as.authorization_response_iss_parameter_supported).toBe(true);
    await exchange(platform, await approved(platform));
    const denied = await press("deny", linkOf(platform.as, {}));
    expect(() => oauth.validateAuthResponse(platform.as, client, denied, STATE)).toThrow(
      expect.objectContaining({ error: "access_denied" }),
    );
    expect(denied.searchParams.get("iss")).toBe(platform.sim.url);
  });

  it("is neither announced nor sent otherwise", async () => {
    await using platform = await configured();
    expect(platform.as.authorization_response_iss_parameter_supported).toBe(false);
    const { parameters } = await approved(platform);
    expect([...parameters.keys()]).toEqual(["code", "state"]);
  });

  it.each([
    ["of another server", (url: string) => url.replace(/iss=[^&]*/, "iss=https%3A%2F%2Fevil.example"), "unexpected"],
    ["that is missing", (url: string) => url.replace(/&iss=[^&]*/, ""), "missing"],
  ])("stops the client with one %s", async (_kind, change, words) => {
    await using platform = await configured({ choices: { "oauth.redirect.iss": "on" } });
    platform.sim.oauth.once("redirect", change);
    await expect(approved(platform)).rejects.toThrow(words);
  });
});

describe("an error of the token endpoint", () => {
  const wrong = "x".repeat(43);
  const mistakes: Record<string, (platform: Configured, good: Approved) => Promise<unknown>> = {
    "A12: wrong verifier": (platform, good) => exchange(platform, { ...good, verifier: wrong }),
    "A12: no verifier": (platform, good) => exchange(platform, { ...good, verifier: oauth.nopkce }),
    "A14: another redirect_uri": (platform, good) =>
      exchange(platform, good, proofs.client_secret_basic, `${REDIRECT_URI}/`),
    "A15: a code that was used": async (platform, good) => {
      await exchange(platform, good);
      await exchange(platform, good);
    },
  };

  it.each(Object.entries(mistakes))("is a ResponseBodyError: %s", async (_name, make) => {
    await using platform = await configured();
    expect(await errorOf(make(platform, await approved(platform)))).toMatchObject({
      error: "invalid_grant",
      status: 400,
    });
  });

  test("A21: a wrong secret is a WWWAuthenticateChallengeError with Basic, else a ResponseBodyError", async () => {
    await using platform = await configured();
    const good = await approved(platform);
    expect(await errorOf(exchange(platform, good, oauth.ClientSecretPost("wrong")))).toMatchObject({
      error: "invalid_client",
      error_description: "client_secret is wrong",
      status: 401,
    });
    const byBasic = exchange(platform, good, oauth.ClientSecretBasic("wrong"));
    await expect(byBasic).rejects.toMatchObject({
      name: "WWWAuthenticateChallengeError",
      status: 401,
      cause: [{ scheme: "basic", parameters: { realm: "app-sim" } }],
    });
    await exchange(platform, good, proofs.client_secret_post);
  });

  it.each([
    ["400", oauth.RESPONSE_BODY_ERROR],
    ["500", oauth.RESPONSE_IS_NOT_CONFORM],
    ["503", oauth.RESPONSE_IS_NOT_CONFORM],
    ["html", oauth.RESPONSE_IS_NOT_CONFORM],
    ["garbage", oauth.PARSE_ERROR],
  ])("requested with token=%s has the code %s, and uses nothing up", async (kind, code) => {
    await using platform = await configured({ faults: [`token=${kind}x1`] });
    const good = await approved(platform);
    await expect(exchange(platform, good)).rejects.toMatchObject({ code });
    await exchange(platform, good);
  });
});
