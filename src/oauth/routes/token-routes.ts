import type { FastifyInstance, FastifyRequest } from "fastify";
import { refusalAnswer } from "../../protocol/wire-answer.ts";
import { answerRefusals } from "../../web/errors.ts";
import { incomingRequest, keepBodies } from "../../web/incoming-request.ts";
import { refuseOtherMethods } from "../../web/methods.ts";
import { messageAnswer, sendAnswer, wantsPage } from "../../web/send-page.ts";
import type { OAuth } from "../endpoints/oauth.ts";

const endpoints = ["token", "revoke", "introspect"] as const;
type Endpoint = (typeof endpoints)[number];

/** Serves the token endpoint (interface 4.1) and those for revocation (RFC 7009) and introspection (RFC 7662). */
export function tokenRoutes(scope: FastifyInstance, oauth: OAuth): void {
  keepBodies(scope);
  answerRefusals(scope, (request, status, description) => {
    const answer = refusalAnswer({ error: "invalid_request", description, status });
    return oauth.refuse(endpointOf(request), incomingRequest(request), answer, description);
  });
  for (const endpoint of endpoints) {
    const path = `/oauth/${endpoint}`;
    scope.post(path, async (request, reply) => sendAnswer(reply, await oauth[endpoint](incomingRequest(request))));
    refuseOtherMethods(scope, path, ["POST"], async (request, reply, refusal) => {
      const description = `${refusal.reason}, only POST`;
      const answer = wantsPage(request)
        ? messageAnswer(request, 405, refusal)
        : refusalAnswer({ error: "invalid_request", description, status: 405 });
      return sendAnswer(reply, await oauth.refuse(endpoint, incomingRequest(request), answer, refusal.reason));
    });
  }
  scope.all("/oauth/*", async (request, reply) => {
    const answer = messageAnswer(request, 404, {
      title: "There is nothing here",
      reason: `this platform serves nothing at ${request.method} ${request.url.split("?", 1)[0]}`,
      hint: "GET /oauth/authorize asks the user, POST /oauth/token issues tokens",
    });
    return sendAnswer(
      reply,
      await oauth.refuse(endpointOf(request), incomingRequest(request), answer, "no such address"),
    );
  });
}

/** The endpoint of a request; one to an unknown address counts as one for a token. */
function endpointOf({ url }: FastifyRequest): Endpoint {
  return endpoints.find((endpoint) => url.startsWith(`/oauth/${endpoint}`)) ?? "token";
}
