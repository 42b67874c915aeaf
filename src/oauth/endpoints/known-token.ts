import type { AccessTokenClaims } from "../rules/access-tokens.ts";
import type { AccessToken } from "./grants.ts";
import type { OAuthContext } from "./oauth-context.ts";

/** An access token that is good at this moment, or why it is not. */
export type KnownToken =
  | { readonly ok: true; readonly claims: AccessTokenClaims; readonly token: AccessToken }
  | { readonly ok: false; readonly problem: "malformed" | "expired" | "revoked"; readonly token: AccessToken | null };

/** Looks at an access token: its signature, its time, and whether it or its whole grant was revoked. */
export async function knownToken(oauth: OAuthContext, text: string): Promise<KnownToken> {
  const { context, accessTokens, grants } = oauth;
  const read = await accessTokens.read(text, context.clock.now());
  if (read === null) return { ok: false, problem: "malformed", token: null };
  const { claims, isExpired } = read;
  const token = grants.accessTokens.find(claims.jti);
  // A token of an earlier run is as good as one that was never issued.
  if (token === null) return { ok: false, problem: "malformed", token };
  if (isExpired) return { ok: false, problem: "expired", token };
  if (token.isRevoked || token.grant.isRevoked) return { ok: false, problem: "revoked", token };
  return { ok: true, claims, token };
}
