import { setImmediate } from "node:timers/promises";
import type { App, User } from "../../config/schema.ts";
import { headerValue } from "../../journal/exchange.ts";
import { isCallCode } from "../../platform/call-code.ts";
import { type Judged, refuse } from "../../protocol/wire-answer.ts";
import type { IncomingRequest } from "../../web/incoming-request.ts";
import { authenticate, readCredentials } from "../rules/client-credentials.ts";
import { agentIdOf, appIdOf, grantChoices, judgeInstallation } from "../rules/installation.ts";
import { type Parameters, parameterOf, readTokenBody } from "../rules/oauth-parameters.ts";
import {
  judgeCodeExchange,
  judgeRefresh,
  type Redeemed,
  readTokenRequest,
  type TokenRequest,
} from "../rules/oauth-token.ts";
import { type ClockReading, type Grant, readClock, type SingleUse, UNUSED } from "./grants.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { applyFault, type Decided, type Handled, refusedBy } from "./receive.ts";
import { issueTokens, type TokenOrder } from "./tokens.ts";

type RequestFor<Type extends TokenRequest["grantType"]> = Extract<TokenRequest, { grantType: Type }>;

/** Answers a request to the token endpoint (interface 4.1, 5.2, 5.3). */
export async function handleToken(
  oauth: OAuthContext,
  request: IncomingRequest,
  arrivedAt: ClockReading,
): Promise<Handled> {
  const body = readRequestBody(request, oauth.choices.get("oauth.token.contentTypes"));
  const authorization = headerValue(request.headers, "authorization");
  const isRefresh = body.ok && parameterOf(body.value, "grant_type") === "refresh_token";
  const credentials = body.ok ? readCredentials(body.value, authorization) : body;
  const client = credentials.ok ? credentials.value.id : null;
  const fault = await applyFault(oauth, isRefresh ? ["refresh", "token"] : ["token"], { step: "token", client });
  const handled = fault ?? (await answer(oauth, body, authorization, arrivedAt));
  return { ...handled, answer: oauth.hooks.apply("token", handled.answer) };
}

export function readRequestBody(
  { headers, body }: IncomingRequest,
  contentTypes: "json-and-form" | "json",
): Judged<Parameters> {
  const encoding = headerValue(headers, "content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    return refuse("invalid_request", `a body with the Content-Encoding ${encoding} is not accepted`, { status: 415 });
  }
  const authorizations = headers.filter(([name]) => name.toLowerCase() === "authorization");
  if (authorizations.length > 1) return refuse("invalid_request", "Authorization was sent more than once");
  return readTokenBody(headerValue(headers, "content-type"), body, contentTypes);
}

async function answer(
  oauth: OAuthContext,
  body: Judged<Parameters>,
  authorization: string | undefined,
  arrivedAt: ClockReading,
): Promise<Handled> {
  if (!body.ok) return refusedBy(body.refusal, { step: "token" });
  const read = readTokenRequest(body.value, authorization, oauth.context.choices);
  if (!read.ok) return refusedBy(read.refusal, { step: "token", client: parameterOf(body.value, "client_id") });
  switch (read.value.grantType) {
    case "authorization_code":
      return exchangeCode(oauth, read.value, arrivedAt);
    case "refresh_token":
      return refresh(oauth, read.value, arrivedAt);
    case "installation":
      return install(oauth, read.value);
  }
}

async function exchangeCode(
  oauth: OAuthContext,
  request: RequestFor<"authorization_code">,
  arrivedAt: ClockReading,
): Promise<Handled> {
  const { context, choices, grants } = oauth;
  const code = grants.codes.find(request.code);
  if (request.redirectUri === null && code?.redirectUri !== null) choices.relyOn("oauth.exchange.redirectUri");
  if (code?.isTaken === true) choices.relyOn("oauth.reuse.grace");
  const verdict = judgeCodeExchange(request, code, context, arrivedAt);
  const decided = { step: "exchange", client: request.credentials.id, user: code?.grant.user ?? null } as const;
  return redeem(oauth, verdict, { lifetime: code?.tokenLifetime }, decided);
}

async function refresh(
  oauth: OAuthContext,
  request: RequestFor<"refresh_token">,
  arrivedAt: ClockReading,
): Promise<Handled> {
  const { context, choices, grants } = oauth;
  const token = grants.refreshTokens.find(request.refreshToken);
  if (request.credentials.secret === null) choices.relyOn("oauth.refresh.secret");
  if (token?.isTaken === true) choices.relyOn("oauth.reuse.grace");
  const verdict = judgeRefresh(request, token, context, arrivedAt);
  const decided = { step: "refresh", client: request.credentials.id, user: token?.grant.user ?? null } as const;
  return redeem(oauth, verdict, { scopes: request.scopes ?? undefined }, decided);
}

/** Issues tokens for a code or refresh token, and notes when the request that used it is answered. */
async function redeem(
  oauth: OAuthContext,
  verdict: Redeemed<SingleUse>,
  order: Pick<TokenOrder, "scopes" | "lifetime">,
  decided: Decided,
): Promise<Handled> {
  if (!verdict.ok) {
    if (verdict.reused !== undefined) verdict.reused.isRevoked = true;
    return refusedBy(verdict.refusal, decided);
  }
  const use = verdict.value;
  use.isTaken = true;
  try {
    return { answer: await issueTokens(oauth, { ...order, grant: use.grant, isRefreshable: true }), decided };
  } finally {
    await readPendingRequests();
    use.answeredAt = readClock(oauth.context.clock);
  }
}

/** The grants of installed apps (choices `oauth.grant.*`). They work while the install call is still open. */
async function install(oauth: OAuthContext, request: RequestFor<"installation">): Promise<Handled> {
  const { context, choices, installed } = oauth;
  const { apps, organization, users } = context.config;
  const decided = { step: request.grant, client: request.credentials.id } as const;
  choices.relyOn(grantChoices[request.grant]);
  const client = authenticate(request.credentials, apps, false);
  if (!client.ok) return refusedBy(client.refusal, decided);
  const app = client.value;
  const identity = context.identities.get(app.clientId);
  const isCode = (code: string) => isCallCode(code, app, Math.floor(context.clock.now() / 1000));
  const granted = {
    ...app,
    appId: appIdOf(app, identity),
    isInstalled: installed.has(app.clientId),
    agentId: request.grant === "agent" ? agentIdOf(app, apps) : null,
    isCode: request.grant === "call-code" ? isCode : null,
  };
  const user = judgeInstallation(request.installation, granted, organization, users);
  if (!user.ok) return refusedBy(user.refusal, decided);
  const scopes = installedScopes(oauth, app);
  const grant: Grant = { app, user: user.value, scopes, isPkce: false, isRevoked: false };
  return {
    answer: await issueTokens(oauth, { grant, isRefreshable: false }),
    decided: { ...decided, user: user.value },
  };
}

/** What an installed app may do: as configured, else as its manifest says. */
function installedScopes({ context, choices }: OAuthContext, app: App): readonly string[] {
  const declared = app.scopes.length > 0 ? app.scopes : (context.identities.get(app.clientId)?.scopes ?? []);
  return declared.length > 0 ? declared : [choices.get("api.projects.scope")];
}

/** The code of an installation event, for apps that exchange one: without redirect_uri. */
export function issueInstallationCode(oauth: OAuthContext, app: App, user: User): string {
  const { context, choices, grants } = oauth;
  const code = context.ids.secret();
  const grant: Grant = { app, user, scopes: installedScopes(oauth, app), isPkce: false, isRevoked: false };
  const expiresAt = context.clock.now() + choices.get("oauth.code.lifetime") * 1000;
  grants.codes.add(code, { redirectUri: null, challenge: null, expiresAt, ...UNUSED, grant });
  return code;
}

/**
 * Resolves once every request that has already arrived is read: of two concurrent requests, the second is refused
 * before the first is answered, and revokes nothing. A request that is read later may have been sent after the answer,
 * so it counts as a reuse (RFC 6749 section 4.1.2).
 */
async function readPendingRequests(): Promise<void> {
  // Each turn of the event loop polls for bytes once. A new connection takes one turn more than an existing one.
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}
