import type { Choices } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import { accept, type Judged, refuse } from "../../protocol/wire-answer.ts";
import { authenticate, type ClientCredentials, readCredentials } from "./client-credentials.ts";
import { type InstallationProof, installationGrant, installationParameters, readInstallation } from "./installation.ts";
import { type Parameters, parameterOf, repeatedOf, scopesOf } from "./oauth-parameters.ts";
import { type Challenge, isVerifierOf, isWellFormed } from "./pkce.ts";

const tokenParameters = [
  "grant_type",
  "client_id",
  "client_secret",
  "redirect_uri",
  "code",
  "code_verifier",
  "refresh_token",
  "scope",
] as const;

export type TokenRequest =
  | {
      readonly grantType: "authorization_code";
      readonly credentials: ClientCredentials;
      readonly code: string;
      readonly redirectUri: string | null;
      readonly verifier: string | null;
    }
  | {
      readonly grantType: "refresh_token";
      readonly credentials: ClientCredentials;
      readonly refreshToken: string;
      /** null: all scopes of the grant. */
      readonly scopes: readonly string[] | null;
    }
  | {
      readonly grantType: "installation";
      readonly credentials: ClientCredentials;
      readonly installation: InstallationProof;
    };

/**
 * Reads a token request (interface 5.2, 5.3; RFC 6749 sections 4.1.3, 6).
 * @param authorization the header, if any
 */
export function readTokenRequest(
  parameters: Parameters,
  authorization: string | undefined,
  choices: Pick<Choices, "oauth.grant.installation" | "install.names">,
): Judged<TokenRequest> {
  const repeated = repeatedOf(parameters, tokenParameters);
  if (repeated !== null) return refuse("invalid_request", `${repeated} was sent more than once`);
  const credentials = readCredentials(parameters, authorization);
  if (!credentials.ok) return credentials;
  const grantType = parameterOf(parameters, "grant_type");
  if (grantType !== null && grantType === installationGrant(choices)) {
    const twice = repeatedOf(parameters, installationParameters(choices["install.names"]));
    if (twice !== null) return refuse("invalid_request", `${twice} was sent more than once`);
    const installation = readInstallation(parameters, choices["install.names"]);
    return accept({ grantType: "installation", credentials: credentials.value, installation });
  }
  switch (grantType) {
    case null:
      return refuse("invalid_request", "grant_type is missing");
    case "authorization_code": {
      const code = parameterOf(parameters, "code");
      if (code === null) return refuse("invalid_request", "code is missing");
      const verifier = parameterOf(parameters, "code_verifier");
      const redirectUri = parameterOf(parameters, "redirect_uri");
      return accept({ grantType, credentials: credentials.value, code, redirectUri, verifier });
    }
    case "refresh_token": {
      const refreshToken = parameterOf(parameters, "refresh_token");
      if (refreshToken === null) return refuse("invalid_request", "refresh_token is missing");
      const scope = parameterOf(parameters, "scope");
      const scopes = scope === null ? null : scopesOf(scope);
      if (scope !== null && scopes === null)
        return refuse("invalid_scope", "scope must be a list of names with one space between them");
      return accept({ grantType, credentials: credentials.value, refreshToken, scopes });
    }
    default:
      return refuse("unsupported_grant_type", `grant_type must be ${grantTypes(choices).join(" or ")}`);
  }
}

/** The grant types that this platform supports, for its metadata (RFC 8414) and for refusals. */
export function grantTypes(choices: Pick<Choices, "oauth.grant.installation">): readonly string[] {
  const extra = installationGrant(choices);
  return ["authorization_code", "refresh_token", ...(extra === null ? [] : [extra])];
}

/** The state of a code or refresh token, which is good for one use. */
export interface SingleUse {
  isTaken: boolean;
  /** When the request that used it was answered, in milliseconds of the monotonic clock; null: not yet. */
  answeredAt: number | null;
}

export const UNUSED: Readonly<SingleUse> = { isTaken: false, answeredAt: null };
export const USED: Readonly<SingleUse> = { isTaken: true, answeredAt: Number.NEGATIVE_INFINITY };

/** `in-use`: an earlier request that uses it has not been answered yet. */
type UseStatus = "unused" | "in-use" | "used";

/**
 * The status that a request finds. Of two requests that cross, the second finds `in-use`, however long the first takes;
 * a request that arrived after the first was answered finds `used`.
 * @param arrivedAt of the request, in milliseconds of the monotonic clock
 */
export function statusOfUse({ isTaken, answeredAt }: SingleUse, arrivedAt: number): UseStatus {
  if (!isTaken) return "unused";
  return answeredAt !== null && arrivedAt > answeredAt ? "used" : "in-use";
}

/** An authorization code, as it is judged. */
export interface IssuedCode {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: Challenge | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly status: UseStatus;
}

/**
 * Judges the exchange of a code (interface 5.2; RFC 6749 section 4.1.3, RFC 7636 section 4.6). `reused`: the code was
 * exchanged before, so its tokens are to be revoked (RFC 6749 section 4.1.2).
 * @param code null: never issued
 * @param now milliseconds since the epoch
 */
export function judgeCodeExchange(
  request: Extract<TokenRequest, { grantType: "authorization_code" }>,
  apps: readonly App[],
  code: IssuedCode | null,
  now: number,
  choices: Pick<Choices, "oauth.exchange.redirectUri">,
): Judged<App> & { readonly reused?: boolean } {
  // An unknown code is refused as unknown: a missing secret would be the wrong reason.
  const provesCode = request.verifier !== null && (code === null || code.challenge !== null);
  const client = authenticate(request.credentials, apps, provesCode);
  if (!client.ok) return client;
  // Another client must neither learn anything about a code nor use it up.
  if (code === null || code.clientId !== client.value.clientId)
    return refuse("invalid_grant", "the code was not issued to this client");
  if (request.redirectUri === null && choices["oauth.exchange.redirectUri"] === "required") {
    return refuse("invalid_request", "redirect_uri is missing; it is the same as in the authorization request");
  }
  if (request.redirectUri !== null && request.redirectUri !== code.redirectUri) {
    return refuse("invalid_grant", `redirect_uri is not the one of the authorization request: ${code.redirectUri}`);
  }
  const problem = verifierProblem(request.verifier, code.challenge);
  if (problem !== null) return refuse("invalid_grant", problem);
  if (code.status === "in-use") return refuse("invalid_grant", "the code is being exchanged by another request");
  if (code.status === "used") {
    return { ...refuse("invalid_grant", "the code was used already; its tokens are revoked"), reused: true };
  }
  if (now >= code.expiresAt) return refuse("invalid_grant", "the code has expired");
  return client;
}

/** Why the verifier does not prove that its sender made the challenge (RFC 7636 section 4.6); null: it does. */
export function verifierProblem(verifier: string | null, challenge: Challenge | null): string | null {
  if (challenge === null)
    return verifier === null ? null : "code_verifier was sent, but the authorization request had no code_challenge";
  if (verifier === null) return "code_verifier is missing; the authorization request had a code_challenge";
  if (!isWellFormed(verifier)) return "code_verifier must be 43 to 128 of the characters A-Z a-z 0-9 - . _ ~";
  return isVerifierOf(verifier, challenge) ? null : "code_verifier does not fit the code_challenge";
}

/** A refresh token, as it is judged. */
export interface IssuedRefreshToken {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Whether the code of its grant was bound by PKCE. */
  readonly isPkce: boolean;
  readonly status: UseStatus | "revoked";
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Judges a refresh (interface 5.3; RFC 6749 section 6). `reused`: the whole grant is to be revoked. */
export function judgeRefresh(
  request: Extract<TokenRequest, { grantType: "refresh_token" }>,
  apps: readonly App[],
  token: IssuedRefreshToken | null,
  now: number,
  choices: Pick<Choices, "oauth.refresh.secret">,
): Judged<App> & { readonly reused?: boolean } {
  const needsNoSecret = choices["oauth.refresh.secret"] === "optional-with-pkce" && (token === null || token.isPkce);
  const client = authenticate(request.credentials, apps, needsNoSecret);
  if (!client.ok) return client;
  if (token === null || token.clientId !== client.value.clientId) {
    return refuse("invalid_grant", "the refresh token was not issued to this client");
  }
  if (token.status === "revoked") return refuse("invalid_grant", "the grant of the refresh token was revoked");
  if (token.status === "in-use") return refuse("invalid_grant", "the refresh token is being used by another request");
  if (token.status === "used") {
    const description = "the refresh token was used already: each answer carries a new one; the grant is revoked now";
    return { ...refuse("invalid_grant", description), reused: true };
  }
  if (now >= token.expiresAt) return refuse("invalid_grant", "the refresh token has expired");
  const wider = request.scopes?.filter((scope) => !token.scopes.includes(scope)) ?? [];
  return wider.length === 0 ? client : refuse("invalid_scope", `not granted by the user: ${wider.join(" ")}`);
}
