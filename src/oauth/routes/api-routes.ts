import type { FastifyInstance } from "fastify";
import { apiError } from "../../protocol/bearer.ts";
import { answerRefusals } from "../../web/errors.ts";
import { incomingRequest, keepBodies } from "../../web/incoming-request.ts";
import { sendAnswer } from "../../web/send-page.ts";
import type { OAuth } from "../endpoints/oauth.ts";

/** Names before `.localhost` that belong to the platform, not to an organization. */
const ownNames = ["api", "auth", "www"];

/** Serves the REST API (interface 4.1, 5.4), at {api_host} and at the organization's own host, `{domain}.{api_host}`. */
export function apiRoutes(scope: FastifyInstance, oauth: OAuth): void {
  keepBodies(scope);
  answerRefusals(scope, (request, status, reason) =>
    oauth.refuse("api", incomingRequest(request), apiError(status, reason), reason),
  );
  scope.all("/api/*", async (request, reply) =>
    sendAnswer(reply, await oauth.api(incomingRequest(request), organizationOf(request.headers.host ?? ""))),
  );
}

/** The domain of the organization that a host names; null for the host of the API itself. */
function organizationOf(host: string): string | null {
  const [, name = ""] = /^([^.:]+)\..*localhost(?::\d+)?$/i.exec(host) ?? [];
  return name === "" || ownNames.includes(name.toLowerCase()) ? null : name.toLowerCase();
}
