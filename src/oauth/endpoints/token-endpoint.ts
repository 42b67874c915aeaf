import { setImmediate } from "node:timers/promises";
import { type Judged, refusalAnswer, refuse, type TokenRefusal } from "../../protocol/wire-answer.ts";
import type { Arrival } from "../../web/arrival.ts";
import { authenticate, readCredentials } from "../rules/client-credentials.ts";
import type { FaultPlace } from "../rules/faults.ts";
import { judgeInstallation } from "../rules/installation.ts";
import { readTokenBody } from "../rules/oauth-body.ts";
import { type Parameters, parameterOf } from "../rules/oauth-parameters.ts";
import {
  type IssuedRefreshToken,
  judgeCodeExchange,
  judgeRefresh,
  readTokenRequest,
  type TokenRequest,
} from "../rules/oauth-token.ts";
import { foundAs, type OneUse } from "../rules/one-use.ts";
import type { Grant, RefreshToken } from "./grants.ts";
import { issueTokens } from "./issue-tokens.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { countOf, type Finding, type Handled, headerOf } from "./receive.ts";
import { strike } from "./strike.ts";

type Requested<Type extends TokenRequest["grantType"]> = Extract<TokenRequest, { grantType: Type }>;

/** Answers a request to the token endpoint (interface 4.1, 5.2, 5.3). */
export async function handleToken(oauth: OAuthContext, arrival: Arrival, arrivedAt: number): Promise<Handled> {
  const contentTypes = oauth.choices.get("oauth.token.contentTypes");
  const body = readBody(arrival, contentTypes);
  const places: FaultPlace[] = isRefresh(body) ? ["refresh", "token"] : ["token"];
  const client = claimedClient(body, headerOf(arrival, "authorization"));
  const struck = await strike(oauth, places, { step: "token", client });
  const handled = struck ?? (await answer(oauth, body, arrival, arrivedAt));
  return { ...handled, answer: oauth.hooks.apply("token", handled.answer) };
}

/** The parameters of a request to the token endpoint, or to one that takes the same bodies. */
export function readBody(arrival: Arrival, contentTypes: "json-and-form" | "json"): Judged<Parameters> {
  const encoding = headerOf(arrival, "content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    return refuse("invalid_request", `a body with the Content-Encoding ${encoding} is not read`, { status: 415 });
  }
  if (countOf(arrival, "authorization") > 1) return refuse("invalid_request", "Authorization was sent more than once");
  return readTokenBody(headerOf(arrival, "content-type"), arrival.body, contentTypes);
}

/** An answer that refuses a request, with what the journal gets to know of it. */
export function refusedBy({ choices }: OAuthContext, refusal: TokenRefusal, finding: Finding): Handled {
  choices.relyOn("oauth.errors");
  const { error, description } = refusal;
  return { answer: refusalAnswer(refusal), finding: { ...finding, error, reason: description } };
}

function isRefresh(body: Judged<Parameters>): boolean {
  return body.ok && parameterOf(body.value, "grant_type") === "refresh_token";
}

/** Who the client says it is, for the journal. */
function claimedClient(body: Judged<Parameters>, authorization: string | undefined): string | null {
  const read = body.ok ? readCredentials(body.value, authorization) : body;
  return read.ok ? read.value.id : null;
}

async function answer(
  oauth: OAuthContext,
  body: Judged<Parameters>,
  arrival: Arrival,
  arrivedAt: number,
): Promise<Handled> {
  if (!body.ok) return refusedBy(oauth, body.refusal, { step: "token" });
  const authorization = headerOf(arrival, "authorization");
  const read = readTokenRequest(body.value, authorization, oauth.context.choices);
  if (!read.ok) return refusedBy(oauth, read.refusal, { step: "token", client: parameterOf(body.value, "client_id") });
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
  request: Requested<"authorization_code">,
  arrivedAt: number,
): Promise<Handled> {
  const { context, choices, grants } = oauth;
  const finding = { step: "exchange", client: request.credentials.id } as const;
  const code = grants.codes.find(request.code);
  if (request.redirectUri === null) choices.relyOn("oauth.exchange.redirectUri");
  const issued = code && { ...code, status: foundAs(code, arrivedAt) };
  const verdict = judgeCodeExchange(request, context.config.apps, issued, context.clock.now(), context.choices);
  if (!verdict.ok || code === null) {
    if (verdict.ok) throw new TypeError("a code that was never issued was accepted");
    if (verdict.reused === true && code !== null) code.grant.isRevoked = true;
    return refusedBy(oauth, verdict.refusal, { ...finding, user: code?.grant.user ?? null });
  }
  const { grant } = code;
  const answer = await spend(oauth, code, () => issueTokens(oauth, grant, grant.scopes, true));
  return { answer, finding: { ...finding, user: grant.user } };
}

async function refresh(oauth: OAuthContext, request: Requested<"refresh_token">, arrivedAt: number): Promise<Handled> {
  const { context, choices, grants } = oauth;
  const finding = { step: "refresh", client: request.credentials.id } as const;
  const token = grants.refreshTokens.find(request.refreshToken);
  if (request.credentials.secret === null) choices.relyOn("oauth.refresh.secret");
  const issued = token && issuedRefreshToken(token, arrivedAt);
  const verdict = judgeRefresh(request, context.config.apps, issued, context.clock.now(), context.choices);
  if (!verdict.ok || token === null) {
    if (verdict.ok) throw new TypeError("a refresh token that was never issued was accepted");
    if (verdict.reused === true && token !== null) token.grant.isRevoked = true;
    return refusedBy(oauth, verdict.refusal, { ...finding, user: token?.grant.user ?? null });
  }
  const { grant } = token;
  const scopes = request.scopes ?? grant.scopes;
  const answer = await spend(oauth, token, () => issueTokens(oauth, grant, scopes, true));
  return { answer, finding: { ...finding, user: grant.user } };
}

/** The grant of an installed app (choice `oauth.grant.installation`), good while its install call is still open. */
async function install(oauth: OAuthContext, request: Requested<"installation">): Promise<Handled> {
  const { context, choices, installed } = oauth;
  const { apps, organization, users } = context.config;
  const finding = { step: "installation", client: request.credentials.id } as const;
  choices.relyOn("oauth.grant.installation");
  const client = authenticate(request.credentials, apps, false);
  if (!client.ok) return refusedBy(oauth, client.refusal, finding);
  const app = client.value;
  const user = judgeInstallation(request.installation, app, installed.has(app), organization, users);
  if (!user.ok) return refusedBy(oauth, user.refusal, finding);
  const scopes = app.scopes.length > 0 ? app.scopes : [choices.get("api.projects.scope")];
  const grant: Grant = { app, user: user.value, scopes, isPkce: false, isRevoked: false };
  return { answer: await issueTokens(oauth, grant, scopes, false), finding: { ...finding, user: user.value } };
}

/** What is known of a refresh token when it comes back. */
function issuedRefreshToken(token: RefreshToken, arrivedAt: number): IssuedRefreshToken {
  const { app, scopes, isPkce, isRevoked } = token.grant;
  const status = isRevoked ? "revoked" : foundAs(token, arrivedAt);
  return { clientId: app.clientId, scopes, isPkce, status, expiresAt: token.expiresAt };
}

/** Uses what is good for one use, and notes when whoever used it is answered. */
async function spend<T>({ context }: OAuthContext, use: OneUse, issue: () => Promise<T>): Promise<T> {
  use.isTaken = true;
  try {
    return await issue();
  } finally {
    await whoIsUnderWay();
    use.answeredAt = context.clock.monotonic();
  }
}

/**
 * Resolves once every request has been read that has arrived by now: of two that cross, the second loses without
 * harm, for it is refused before the first is answered. Whatever is read later was sent after the answer, or might
 * have been: that is a reuse (RFC 6749 section 4.1.2).
 */
async function whoIsUnderWay(): Promise<void> {
  // Each turn of the event loop looks for bytes once. A new connection takes one turn more than bytes on an old one.
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}
