import { createHash } from "node:crypto";
import { isObject, Refusal } from "./http.js";
import { callPlatform } from "./platform.js";

const WHO = "The platform's token endpoint";

/** The platform refused a code or a refresh token (RFC 6749 section 5.2), so the user has to log in again. */
export class GrantRefused extends Refusal {}

/**
 * @typedef {{ accessToken: string, refreshToken: string | null }} Tokens
 *
 * Creates this app's OAuth client. An answer without tokens is refused with 502.
 * @param {Pick<import("./app.d.ts").Settings, "clientId" | "clientSecret" | "authUrl" | "url">} settings
 */
export function createOAuthClient({ clientId, clientSecret, authUrl, url }) {
  // Exactly as registered with the platform.
  const redirectUri = `${url}/oauth/callback`;

  /** @returns {Promise<Tokens>} */
  async function askForTokens(grant) {
    const answer = await callPlatform(WHO, `${authUrl}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ ...grant, client_id: clientId, client_secret: clientSecret }),
    });
    return readTokens(answer);
  }

  return {
    /**
     * Where the user is sent to approve. The state comes back, and proves that the callback belongs to this login; the
     * verifier is sent with the code, and proves that this app requested it (PKCE, RFC 7636).
     */
    authorizeUrl: ({ state, verifier }) => {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "project",
        state,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
      });
      return `${authUrl}/oauth/authorize?${query}`;
    },
    exchange: (code, verifier) =>
      askForTokens({ grant_type: "authorization_code", redirect_uri: redirectUri, code, code_verifier: verifier }),
    /** Gets new tokens without the user; the old refresh token is used up. */
    refresh: async (refreshToken) => {
      const tokens = await askForTokens({ grant_type: "refresh_token", refresh_token: refreshToken });
      // A server that does not rotate refresh tokens may omit it; the old one then stays valid (RFC 6749 section 6).
      return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
    },
  };
}

/** Unknown fields are allowed, and so is a missing expires_in: the API answers 401 when a token has expired. */
function readTokens({ status, body }) {
  const { access_token, token_type, refresh_token, error } = isObject(body) ? body : {};
  if (status === 200) {
    const isBearer = String(token_type).toLowerCase() === "bearer";
    if (isBearer && isToken(access_token)) {
      return { accessToken: access_token, refreshToken: isToken(refresh_token) ? refresh_token : null };
    }
    throw new Refusal(502, `${WHO} answered 200, but without a bearer token.`);
  }
  if (error === "invalid_grant") throw new GrantRefused(502, `${WHO} does not accept this login: invalid_grant.`);
  // error_description is left out, because it may repeat what was sent.
  const isCode = typeof error === "string" && /^[a-z_]{1,40}$/.test(error);
  throw new Refusal(502, `${WHO} answered ${status}${isCode ? `: ${error}` : ""}.`);
}

/** A token may contain only these characters (RFC 6749 appendix A). @returns {value is string} */
function isToken(value) {
  return typeof value === "string" && /^[!-~]+$/.test(value);
}
