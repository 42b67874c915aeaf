import type { App } from "../../config/schema.ts";
import { clip } from "../../protocol/harmless.ts";
import { isNoValueWord } from "../../protocol/no-value.ts";
import { isSameSecret } from "../../protocol/same-secret.ts";
import { accept, type Judged, refuse } from "../../protocol/wire-answer.ts";
import { isQuoted, unwrapped } from "../../protocol/wrapping.ts";
import { type Parameters, parameterOf } from "./oauth-parameters.ts";

/** The credentials that a client sent, in the body or with HTTP Basic. */
export interface ClientCredentials {
  readonly id: string | null;
  readonly secret: string | null;
  readonly by: "body" | "basic";
  /** The raw values of Basic, if form-decoding changes them. */
  readonly undecoded?: { readonly id: string; readonly secret: string };
}

/**
 * Reads the credentials of a client; Basic and body must not be mixed (RFC 6749 section 2.3).
 * @param authorization the header, if any
 */
export function readCredentials(parameters: Parameters, authorization: string | undefined): Judged<ClientCredentials> {
  const id = parameterOf(parameters, "client_id");
  const secret = parameterOf(parameters, "client_secret");
  if (authorization === undefined) return accept({ id, secret, by: "body" });
  const basic = readBasic(authorization);
  if (typeof basic === "string") return refuse("invalid_client", basic, { challenge: true });
  if (secret !== null) return refuse("invalid_request", "client_secret was sent both with Basic and in the body");
  if (id !== null && id !== basic.id)
    return refuse("invalid_request", "client_id in the body differs from the one in Basic");
  return accept({ ...basic, by: "basic" });
}

const NO_BASIC = "Authorization must be Basic with base64 of client_id:client_secret";
/** What a client that sends them raw must do. */
const ENCODE = "form-encode id and secret before base64 (RFC 6749, 2.3.1)";

/** The credentials in Basic, or what is wrong with them. */
function readBasic(authorization: string): Omit<ClientCredentials, "by"> | string {
  const [, encoded = ""] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  const decoded = Buffer.from(encoded, "base64");
  if (encoded === "" || decoded.toString("base64").replace(/=+$/, "") !== encoded.replace(/=+$/, "")) return NO_BASIC;
  const text = decoded.toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) return NO_BASIC;
  const undecoded = { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  const id = formDecoded(undecoded.id);
  const secret = formDecoded(undecoded.secret);
  if (id === null || secret === null) return `Basic has a % that is not part of an encoding: ${ENCODE}`;
  const isSame = id === undecoded.id && secret === undecoded.secret;
  return { id, secret, ...(isSame ? {} : { undecoded }) };
}

/** Id and secret are form-encoded before they go into Basic (RFC 6749 section 2.3.1); many clients send them raw. */
function formDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

const SHOWN_CHARACTERS = 100;

/** Shows both ids, because one of them is mistyped; client ids are not secrets (RFC 6749 section 2.2). */
function unknownClient(id: string, apps: readonly App[]): string {
  const registered = apps.map(({ clientId }) => clientId).join(", ");
  const shown = (text: string) => clip(text, SHOWN_CHARACTERS);
  return `no app is registered with the client_id ${shown(id)}; registered: ${shown(registered)}`;
}

/**
 * Authenticates a client by its secret (RFC 6749 section 2.3).
 * @param isSecretOptional whether PKCE may replace the secret
 */
export function authenticate(
  { id, secret, by, undecoded }: ClientCredentials,
  apps: readonly App[],
  isSecretOptional: boolean,
): Judged<App> {
  const more = { challenge: by === "basic" };
  if (id === null) return refuse("invalid_client", "client_id is missing", more);
  const app = apps.find(({ clientId }) => clientId === id);
  if (app === undefined) {
    const isRaw = apps.some(({ clientId }) => clientId === undecoded?.id);
    const why = isRaw ? `client_id in Basic is not form-encoded: ${ENCODE}` : unknownClient(id, apps);
    return refuse("invalid_client", why, more);
  }
  if (secret === null) {
    return isSecretOptional ? accept(app) : refuse("invalid_client", NO_SECRET, more);
  }
  if (isSameSecret(secret, app.clientSecret)) return accept(app);
  if (isNoValueWord(secret)) {
    return refuse("invalid_client", `client_secret is the word ${secret}: the app's variable for it is not set`, more);
  }
  const isRaw = undecoded !== undefined && isSameSecret(undecoded.secret, app.clientSecret);
  const why = isRaw ? `client_secret in Basic is correct, but not form-encoded: ${ENCODE}` : wrongSecret(secret, app);
  return refuse("invalid_client", why, more);
}

export const NO_SECRET = "client_secret is missing";

/** What is wrong with a secret. The sender already has it, so this reveals nothing. */
function wrongSecret(secret: string, app: App): string {
  if (isSameSecret(secret, app.appSecret)) {
    return "client_secret is the app secret, which signs webhooks: the token endpoint needs the client secret";
  }
  if (!isSameSecret(unwrapped(secret), app.clientSecret)) return "client_secret is wrong";
  return isQuoted(secret.trim())
    ? "client_secret is the right one in quotes: remove them from the app's variable (docker run --env-file keeps them)"
    : "client_secret is the right one with white space around it: trim it where the app reads it (a file may end with a line ending)";
}
