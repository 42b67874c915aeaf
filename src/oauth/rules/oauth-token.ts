import type { Choices } from "../../config/choices.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { isNoValueWord } from "../../protocol/no-value.ts";
import { accept, type Judged, refuse } from "../../protocol/wire-answer.ts";
import { isQuoted } from "../../protocol/wrapping.ts";
import { type ClockReading, type Code, type Grant, type SingleUse, statusOfUse } from "../endpoints/grants.ts";
import { authenticate, type ClientCredentials, readCredentials } from "./client-credentials.ts";
import {
  type InstallationGrant,
  type InstallationGrants,
  type InstallationProof,
  installationGrantOf,
  installationGrants,
  installationParameters,
  readInstallation,
} from "./installation.ts";
import { type Parameters, parameterOf, repeatedOf, scopesOf } from "./oauth-parameters.ts";
import { type Challenge, isVerifierOf, malformation } from "./pkce.ts";

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
      readonly grant: InstallationGrant;
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
  choices: InstallationGrants & Pick<Choices, "install.names">,
): Judged<TokenRequest> {
  const repeated = repeatedOf(parameters, tokenParameters);
  if (repeated !== null) return refuse("invalid_request", `${repeated} was sent more than once`);
  const credentials = readCredentials(parameters, authorization);
  if (!credentials.ok) return credentials;
  const grantType = parameterOf(parameters, "grant_type");
  const grant = grantType === null ? null : installationGrantOf(grantType, choices);
  if (grant !== null) {
    const twice = repeatedOf(parameters, installationParameters(choices["install.names"]));
    if (twice !== null) return refuse("invalid_request", `${twice} was sent more than once`);
    const installation = readInstallation(parameters, choices["install.names"]);
    return accept({ grantType: "installation", grant, credentials: credentials.value, installation });
  }
  switch (grantType) {
    case null:
      return refuse("invalid_request", GRANT_TYPE_MISSING);
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
      if (scope !== null && scopes === null) {
        return refuse("invalid_scope", "scope must be a list of names separated by single spaces");
      }
      return accept({ grantType, credentials: credentials.value, refreshToken, scopes });
    }
    default:
      return refuse("unsupported_grant_type", `grant_type must be ${grantTypes(choices).join(" or ")}`);
  }
}

/** The grant types that this platform supports, for its metadata (RFC 8414) and for refusals. */
export function grantTypes(choices: InstallationGrants): readonly string[] {
  const ofApps = Object.values(installationGrants(choices));
  return ["authorization_code", "refresh_token", ...ofApps].filter((name) => name !== null);
}

/** What a request redeems, or why it is refused; `reused`: it was used before, so its grant must be revoked. */
export type Redeemed<Value> = Judged<Value> & { readonly reused?: Grant };

type JudgeContext = Pick<SimulatorContext, "choices" | "clock" | "config">;

/**
 * Judges the exchange of a code (interface 5.2; RFC 6749 sections 4.1.2 and 4.1.3, RFC 7636 section 4.6).
 * @param code null: never issued
 */
export function judgeCodeExchange(
  request: Extract<TokenRequest, { grantType: "authorization_code" }>,
  code: Code | null,
  { choices, clock, config }: JudgeContext,
  arrivedAt: ClockReading,
): Redeemed<Code> {
  // An unknown code is refused as unknown: a missing secret would be the wrong reason.
  const provesCode = request.verifier !== null && (code === null || code.challenge !== null);
  const client = authenticate(request.credentials, config.apps, provesCode);
  if (!client.ok) return client;
  if (code === null) return refuse("invalid_grant", unknownText("code", request.code));
  // Another client must neither learn about a code nor use it up.
  if (code.grant.app.clientId !== client.value.clientId)
    return refuse("invalid_grant", "the code was not issued to this client");
  if (code.redirectUri === null && request.redirectUri !== null) {
    return refuse("invalid_grant", "the code came with the installation event, without a redirect_uri: leave it out");
  }
  if (
    code.redirectUri !== null &&
    request.redirectUri === null &&
    choices["oauth.exchange.redirectUri"] === "required"
  ) {
    return refuse("invalid_request", REDIRECT_URI_MISSING);
  }
  if (request.redirectUri !== null && request.redirectUri !== code.redirectUri) {
    return refuse("invalid_grant", `redirect_uri differs from that of the authorization request: ${code.redirectUri}`);
  }
  const problem = verifierProblem(request.verifier, code.challenge);
  if (problem !== null) return refuse("invalid_grant", problem);
  const status = statusOfUse(code, arrivedAt, choices["oauth.reuse.grace"]);
  if (status === "in-use") return refuse("invalid_grant", "another request exchanged the code at the same time");
  if (status === "used") {
    return { ...refuse("invalid_grant", "the code has already been used; its tokens are revoked"), reused: code.grant };
  }
  return clock.now() < code.expiresAt ? accept(code) : refuse("invalid_grant", CODE_EXPIRED);
}

export const GRANT_TYPE_MISSING = "grant_type is missing";
/** Why a code that was exchanged too late is refused. */
export const CODE_EXPIRED = "the code has expired";
export const REDIRECT_URI_MISSING = "redirect_uri is missing: the exchange needs that of the authorization request";

/**
 * Why a value that was never issued is refused. A placeholder word is quoted, because it shows that the app lost the
 * value.
 */
function unknownText(name: "code" | "refresh_token", sent: string): string {
  if (isNoValueWord(sent)) return `${name} is the word ${sent}: the app has no value for it`;
  if (isQuoted(sent)) return `the ${name} is in quotes: send it without them`;
  // Access tokens alone are JWTs here.
  if (/^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(sent)) return `this is an access token, or another JWT, and not a ${name}`;
  return `this platform did not issue this ${name}`;
}

/** Why the verifier does not match the challenge (RFC 7636 section 4.6); null: it does. */
export function verifierProblem(verifier: string | null, challenge: Challenge | null): string | null {
  if (challenge === null) {
    return verifier === null ? null : "code_verifier was sent, but the authorization request had no code_challenge";
  }
  if (verifier === null) return "code_verifier is missing; the authorization request had a code_challenge";
  const problem = malformation(verifier);
  if (problem !== null) return `code_verifier ${problem}`;
  return isVerifierOf(verifier, challenge) ? null : "code_verifier does not match the code_challenge";
}

/**
 * Judges a refresh (interface 5.3; RFC 6749 section 6).
 * @param token null: never issued
 */
export function judgeRefresh(
  request: Extract<TokenRequest, { grantType: "refresh_token" }>,
  token: SingleUse | null,
  { choices, clock, config }: JudgeContext,
  arrivedAt: ClockReading,
): Redeemed<SingleUse> {
  const provesGrant = choices["oauth.refresh.secret"] === "optional-with-pkce" && token?.grant.isPkce !== false;
  const client = authenticate(request.credentials, config.apps, provesGrant);
  if (!client.ok) return client;
  if (token === null) return refuse("invalid_grant", unknownText("refresh_token", request.refreshToken));
  if (token.grant.app.clientId !== client.value.clientId) {
    return refuse("invalid_grant", "the refresh token was not issued to this client");
  }
  const { grant, expiresAt } = token;
  if (grant.isRevoked) return refuse("invalid_grant", "the grant of the refresh token was revoked");
  const status = statusOfUse(token, arrivedAt, choices["oauth.reuse.grace"]);
  if (status === "in-use")
    return refuse(
      "invalid_grant",
      "another request used the refresh token at the same time: each answer has a new one",
    );
  if (status === "used") {
    const description = "the refresh token has already been used: each answer has a new one; the grant is now revoked";
    return { ...refuse("invalid_grant", description), reused: grant };
  }
  if (clock.now() >= expiresAt) return refuse("invalid_grant", "the refresh token has expired");
  const wider = request.scopes?.filter((scope) => !grant.scopes.includes(scope)) ?? [];
  return wider.length === 0 ? accept(token) : refuse("invalid_scope", `not granted by the user: ${wider.join(" ")}`);
}
