import { createHash } from "node:crypto";
import { callPlatform, type PlatformAnswer } from "./platform-call.ts";
import { isObject, Refusal } from "./request.ts";
import type { Credentials } from "./token.ts";

const WHO = "The platform's token endpoint";

/** What a user's approval is worth to this app (interface 2.7). */
export interface Tokens {
  readonly accessToken: string;
  /** null if the platform gave none. */
  readonly refreshToken: string | null;
}

/** What is sent with one login and comes back with it. */
interface LoginSecrets {
  /** Proves that the callback belongs to the login of this browser. */
  readonly state: string;
  /** Proves to the platform that whoever redeems the code is who asked for it (PKCE, RFC 7636). */
  readonly verifier: string;
}

/** The platform's no to a code or a refresh token (RFC 6749 section 5.2). */
export class GrantRefused extends Refusal {}

/** This app as a client of the platform's authorization server (interface 5.2, 5.3). */
export interface OAuthClient {
  /** Where the user is sent to approve. */
  authorizeUrl(secrets: LoginSecrets): string;
  /** Redeems a code. Throws GrantRefused for invalid_grant, refuses with 502 whatever else is not tokens. */
  exchange(code: string, verifier: string): Promise<Tokens>;
  /** Gets new tokens without the user; the old refresh token is used up. Throws as `exchange` does. */
  refresh(refreshToken: string): Promise<Tokens>;
}

/**
 * @param authUrl {auth_url}, without a slash at its end
 * @param redirectUri this app's callback, exactly as it is registered with the platform
 */
export function createOAuthClient(
  { clientId, clientSecret }: Credentials,
  authUrl: string,
  redirectUri: string,
): OAuthClient {
  async function ask(grant: Readonly<Record<string, string>>): Promise<Tokens> {
    const answer = await callPlatform(WHO, `${authUrl}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ ...grant, client_id: clientId, client_secret: clientSecret }),
    });
    return readTokens(answer);
  }

  return {
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
      ask({ grant_type: "authorization_code", redirect_uri: redirectUri, code, code_verifier: verifier }),
    refresh: async (refreshToken) => {
      const tokens = await ask({ grant_type: "refresh_token", refresh_token: refreshToken });
      // A server that does not rotate may leave it out; the old one then stays good (RFC 6749 section 6).
      return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
    },
  };
}

/** Fields that this app does not know are fine, and so is a missing expires_in: the API tells when a token is too old. */
function readTokens({ status, body }: PlatformAnswer): Tokens {
  if (status !== 200) throw refusalOf(status, body);
  const { access_token, token_type, refresh_token } = isObject(body) ? body : {};
  const isBearer = typeof token_type === "string" && token_type.toLowerCase() === "bearer";
  if (!isBearer || !isToken(access_token)) throw new Refusal(502, `${WHO} answered 200, but without a bearer token.`);
  return { accessToken: access_token, refreshToken: isToken(refresh_token) ? refresh_token : null };
}

function refusalOf(status: number, body: unknown): Refusal {
  const code = isObject(body) ? body.error : undefined;
  if (code === "invalid_grant") return new GrantRefused(502, `${WHO} does not accept this login: invalid_grant.`);
  // error_description stays out: nobody knows what it repeats of what was sent.
  const isCode = typeof code === "string" && /^[a-z_]{1,40}$/.test(code);
  return new Refusal(502, `${WHO} answered ${status}${isCode ? `: ${code}` : ""}.`);
}

/** Only these characters may stand in a token (RFC 6749 appendix A); a line break would not go into a header. */
function isToken(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]+$/.test(value);
}
