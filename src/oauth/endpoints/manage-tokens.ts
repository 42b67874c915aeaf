import type { App } from "../../config/schema.ts";
import { headerValue } from "../../journal/exchange.ts";
import { accept, type Judged, jsonAnswer, refuse } from "../../protocol/wire-answer.ts";
import type { IncomingRequest } from "../../web/incoming-request.ts";
import { authenticate, readCredentials } from "../rules/client-credentials.ts";
import { type Parameters, parameterOf, repeatedOf } from "../rules/oauth-parameters.ts";
import type { Grant } from "./grants.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { type Decided, type Handled, refusedBy } from "./receive.ts";
import { readRequestBody } from "./token-endpoint.ts";
import { checkAccessToken } from "./tokens.ts";

/**
 * Revokes a token (RFC 7009): only the access token itself, or a refresh token with its whole grant. An unknown token
 * is not an error.
 */
export function handleRevocation(oauth: OAuthContext, request: IncomingRequest): Promise<Handled> {
  return withClientsToken(oauth, request, "revoke", async (app, text, decided) => {
    const refreshToken = oauth.grants.refreshTokens.find(text);
    const known = await checkAccessToken(oauth, text);
    const grant = refreshToken?.grant ?? known.token?.grant;
    if (grant !== undefined && !isOf(grant, app)) {
      return refusedBy({ error: "invalid_grant", description: "the token was issued to another client" }, decided);
    }
    if (refreshToken !== null) refreshToken.grant.isRevoked = true;
    if (known.token !== null) known.token.isRevoked = true;
    return { answer: jsonAnswer(200, {}), decided: { ...decided, user: grant?.user ?? null } };
  });
}

/** Tells whether a token is valid, and its data (RFC 7662); a token of another client is simply not active. */
export function handleIntrospection(oauth: OAuthContext, request: IncomingRequest): Promise<Handled> {
  return withClientsToken(oauth, request, "introspect", async (app, text, decided) => {
    const facts = (await accessTokenFacts(oauth, app, text)) ?? refreshTokenFacts(oauth, app, text);
    return { answer: jsonAnswer(200, facts === null ? { active: false } : { active: true, ...facts }), decided };
  });
}

async function accessTokenFacts(oauth: OAuthContext, app: App, text: string): Promise<object | null> {
  const known = await checkAccessToken(oauth, text);
  if (!known.ok || !isOf(known.token.grant, app)) return null;
  return { ...known.claims, client_id: app.clientId, username: known.token.grant.user.login, token_type: "bearer" };
}

function refreshTokenFacts({ context, grants }: OAuthContext, app: App, text: string): object | null {
  const token = grants.refreshTokens.find(text);
  if (token === null || !isOf(token.grant, app) || token.grant.isRevoked || token.isTaken) return null;
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

/** A command that runs next to the platform has its own copies of these apps. */
function isOf({ app: { clientId } }: Grant, app: App): boolean {
  return clientId === app.clientId;
}

/** Both endpoints need an authenticated client and a token. */
async function withClientsToken(
  oauth: OAuthContext,
  request: IncomingRequest,
  step: Decided["step"],
  handle: (app: App, token: string, decided: Decided) => Promise<Handled>,
): Promise<Handled> {
  // RFC 7009 and RFC 7662 allow only forms; JSON is accepted because the token endpoint accepts it too.
  const body = readRequestBody(request, "json-and-form");
  if (!body.ok) return refusedBy(body.refusal, { step });
  const read = readClientsToken(body.value, headerValue(request.headers, "authorization"), oauth.context.config.apps);
  if (!read.ok) return refusedBy(read.refusal, { step, client: parameterOf(body.value, "client_id") });
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
