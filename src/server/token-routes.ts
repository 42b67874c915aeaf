import type { FastifyError, FastifyInstance } from "fastify";
import { refusalAnswer } from "../platform/oauth-answer.ts";
import type { OAuth } from "../simulator/oauth/oauth.ts";
import { arrivalOf, keepBodies } from "./arrivals.ts";
import { refuseOtherMethods } from "./methods.ts";
import { sendAnswer } from "./send-page.ts";

/** Larger than any request to these endpoints. */
const LIMIT_BYTES = 64 * 1024;

/** The token endpoint (interface 4.1) with those for revocation (RFC 7009) and introspection (RFC 7662). */
export function tokenRoutes(scope: FastifyInstance, oauth: OAuth): void {
  keepBodies(scope);
  scope.setErrorHandler<FastifyError>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) throw error;
    return sendAnswer(reply, refusalAnswer({ error: "invalid_request", description: error.message, status }));
  });
  for (const endpoint of ["token", "revoke", "introspect"] as const) {
    const path = `/oauth/${endpoint}`;
    scope.post(path, { bodyLimit: LIMIT_BYTES }, async (request, reply) =>
      sendAnswer(reply, await oauth[endpoint](arrivalOf(request))),
    );
    refuseOtherMethods(scope, path, ["POST"]);
  }
}
