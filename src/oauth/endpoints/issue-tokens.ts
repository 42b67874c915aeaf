import { jsonAnswer, type WireAnswer } from "../../protocol/wire-answer.ts";
import { UNUSED } from "../rules/one-use.ts";
import type { Grant } from "./grants.ts";
import type { OAuthContext } from "./oauth-context.ts";

/**
 * Issues an access token and, unless it is for an installation, a refresh token (interface 2.7).
 * @param scopes those of the access token, of which the grant may hold more
 */
export async function issueTokens(
  oauth: OAuthContext,
  grant: Grant,
  scopes: readonly string[],
  isRefreshable: boolean,
): Promise<WireAnswer> {
  const { context, choices, grants } = oauth;
  const now = context.clock.now();
  const lifetime = choices.get("oauth.accessToken.lifetime");
  const accessToken = await signAccessToken(oauth, grant, scopes, Math.floor(now / 1000), lifetime);
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
  { context, choices, grants, hooks, accessTokens }: OAuthContext,
  grant: Grant,
  scopes: readonly string[],
  issuedAt: number,
  lifetime: number,
): Promise<string> {
  choices.relyOn("oauth.accessToken");
  const { config, ids } = context;
  const jti = ids.secret();
  grants.accessTokens.add(jti, { grant, scopes, isRevoked: false });
  const claims = hooks.apply("claims", {
    iss: context.baseUrl(),
    aud: grant.app.clientId,
    client_id: grant.app.clientId,
    sub: String(grant.user.id),
    domain: config.organization.domain,
    scope: scopes.join(" "),
    jti,
    iat: issuedAt,
    exp: issuedAt + lifetime,
  });
  return accessTokens.sign(claims);
}
