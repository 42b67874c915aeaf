import type { Choices } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import { grantTypes } from "./oauth-token.ts";

type MetadataChoice =
  | "api.projects.scope"
  | "oauth.grant.installation"
  | "oauth.grant.agent"
  | "oauth.grant.callCode"
  | "oauth.pkce.plain"
  | "oauth.redirect.iss";

/**
 * The metadata that standard clients configure themselves with (RFC 8414, section 2).
 * @param issuer address of the platform, without a trailing slash
 */
export function serverMetadata(
  issuer: string,
  apps: readonly App[],
  choices: Pick<Choices, MetadataChoice>,
): Record<string, unknown> {
  const withSecret = ["client_secret_basic", "client_secret_post"];
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: [...new Set([choices["api.projects.scope"], ...apps.flatMap(({ scopes }) => scopes)])],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: grantTypes(choices),
    code_challenge_methods_supported: choices["oauth.pkce.plain"] === "accepted" ? ["S256", "plain"] : ["S256"],
    token_endpoint_auth_methods_supported: [...withSecret, "none"],
    revocation_endpoint_auth_methods_supported: withSecret,
    introspection_endpoint_auth_methods_supported: withSecret,
    authorization_response_iss_parameter_supported: choices["oauth.redirect.iss"] === "on",
  };
}
