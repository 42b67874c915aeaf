import type { SimulatorContext } from "../../platform/context.ts";
import { grantTypes } from "../rules/oauth-token.ts";

/** What standard clients configure themselves with (RFC 8414, section 2). */
export function serverMetadata({ baseUrl, choices, config }: SimulatorContext): Record<string, unknown> {
  const issuer = baseUrl();
  const scopes = new Set([choices["api.projects.scope"], ...config.apps.flatMap((app) => app.scopes)]);
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: [...scopes],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: grantTypes(choices),
    code_challenge_methods_supported: choices["oauth.pkce.plain"] === "accepted" ? ["S256", "plain"] : ["S256"],
    ...clientAuthentication("token_endpoint", ["client_secret_basic", "client_secret_post", "none"]),
    ...clientAuthentication("revocation_endpoint", ["client_secret_basic", "client_secret_post"]),
    ...clientAuthentication("introspection_endpoint", ["client_secret_basic", "client_secret_post"]),
    authorization_response_iss_parameter_supported: choices["oauth.redirect.iss"] === "on",
  };
}

function clientAuthentication(endpoint: string, methods: readonly string[]): Record<string, readonly string[]> {
  return { [`${endpoint}_auth_methods_supported`]: methods };
}
