import type { App } from "../../config/schema.ts";
import { accept, type Judged, jsonAnswer, refuse } from "../../protocol/wire-answer.ts";
import type { Arrival } from "../../web/arrival.ts";
import { authenticate, readCredentials } from "../rules/client-credentials.ts";
import { type Parameters, parameterOf, repeatedOf } from "../rules/oauth-parameters.ts";
import { knownToken } from "./known-token.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { type Finding, type Handled, headerOf } from "./receive.ts";
import { readBody, refusedBy } from "./token-endpoint.ts";

/**
 * Revokes a token (RFC 7009): an access token alone, or with a refresh token its whole grant. A token that is not
 * known is no error.
 */
export function handleRevocation(oauth: OAuthContext, arrival: Arrival): Promise<Handled> {
  return withClientsToken(oauth, arrival, "revoke", async (app, text, finding) => {
    const refreshToken = oauth.grants.refreshTokens.find(text);
    const known = await knownToken(oauth, text);
    const grant = refreshToken?.grant ?? known.token?.grant;
    if (grant !== undefined && grant.app !== app) {
      return refusedBy(
        oauth,
        { error: "invalid_grant", description: "the token was issued to another client" },
        finding,
      );
    }
    if (refreshToken !== null) refreshToken.grant.isRevoked = true;
    if (known.token !== null) known.token.isRevoked = true;
    return { answer: jsonAnswer(200, {}), finding: { ...finding, user: grant?.user ?? null } };
  });
}

/** Says whether a token of the client is good (RFC 7662); of another's token it says no more than that it is not. */
export function handleIntrospection(oauth: OAuthContext, arrival: Arrival): Promise<Handled> {
  return withClientsToken(oauth, arrival, "introspect", async (app, text, finding) => {
    const facts = (await accessTokenFacts(oauth, app, text)) ?? refreshTokenFacts(oauth, app, text);
    return { answer: jsonAnswer(200, facts === null ? { active: false } : { active: true, ...facts }), finding };
  });
}

async function accessTokenFacts(oauth: OAuthContext, app: App, text: string): Promise<object | null> {
  const known = await knownToken(oauth, text);
  if (!known.ok || known.token.grant.app !== app) return null;
  return { ...known.claims, client_id: app.clientId, username: known.token.grant.user.login, token_type: "bearer" };
}

function refreshTokenFacts({ context, grants }: OAuthContext, app: App, text: string): object | null {
  const token = grants.refreshTokens.find(text);
  if (token === null || token.grant.app !== app || token.grant.isRevoked || token.isTaken) return null;
  if (context.clock.now() >= token.expiresAt) return null;
  const { user, scopes } = token.grant;
  return {
    client_id: app.clientId,
    sub: String(user.id),
    username: user.login,
    scope: scopes.join(" "),
    exp: Math.floor(token.expiresAt / 1000),
  };
}

/** What both endpoints ask for: an authenticated client, and a token. */
async function withClientsToken(
  oauth: OAuthContext,
  arrival: Arrival,
  step: Finding["step"],
  handle: (app: App, token: string, finding: Finding) => Promise<Handled>,
): Promise<Handled> {
  // RFC 7009 and RFC 7662 know only forms; JSON is taken for the sake of clients that send it to the token endpoint.
  const body = readBody(arrival, "json-and-form");
  if (!body.ok) return refusedBy(oauth, body.refusal, { step });
  const read = readClientsToken(body.value, headerOf(arrival, "authorization"), oauth.context.config.apps);
  if (!read.ok) return refusedBy(oauth, read.refusal, { step, client: parameterOf(body.value, "client_id") });
  const { app, token } = read.value;
  return handle(app, token, { step, client: app.clientId });
}

function readClientsToken(
  parameters: Parameters,
  authorization: string | undefined,
  apps: readonly App[],
): Judged<{ readonly app: App; readonly token: string }> {
  const repeated = repeatedOf(parameters, ["token", "token_type_hint", "client_id", "client_secret"]);
  if (repeated !== null) return refuse("invalid_request", `${repeated} was sent more than once`);
  const credentials = readCredentials(parameters, authorization);
  if (!credentials.ok) return credentials;
  const client = authenticate(credentials.value, apps, false);
  if (!client.ok) return client;
  const token = parameterOf(parameters, "token");
  return token === null ? refuse("invalid_request", "token is missing") : accept({ app: client.value, token });
}
