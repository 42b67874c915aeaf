import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "../../web/methods.ts";
import type { Platform } from "../../web/platform.ts";

/** What standard clients configure themselves with (RFC 8414), and the keys to verify tokens with (RFC 7517). */
export function discoveryRoutes(server: FastifyInstance, { oauth, jwks }: Platform): void {
  const serve = (path: string, answer: () => unknown) => {
    server.get(path, answer);
    refuseOtherMethods(server, path, ["GET", "HEAD"]);
  };
  serve("/.well-known/oauth-authorization-server", async () => oauth.metadata());
  // Where clients of OpenID Connect look; that this is no such server, what is missing tells them.
  serve("/.well-known/openid-configuration", async () => oauth.metadata());
  serve("/.well-known/jwks.json", () => jwks());
}
