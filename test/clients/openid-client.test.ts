import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchProtectedResource,
  None,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  type TokenEndpointResponse,
  tokenIntrospection,
  tokenRevocation,
} from "openid-client";
import { describe, expect, it, test } from "vitest";
import type { RunningSimulator, SimulatorOptions } from "../../src/index.ts";
import {
  type AuthMethod,
  authMethods,
  CLIENT_ID,
  CLIENT_SECRET,
  press,
  projectsOf,
  REDIRECT_URI,
  startPlatform,
} from "./platform.ts";

const proofs: Readonly<Record<AuthMethod, ClientAuth>> = {
  client_secret_basic: ClientSecretBasic(CLIENT_SECRET),
  client_secret_post: ClientSecretPost(CLIENT_SECRET),
  none: None(),
};

/** A client that configured itself; all that is switched off is that everything has to be https. */
function configure(
  { url }: RunningSimulator,
  proof = proofs.client_secret_basic,
  algorithm: "oauth2" | "oidc" = "oauth2",
): Promise<Configuration> {
  return discovery(new URL(url), CLIENT_ID, undefined, proof, { algorithm, execute: [allowInsecureRequests] });
}

interface Configured extends AsyncDisposable {
  readonly sim: RunningSimulator;
  readonly client: Configuration;
}

async function configured(options: SimulatorOptions = {}, proof?: ClientAuth): Promise<Configured> {
  const sim = await startPlatform(options);
  return { sim, client: await configure(sim, proof), [Symbol.asyncDispose]: () => sim.close() };
}

/** An authorization that a person decided about: where the browser is now, and what the client remembered. */
interface Decided {
  readonly landed: URL;
  readonly checks: { readonly pkceCodeVerifier: string; readonly expectedState: string };
}

async function decided(
  client: Configuration,
  decision: "approve" | "deny" = "approve",
  scope = "project",
): Promise<Decided> {
  const pkceCodeVerifier = randomPKCECodeVerifier();
  const state = randomState();
  const link = buildAuthorizationUrl(client, {
    redirect_uri: REDIRECT_URI,
    scope,
    state,
    code_challenge: await calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  return { landed: await press(decision, link), checks: { pkceCodeVerifier, expectedState: state } };
}

async function logIn(client: Configuration): Promise<TokenEndpointResponse> {
  const { landed, checks } = await decided(client);
  return authorizationCodeGrant(client, landed, checks);
}

function call({ sim, client }: Configured, { access_token: token }: TokenEndpointResponse): Promise<Response> {
  return fetchProtectedResource(client, token, projectsOf(sim), "GET");
}

const refusedToken = {
  name: "WWWAuthenticateChallengeError",
  status: 401,
  cause: [{ scheme: "bearer", parameters: { error: "invalid_token" } }],
};

describe("openid-client", () => {
  it.each(["oauth2", "oidc"] as const)("configures itself as a client of %s", async (algorithm) => {
    await using sim = await startPlatform();
    const client = await configure(sim, proofs.client_secret_basic, algorithm);
    expect(client.serverMetadata()).toMatchObject({ issuer: sim.url, token_endpoint: `${sim.url}/oauth/token` });
    expect(client.serverMetadata().supportsPKCE("S256")).toBe(true);
    expect((await logIn(client)).token_type).toBe("bearer");
  });

  it.each(authMethods)("logs in with PKCE and %s, and lists the projects", async (method) => {
    await using platform = await configured({}, proofs[method]);
    const { landed, checks } = await decided(platform.client, "approve", "project glossary");
    const tokens = await authorizationCodeGrant(platform.client, landed, checks);
    expect(tokens).toMatchObject({ expires_in: 7200, scope: "project glossary", refresh_token: expect.any(String) });
    expect(tokens.expiresIn()).toBeGreaterThan(7100);
    const answer = await call(platform, tokens);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ pagination: { offset: 0, limit: 25 } });
  });

  it("accepts a callback as its web framework provides it", async () => {
    await using platform = await configured();
    const { landed, checks } = await decided(platform.client);
    await authorizationCodeGrant(platform.client, new Request(landed), checks);
  });

  it("refreshes after expires_in by the platform's clock", async () => {
    await using platform = await configured();
    const first = await logIn(platform.client);
    platform.sim.clock.advance("3h");
    await expect(call(platform, first)).rejects.toMatchObject(refusedToken);
    const second = await refreshTokenGrant(platform.client, first.refresh_token ?? "");
    expect((await call(platform, second)).status).toBe(200);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    await expect(refreshTokenGrant(platform.client, first.refresh_token ?? "")).rejects.toMatchObject({
      name: "ResponseBodyError",
      error: "invalid_grant",
      status: 400,
    });
  });

  it("revokes and introspects tokens", async () => {
    await using platform = await configured();
    const tokens = await logIn(platform.client);
    expect(await tokenIntrospection(platform.client, tokens.access_token)).toMatchObject({
      active: true,
      client_id: CLIENT_ID,
    });
    await tokenRevocation(platform.client, tokens.refresh_token ?? "", { token_type_hint: "refresh_token" });
    expect(await tokenIntrospection(platform.client, tokens.access_token)).toEqual({ active: false });
    await expect(call(platform, tokens)).rejects.toMatchObject(refusedToken);
  });

  it("gets the error of a denial", async () => {
    await using platform = await configured();
    const { landed, checks } = await decided(platform.client, "deny");
    await expect(authorizationCodeGrant(platform.client, landed, checks)).rejects.toMatchObject({
      name: "AuthorizationResponseError",
      error: "access_denied",
      error_description: "the user declined",
    });
  });

  it("stops at the state of another login, before any token request", async () => {
    await using platform = await configured();
    const [first, second] = [await decided(platform.client), await decided(platform.client)];
    await expect(authorizationCodeGrant(platform.client, first.landed, second.checks)).rejects.toMatchObject({
      code: "OAUTH_INVALID_RESPONSE",
      cause: { message: expect.stringContaining('unexpected "state"') },
    });
    // The code is as good as it was: nobody has tried it.
    await authorizationCodeGrant(platform.client, first.landed, first.checks);
  });

  test("RFC 9207: accepts the announced iss, and complains if it is missing", async () => {
    await using platform = await configured({ choices: { "oauth.redirect.iss": "on" } });
    await logIn(platform.client);
    platform.sim.oauth.once("redirect", (location) => location.replace(/&iss=[^&]*/, ""));
    await expect(logIn(platform.client)).rejects.toMatchObject({ code: "OAUTH_INVALID_RESPONSE" });
  });

  it("gets the errors of the token endpoint", async () => {
    await using platform = await configured();
    const { landed, checks } = await decided(platform.client);
    const wrongVerifier = { ...checks, pkceCodeVerifier: randomPKCECodeVerifier() };
    await expect(authorizationCodeGrant(platform.client, landed, wrongVerifier)).rejects.toMatchObject({
      name: "ResponseBodyError",
      error: "invalid_grant",
      error_description: "code_verifier does not match the code_challenge",
    });
    const strangers = await configure(platform.sim, ClientSecretBasic("wrong"));
    await expect(authorizationCodeGrant(strangers, landed, checks)).rejects.toMatchObject({
      name: "WWWAuthenticateChallengeError",
      status: 401,
      cause: [{ scheme: "basic" }],
    });
    const withoutSecret = await configure(platform.sim, ClientSecretPost("wrong"));
    await expect(authorizationCodeGrant(withoutSecret, landed, checks)).rejects.toMatchObject({
      name: "ResponseBodyError",
      error: "invalid_client",
      status: 401,
    });
    await authorizationCodeGrant(platform.client, landed, checks);
  });

  it.each([
    ["token=500x1", { code: "OAUTH_RESPONSE_IS_NOT_CONFORM" }],
    ["token=htmlx1", { code: "OAUTH_RESPONSE_IS_NOT_CONFORM" }],
    ["token=garbagex1", { code: "OAUTH_PARSE_ERROR" }],
    ["token=400x1", { name: "ResponseBodyError", error: "invalid_request" }],
  ])("gets the fault %s as an error, and may try again", async (fault, told) => {
    await using platform = await configured({ faults: [fault] });
    const { landed, checks } = await decided(platform.client);
    await expect(authorizationCodeGrant(platform.client, landed, checks)).rejects.toMatchObject(told);
    await authorizationCodeGrant(platform.client, landed, checks);
  });
});
