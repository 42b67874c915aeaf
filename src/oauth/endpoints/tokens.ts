import { isNoValueWord } from "../../protocol/no-value.ts";
import { jsonAnswer, type WireAnswer } from "../../protocol/wire-answer.ts";
import type { AccessTokenClaims } from "./access-tokens.ts";
import { type AccessToken, type Grant, type Grants, UNUSED } from "./grants.ts";
import type { OAuthContext } from "./oauth-context.ts";

/**
 * Issues an access token and, unless it is for an installation, a refresh token (interface 2.7).
 * @param scopes those of the access token; the grant may have more
 */
export async function issueTokens(
  oauth: OAuthContext,
  grant: Grant,
  scopes: readonly string[],
  isRefreshable: boolean,
): Promise<WireAnswer> {
  const { context, choices, grants } = oauth;
  const now = context.clock.now();
  const accessToken = await signAccessToken(oauth, grant, scopes, Math.floor(now / 1000));
  const refreshToken = context.ids.secret();
  if (isRefreshable) {
    const expiresAt = now + choices.get("oauth.refresh.lifetime") * 1000;
    grants.refreshTokens.add(refreshToken, { grant, expiresAt, ...UNUSED });
  }
  return jsonAnswer(200, {
    access_token: accessToken,
    token_type: "bearer",
    expires_in: choices.get("oauth.accessToken.lifetime"),
    ...(isRefreshable ? { refresh_token: refreshToken } : {}),
    scope: scopes.join(" "),
  });
}

async function signAccessToken(
  { context, choices, grants, hooks, accessTokens }: OAuthContext,
  grant: Grant,
  scopes: readonly string[],
  issuedAt: number,
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
    iat: issuedAt,
    exp: issuedAt + choices.get("oauth.accessToken.lifetime"),
  });
  return accessTokens.sign(claims);
}

type TokenProblem = "malformed" | "unset" | "refresh" | "code" | "expired" | "revoked";

/** A valid access token, or why it is not valid; `token` is null where this run did not issue it. */
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
  // A token of an earlier run is treated like one that was never issued.
  if (read === null || token === null) return { ok: false, problem: problemOfOther(grants, text), token: null };
  if (read.isExpired) return { ok: false, problem: "expired", token };
  if (token.isRevoked || token.grant.isRevoked) return { ok: false, problem: "revoked", token };
  return { ok: true, claims: read.claims, token };
}

/** What stands where an access token should. */
function problemOfOther({ refreshTokens, codes }: Grants, text: string): TokenProblem {
  if (isNoValueWord(text)) return "unset";
  if (refreshTokens.find(text) !== null) return "refresh";
  return codes.find(text) === null ? "malformed" : "code";
}
