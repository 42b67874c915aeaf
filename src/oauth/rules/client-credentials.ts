import type { App } from "../../config/schema.ts";
import { isSameSecret } from "../../protocol/same-secret.ts";
import { accept, type Judged, refuse } from "../../protocol/wire-answer.ts";
import { type Parameters, parameterOf } from "./oauth-parameters.ts";

/** The credentials that a client sent: in the body, or by Basic. */
export interface ClientCredentials {
  readonly id: string | null;
  readonly secret: string | null;
  readonly by: "body" | "basic";
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
  if (basic === null) {
    return refuse("invalid_client", "Authorization must be Basic with base64 of client_id:client_secret", {
      challenge: true,
    });
  }
  if (secret !== null) return refuse("invalid_request", "client_secret was sent both by Basic and in the body");
  if (id !== null && id !== basic.id) return refuse("invalid_request", "client_id of the body is not that of Basic");
  return accept({ ...basic, by: "basic" });
}

function readBasic(authorization: string): { id: string; secret: string } | null {
  const [, encoded = ""] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  const decoded = Buffer.from(encoded, "base64");
  if (encoded === "" || decoded.toString("base64").replace(/=+$/, "") !== encoded.replace(/=+$/, "")) return null;
  const text = decoded.toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) return null;
  const id = formDecoded(text.slice(0, colon));
  const secret = formDecoded(text.slice(colon + 1));
  return id === null || secret === null ? null : { id, secret };
}

/** Id and secret are form-encoded before they go into Basic (RFC 6749 section 2.3.1); many clients send them raw. */
function formDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

/**
 * Authenticates a client by its secret (RFC 6749 section 2.3).
 * @param isSecretOptional whether PKCE may replace the secret
 */
export function authenticate(
  { id, secret, by }: ClientCredentials,
  apps: readonly App[],
  isSecretOptional: boolean,
): Judged<App> {
  const more = { challenge: by === "basic" };
  if (id === null) return refuse("invalid_client", "client_id is missing", more);
  const app = apps.find(({ clientId }) => clientId === id);
  if (app === undefined) return refuse("invalid_client", "no app is registered with this client_id", more);
  if (secret === null) {
    return isSecretOptional ? accept(app) : refuse("invalid_client", "client_secret is missing", more);
  }
  return isSameSecret(secret, app.clientSecret)
    ? accept(app)
    : refuse("invalid_client", "client_secret is wrong", more);
}
