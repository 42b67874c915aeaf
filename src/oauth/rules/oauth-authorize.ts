import type { Choices } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import { unregisteredRedirect } from "./near-redirect.ts";
import { type Parameters, parameterOf, repeatedOf, scopesOf } from "./oauth-parameters.ts";
import { type Challenge, malformation } from "./pkce.ts";

/** The parameters of an authorization request (interface 5.2; RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
const authorizationParameters = [
  "client_id",
  "redirect_uri",
  "response_type",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
] as const;

/** A valid authorization request, for the user to decide. */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Returned byte for byte; null if the app sent none. */
  readonly state: string | null;
  readonly challenge: Challenge | null;
}

/** Error codes of RFC 6749 section 4.1.2.1 that this server answers with. */
type AuthorizationError =
  | "invalid_request"
  | "unsupported_response_type"
  | "invalid_scope"
  | "access_denied"
  | "server_error"
  | "temporarily_unavailable";

export type AuthorizationVerdict =
  | {
      readonly kind: "ask";
      readonly app: App;
      readonly request: AuthorizationRequest;
      readonly warnings: readonly string[];
    }
  /** The redirect address cannot be trusted: the user gets an error page and is not redirected (interface 5.2). */
  | { readonly kind: "refuse"; readonly message: string; readonly hint: string }
  /** The app gets an error, at its registered address. */
  | {
      readonly kind: "redirect";
      readonly redirectUri: string;
      readonly state: string | null;
      readonly error: AuthorizationError;
      readonly description: string;
    };

/**
 * Judges an authorization request (interface 5.2) in two phases: until redirect_uri is known to be the app's, nothing
 * is redirected; afterwards every error goes to the app.
 */
export function judgeAuthorization(
  parameters: Parameters,
  apps: readonly App[],
  choices: Pick<Choices, "oauth.pkce.plain">,
): AuthorizationVerdict {
  const trusted = trustedClient(parameters, apps);
  if (trusted.kind === "refuse") return trusted;
  const { app, redirectUri } = trusted;
  const repeated = repeatedOf(parameters, authorizationParameters);
  const state = repeated === "state" ? null : (parameters.get("state")?.[0] ?? null);
  const refuse = (error: AuthorizationError, description: string): AuthorizationVerdict => ({
    kind: "redirect",
    redirectUri,
    state,
    error,
    description,
  });
  if (repeated !== null) return refuse("invalid_request", `${repeated} was sent more than once`);
  const responseType = parameterOf(parameters, "response_type");
  if (responseType === null) return refuse("invalid_request", "response_type is missing: it must be code");
  if (responseType !== "code") return refuse("unsupported_response_type", "response_type must be code");
  const scopes = judgeScopes(parameterOf(parameters, "scope"), app);
  if (typeof scopes === "string") return refuse("invalid_scope", scopes);
  const challenge = readChallenge(parameters, choices["oauth.pkce.plain"] === "accepted");
  if (typeof challenge === "string") return refuse("invalid_request", challenge);
  const request = { clientId: app.clientId, redirectUri, scopes, state, challenge };
  return { kind: "ask", app, request, warnings: warningsOf(request) };
}

type Trusted =
  | { readonly kind: "trusted"; readonly app: App; readonly redirectUri: string }
  | Extract<AuthorizationVerdict, { kind: "refuse" }>;

function trustedClient(parameters: Parameters, apps: readonly App[]): Trusted {
  const refuse = (message: string, hint: string) => ({ kind: "refuse", message, hint }) as const;
  const repeated = repeatedOf(parameters, ["client_id", "redirect_uri"]);
  if (repeated !== null) return refuse(`${repeated} was sent more than once.`, "send it once");
  const clientId = parameterOf(parameters, "client_id");
  if (clientId === null)
    return refuse("client_id is missing.", "send the client id of the app, which `app-sim env` prints");
  const app = apps.find((candidate) => candidate.clientId === clientId);
  if (app === undefined) {
    return refuse(
      `No app is registered with the client id ${JSON.stringify(clientId)}.`,
      "`app-sim env` prints the client ids",
    );
  }
  const redirectUri = parameterOf(parameters, "redirect_uri");
  if (redirectUri === null) return refuse("redirect_uri is missing.", registeredHint(app.redirectUris));
  if (!app.redirectUris.includes(redirectUri)) {
    const { difference, hint } = unregisteredRedirect(redirectUri, app.redirectUris, registrationOf(redirectUri, apps));
    return refuse(
      `The address ${JSON.stringify(redirectUri)} is not registered for redirects of this app${difference}.`,
      hint,
    );
  }
  return { kind: "trusted", app, redirectUri };
}

/** What to send as redirect_uri if it is missing. */
export function registeredHint(redirectUris: readonly string[]): string {
  return `send one of those registered with the app: ${redirectUris.join(" ") || "so far there are none"}`;
}

/** How to register an address; the flag works only for a single app. */
function registrationOf(redirectUri: string, apps: readonly App[]): string {
  const inConfig = '"redirectUris" of the app in the configuration';
  if (apps.length > 1 || !/^https?:\/\/[\x21-\x7e]+$/.test(redirectUri) || /['#]/.test(redirectUri)) return inConfig;
  const isPlain = /^[\w:/.?=%~@+,-]+$/.test(redirectUri);
  return `--redirect-uri ${isPlain ? redirectUri : `'${redirectUri}'`}, or ${inConfig}`;
}

/** The scopes asked for, or what is wrong with them (interface 5.2). */
function judgeScopes(scope: string | null, app: App): readonly string[] | string {
  if (scope === null) return "scope is missing";
  const scopes = scopesOf(scope);
  if (scopes === null) return "scope must be a list of names separated by single spaces";
  const unknown = scopes.filter((name) => app.scopes.length > 0 && !app.scopes.includes(name));
  return unknown.length === 0 ? scopes : `not registered for this app: ${unknown.join(" ")}`;
}

export const METHOD_MISSING = "code_challenge_method is required when code_challenge is given";

/** The PKCE challenge, null without one, or what is wrong with it (interface 5.2: both parameters or neither). */
function readChallenge(parameters: Parameters, takesPlain: boolean): Challenge | null | string {
  const value = parameterOf(parameters, "code_challenge");
  const method = parameterOf(parameters, "code_challenge_method");
  if (value === null && method === null) return null;
  if (value === null) return "code_challenge is required when code_challenge_method is given";
  if (method === null) return METHOD_MISSING;
  if (method !== "S256" && method !== "plain") return "code_challenge_method must be S256 or plain";
  if (method === "plain" && !takesPlain) return "code_challenge_method plain is refused here: use S256";
  const problem = malformation(value);
  if (problem !== null) return `code_challenge ${problem}`;
  return { value, method };
}

function warningsOf({ state, challenge }: AuthorizationRequest): string[] {
  return [
    ...(state === null || state === ""
      ? ["no state was sent: the app cannot tell its own callback from a forged one"]
      : []),
    ...(challenge === null ? ["no code_challenge was sent: PKCE is strongly recommended"] : []),
    ...(challenge?.method === "plain" ? ["code_challenge_method plain protects less than S256: use S256"] : []),
  ];
}

/** The address to redirect the user to: the registered one, keeping its query (RFC 6749 section 3.1.2). */
export function redirectLocation(redirectUri: string, answer: Readonly<Record<string, string | null>>): string {
  const pairs = Object.entries(answer).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${pairs.join("&")}`;
}
