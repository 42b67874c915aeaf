import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Message } from "./message-page.ts";
import { sendMessage } from "./send-page.ts";

/** Answers every method but the allowed ones with 405, and says which those are (RFC 9110, 15.5.6). */
export function refuseOtherMethods(server: FastifyInstance, url: string, allowed: readonly string[]): void {
  server.route({
    method: server.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    exposeHeadRoute: false,
    // Before the body is read: its type and size do not matter.
    onRequest: async (request, reply) =>
      sendMessage(request, reply.header("allow", allowed.join(", ")), 405, otherMethod(request, allowed)),
    handler: () => {},
  });
}

/** What is said of a method that is not one of the allowed ones. */
export function otherMethod(
  { method }: FastifyRequest,
  allowed: readonly string[],
): Message & { readonly reason: string } {
  return {
    title: "This address cannot be called so",
    reason: `${method} is not answered here`,
    hint: `allowed: ${allowed.join(", ")}`,
  };
}
