import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "../../web/methods.ts";
import type { OAuth } from "../endpoints/oauth.ts";

export interface DiscoveryParts {
  readonly oauth: Pick<OAuth, "metadata">;
  /** The public keys of all tokens, as a JWK Set. */
  readonly jwks: () => Promise<{ readonly keys: readonly unknown[] }>;
}

/** What standard clients configure themselves with (RFC 8414), and the keys to verify tokens with (RFC 7517). */
export function discoveryRoutes(server: FastifyInstance, { oauth, jwks }: DiscoveryParts): void {
  const serve = (path: string, answer: () => unknown) => {
    server.get(path, answer);
    refuseOtherMethods(server, path, ["GET", "HEAD"]);
  };
  serve("/.well-known/oauth-authorization-server", async () => oauth.metadata());
  // Where clients of OpenID Connect look; that this is no such server, what is missing tells them.
  serve("/.well-known/openid-configuration", async () => oauth.metadata());
  serve("/.well-known/jwks.json", () => jwks());
}
