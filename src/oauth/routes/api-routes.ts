import type { FastifyError, FastifyInstance, FastifyRequest } from "fastify";
import { apiError } from "../../protocol/bearer.ts";
import { incomingRequest, keepBodies } from "../../web/incoming-request.ts";
import { sendAnswer } from "../../web/send-page.ts";
import type { OAuth } from "../endpoints/oauth.ts";

/** Names before `.localhost` that are the platform's own, and no organization's. */
const ownNames = ["api", "auth", "www"];

/** The REST API (interface 4.1, 5.4), at {api_host} and at the organization's own host, `{domain}.{api_host}`. */
export function apiRoutes(scope: FastifyInstance, oauth: OAuth): void {
  keepBodies(scope);
  const refuse = (request: FastifyRequest, status: number, message: string) =>
    oauth.refuse("api", incomingRequest(request), apiError(status, message), message);
  scope.setErrorHandler<FastifyError>(async (error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) throw error;
    return sendAnswer(reply, await refuse(request, status, error.message));
  });
  scope.all("/api/*", async (request, reply) =>
    sendAnswer(reply, await oauth.api(incomingRequest(request), organizationOf(request.headers.host ?? ""))),
  );
}

/** The domain of the organization that a host names; null: it is that of the API itself. */
function organizationOf(host: string): string | null {
  const [, name = ""] = /^([^.:]+)\..*localhost(?::\d+)?$/i.exec(host) ?? [];
  return name === "" || ownNames.includes(name.toLowerCase()) ? null : name.toLowerCase();
}
