import type { FastifyError, FastifyInstance, FastifyRequest } from "fastify";
import { refusalAnswer, type WireAnswer } from "../../protocol/wire-answer.ts";
import { incomingRequest, keepBodies } from "../../web/incoming-request.ts";
import { otherMethod } from "../../web/methods.ts";
import { messageAnswer, sendAnswer, wantsPage } from "../../web/send-page.ts";
import type { OAuth } from "../endpoints/oauth.ts";

const endpoints = ["token", "revoke", "introspect"] as const;
type Endpoint = (typeof endpoints)[number];

/** The token endpoint (interface 4.1) with those for revocation (RFC 7009) and introspection (RFC 7662). */
export function tokenRoutes(scope: FastifyInstance, oauth: OAuth): void {
  keepBodies(scope);
  const refuse = (request: FastifyRequest, status: number, description: string): Promise<WireAnswer> => {
    const answer = refusalAnswer({ error: "invalid_request", description, status });
    return oauth.refuse(endpointOf(request), incomingRequest(request), answer, description);
  };
  scope.setErrorHandler<FastifyError>(async (error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) throw error;
    return sendAnswer(reply, await refuse(request, status, error.message));
  });
  for (const endpoint of endpoints) {
    const path = `/oauth/${endpoint}`;
    scope.post(path, async (request, reply) => sendAnswer(reply, await oauth[endpoint](incomingRequest(request))));
    scope.route({
      method: scope.supportedMethods.filter((method) => method !== "POST"),
      url: path,
      exposeHeadRoute: false,
      // Before the body is read: its type and size do not matter.
      onRequest: async (request, reply) => {
        const message = otherMethod(request, ["POST"]);
        const answer = wantsPage(request)
          ? messageAnswer(request, 405, message)
          : refusalAnswer({ error: "invalid_request", description: `${message.reason}, only POST`, status: 405 });
        return sendAnswer(
          reply.header("allow", "POST"),
          await oauth.refuse(endpoint, incomingRequest(request), answer, message.reason),
        );
      },
      handler: () => {},
    });
  }
  scope.all("/oauth/*", async (request, reply) => {
    const answer = messageAnswer(request, 404, {
      title: "There is nothing here",
      reason: `this platform serves nothing at ${request.method} ${request.url.split("?", 1)[0]}`,
      hint: "GET /oauth/authorize asks the user, POST /oauth/token gives tokens",
    });
    return sendAnswer(
      reply,
      await oauth.refuse(endpointOf(request), incomingRequest(request), answer, "no such address"),
    );
  });
}

/** What a request is about; one to no address of ours counts as one for a token. */
function endpointOf({ url }: FastifyRequest): Endpoint {
  return endpoints.find((endpoint) => url.startsWith(`/oauth/${endpoint}`)) ?? "token";
}
