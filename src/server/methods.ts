import type { FastifyInstance } from "fastify";
import { sendMessage } from "./send-page.ts";

/** Answers every method but the allowed ones with 405, and says which those are (RFC 9110, 15.5.6). */
export function refuseOtherMethods(server: FastifyInstance, url: string, allowed: readonly string[]): void {
  server.route({
    method: server.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    exposeHeadRoute: false,
    // Before the body is read: its type and size do not matter.
    onRequest: async (request, reply) =>
      sendMessage(request, reply.header("allow", allowed.join(", ")), 405, {
        title: "This address cannot be called so",
        reason: `${request.method} is not answered here`,
        hint: `allowed: ${allowed.join(", ")}`,
      }),
    handler: () => {},
  });
}
