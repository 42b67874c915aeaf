import { isNoValueWord } from "../../protocol/no-value.ts";
import { jsonAnswer, type WireAnswer } from "../../protocol/wire-answer.ts";
import { isQuoted } from "../../protocol/wrapping.ts";
import type { AccessTokenClaims } from "./access-tokens.ts";
import { type AccessToken, type Grant, type Grants, UNUSED } from "./grants.ts";
import type { OAuthContext } from "./oauth-context.ts";

/** What tokens are issued for. */
export interface TokenOrder {
  readonly grant: Grant;
  /** Scopes of the access token; default all of the grant. */
  readonly scopes?: readonly string[] | undefined;
  /** Lifetime of the access token in seconds; default as chosen. */
  readonly lifetime?: number | undefined;
  readonly isRefreshable: boolean;
}

/** Issues an access token and, unless it is for an installation, a refresh token (interface 2.7). */
export async function issueTokens(oauth: OAuthContext, order: TokenOrder): Promise<WireAnswer> {
  const { context, choices, grants } = oauth;
  const { grant, scopes = grant.scopes, isRefreshable } = order;
  const lifetime = order.lifetime ?? choices.get("oauth.accessToken.lifetime");
  const now = context.clock.now();
  const issuedAt = Math.floor(now / 1000);
  // For a short lifetime, the fraction of a second that iat drops matters.
  const exp = order.lifetime === undefined ? issuedAt + lifetime : issuedAt + 1 + lifetime;
  const accessToken = await signAccessToken(oauth, grant, scopes, { iat: issuedAt, exp });
  const refreshToken = context.ids.secret();
  if (isRefreshable) {
    const expiresAt = now + choices.get("oauth.refresh.lifetime") * 1000;
    grants.refreshTokens.add(refreshToken, { grant, expiresAt, ...UNUSED });
  }
  return jsonAnswer(200, {
    access_token: accessToken,
    token_type: "bearer",
    expires_in: lifetime,
    ...(isRefreshable ? { refresh_token: refreshToken } : {}),
    scope: scopes.join(" "),
  });
}

async function signAccessToken(
  { context, grants, hooks, accessTokens }: OAuthContext,
  grant: Grant,
  scopes: readonly string[],
  times: Pick<AccessTokenClaims, "iat" | "exp">,
): Promise<string> {
  const jti = context.ids.secret();
  grants.accessTokens.add(jti, { grant, scopes, isRevoked: false });
  const claims = hooks.apply("claims", {
    iss: context.baseUrl(),
    aud: grant.app.clientId,
    client_id: grant.app.clientId,
    sub: String(grant.user.id),
    domain: context.config.organization.domain,
    scope: scopes.join(" "),
    jti,
    ...times,
  });
  return accessTokens.sign(claims);
}

type TokenProblem = "malformed" | "unset" | "quoted" | "refresh" | "code" | "expired" | "revoked";

/** A valid access token, or why it is not valid; `token` is null if this run did not issue it. */
export type CheckedToken =
  | { readonly ok: true; readonly claims: AccessTokenClaims; readonly token: AccessToken }
  | { readonly ok: false; readonly problem: TokenProblem; readonly token: AccessToken | null };

/** Checks an access token: its signature, its expiry, and whether it or its whole grant was revoked. */
export async function checkAccessToken(
  { context, accessTokens, grants }: OAuthContext,
  text: string,
): Promise<CheckedToken> {
  const read = await accessTokens.read(text, context.clock.now());
  const token = read && grants.accessTokens.find(read.claims.jti);
  // A token from an earlier run is treated as never issued.
  if (read === null || token === null) return { ok: false, problem: problemOfOther(grants, text), token: null };
  if (read.isExpired) return { ok: false, problem: "expired", token };
  if (token.isRevoked || token.grant.isRevoked) return { ok: false, problem: "revoked", token };
  return { ok: true, claims: read.claims, token };
}

/** What was sent instead of an access token. */
function problemOfOther({ refreshTokens, codes }: Grants, text: string): TokenProblem {
  if (isNoValueWord(text)) return "unset";
  if (isQuoted(text)) return "quoted";
  if (refreshTokens.find(text) !== null) return "refresh";
  return codes.find(text) === null ? "malformed" : "code";
}
