import * as oauth from "oauth4webapi";
import { expect } from "vitest";
import type { RunningSimulator, SimulatorOptions } from "../../src/index.ts";
import {
  type AuthMethod,
  CLIENT_ID,
  CLIENT_SECRET,
  press,
  projectsOf,
  REDIRECT_URI,
  startPlatform,
} from "./platform.ts";

/** All that is switched off: the library wants https everywhere, also on this machine. */
export const overHttp = { [oauth.allowInsecureRequests]: true } as const;
/** What the library knows of the client. */
export const client: oauth.Client = { client_id: CLIENT_ID };
/** Unicode, percent signs, and what separates parameters: it has to come back as it is. */
export const STATE = 'a%20+&=#"Ünïcödé🌍';

/** How the library proves who the client is. */
export const proofs: Readonly<Record<AuthMethod, oauth.ClientAuth>> = {
  client_secret_basic: oauth.ClientSecretBasic(CLIENT_SECRET),
  client_secret_post: oauth.ClientSecretPost(CLIENT_SECRET),
  none: oauth.None(),
};

/** A client that configured itself. */
export interface Configured extends AsyncDisposable {
  readonly sim: RunningSimulator;
  readonly as: oauth.AuthorizationServer;
}

/** A platform, and a client that asked it for its metadata. */
export async function configured(options: SimulatorOptions = {}): Promise<Configured> {
  const sim = await startPlatform(options);
  return { sim, as: await discover(sim, "oauth2"), [Symbol.asyncDispose]: () => sim.close() };
}

/** The metadata, at the address of OAuth (RFC 8414) or of OpenID Connect. */
export async function discover(
  { url }: RunningSimulator,
  algorithm: "oauth2" | "oidc",
): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(url);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm, ...overHttp }));
}

/** The link to the platform that the app shows its user. */
export function linkOf(as: oauth.AuthorizationServer, parameters: Record<string, string>): URL {
  const link = new URL(as.authorization_endpoint ?? "");
  const all = { client_id: CLIENT_ID, redirect_uri: REDIRECT_URI, response_type: "code", scope: "project" };
  link.search = String(new URLSearchParams({ ...all, state: STATE, ...parameters }));
  return link;
}

async function challengeOf(verifier: string): Promise<Record<string, string>> {
  return { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" };
}

/** What came of a person's approval, and what the exchange needs beside it. */
export interface Approved {
  readonly parameters: URLSearchParams;
  readonly verifier: string;
}

/** A person approves what the client asks for with PKCE, and the client takes the answer for good. */
export async function approved({ as }: Configured, scope = "project"): Promise<Approved> {
  const verifier = oauth.generateRandomCodeVerifier();
  const landed = await press("approve", linkOf(as, { scope, ...(await challengeOf(verifier)) }));
  return { parameters: oauth.validateAuthResponse(as, client, landed, STATE), verifier };
}

/** Exchanges the code, and checks the answer. */
export async function exchange(
  { as }: Configured,
  { parameters, verifier }: { readonly parameters: URLSearchParams; readonly verifier: string | typeof oauth.nopkce },
  proof = proofs.client_secret_basic,
  redirectUri = REDIRECT_URI,
): Promise<oauth.TokenEndpointResponse> {
  const answer = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    proof,
    parameters,
    redirectUri,
    verifier,
    overHttp,
  );
  return oauth.processAuthorizationCodeResponse(as, client, answer);
}

/** Refreshes with the refresh token of an answer, and checks the new one. */
export async function refresh(
  { as }: Configured,
  { refresh_token: token = "" }: oauth.TokenEndpointResponse,
  {
    proof = proofs.client_secret_basic,
    ...additionalParameters
  }: { readonly proof?: oauth.ClientAuth; readonly scope?: string } = {},
): Promise<oauth.TokenEndpointResponse> {
  const options = { ...overHttp, additionalParameters };
  return oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(as, client, proof, token, options),
  );
}

/** Lists the projects. */
export function call({ sim }: Configured, { access_token: token }: oauth.TokenEndpointResponse): Promise<Response> {
  return oauth.protectedResourceRequest(token, "GET", projectsOf(sim), new Headers(), null, overHttp);
}

/** Revokes a token (RFC 7009). */
export async function revoke({ as }: Configured, token: string): Promise<void> {
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, client, proofs.client_secret_basic, token, overHttp),
  );
}

/** What the platform says of a token (RFC 7662). */
export async function introspect({ as }: Configured, token: string): Promise<oauth.IntrospectionResponse> {
  const answer = await oauth.introspectionRequest(as, client, proofs.client_secret_basic, token, overHttp);
  return oauth.processIntrospectionResponse(as, client, answer);
}

/**
 * What an API would find in the access token: its signature by the published key, and its claims (RFC 9068).
 * @param options.skew seconds that the clock of that API is ahead
 */
export async function validate(
  { as, sim }: Configured,
  { access_token: token }: oauth.TokenEndpointResponse,
  options: { readonly audience?: string; readonly skew?: number } = {},
): Promise<oauth.JWTAccessTokenClaims> {
  const { audience = CLIENT_ID, skew = 0 } = options;
  const request = new Request(projectsOf(sim), { headers: { authorization: `Bearer ${token}` } });
  return oauth.validateJwtAccessToken(as, request, audience, { ...overHttp, [oauth.clockSkew]: skew });
}

/** The error that the platform told, in the body of its answer. */
export async function errorOf(action: Promise<unknown>): Promise<oauth.ResponseBodyError> {
  const error = await failureOf(action);
  if (error instanceof oauth.ResponseBodyError) return error;
  throw error;
}

/** What the API said in its challenge of the scheme Bearer. */
export async function challengeTo(
  action: Promise<unknown>,
): Promise<oauth.WWWAuthenticateChallengeParameters | undefined> {
  const error = await failureOf(action);
  if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
  const [challenge, ...others] = error.cause;
  expect(others).toEqual([]);
  expect(challenge?.scheme).toBe("bearer");
  return challenge?.parameters;
}

async function failureOf(action: Promise<unknown>): Promise<unknown> {
  return action.then(
    () => new Error("it did not fail"),
    (error: unknown) => error,
  );
}
