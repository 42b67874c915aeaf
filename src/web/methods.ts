import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Message, sendMessage } from "./send-page.ts";

type Refusal = Message & { readonly reason: string };

/**
 * Answers every method but the allowed ones with 405, and lists those (RFC 9110, 15.5.6).
 * @param send sends the answer; default: as a page to a browser, otherwise as JSON
 */
export function refuseOtherMethods(
  server: FastifyInstance,
  url: string,
  allowed: readonly string[],
  send: (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => FastifyReply | Promise<FastifyReply> = (
    request,
    reply,
    refusal,
  ) => sendMessage(request, reply, 405, refusal),
): void {
  server.route({
    method: server.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    exposeHeadRoute: false,
    // Before the body is read: its type and size do not matter.
    onRequest: async (request, reply) =>
      send(request, reply.header("allow", allowed.join(", ")), {
        title: "This address does not accept this method",
        reason: `${request.method} is not allowed here`,
        hint: `allowed: ${allowed.join(", ")}`,
      }),
    handler: () => {},
  });
}
