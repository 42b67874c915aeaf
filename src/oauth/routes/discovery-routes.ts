import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "../../web/methods.ts";
import type { OAuth } from "../endpoints/oauth.ts";

export interface DiscoveryParts {
  readonly oauth: Pick<OAuth, "metadata">;
  /** The public keys of all tokens, as a JWK Set. */
  readonly jwks: () => Promise<{ readonly keys: readonly unknown[] }>;
}

/** Serves the metadata for standard clients (RFC 8414), and the keys that verify tokens (RFC 7517). */
export function discoveryRoutes(server: FastifyInstance, { oauth, jwks }: DiscoveryParts): void {
  const serve = (path: string, answer: () => unknown) => {
    server.get(path, answer);
    refuseOtherMethods(server, path, ["GET", "HEAD"]);
  };
  serve("/.well-known/oauth-authorization-server", async () => oauth.metadata());
  // OpenID Connect clients look here, and see by what is missing that this server does not support it.
  serve("/.well-known/openid-configuration", async () => oauth.metadata());
  serve("/.well-known/jwks.json", () => jwks());
}
