import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { randomIds } from "../app-client/ports.ts";
import { loginPath } from "../guard/pages/login-paths.ts";
import { BASE_HEADERS } from "../platform/base-headers.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { sendMessage } from "./send-page.ts";

/** Told of a bug of app-sim: its id, which the answer names too, and the stack, which it does not (hardening R36). */
export type OnBug = (id: string, error: unknown) => void;

/** Answers what no route answers, and what went wrong in one. */
export function handleErrors(server: FastifyInstance, domain: string, onBug: OnBug): void {
  server.setNotFoundHandler((request, reply) =>
    sendMessage(request, reply, 404, {
      title: "There is nothing here",
      reason: `this platform serves nothing at ${request.method} ${request.url}`,
      hint: `the organization here is ${domain}, and its login at ${loginPath(domain)}`,
      link: { address: "/", text: "What there is" },
    }),
  );
  server.setErrorHandler<FastifyError>((error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 400 && status < 500) return sendRefusal(request, reply, error);
    const id = randomIds.next();
    onBug(id, error);
    if (error instanceof UsageError) {
      const title = "The platform was told to do what it cannot";
      return sendMessage(request, reply, 500, { title, reason: error.message, hint: error.hint });
    }
    return sendMessage(request, reply, 500, {
      title: "This is a bug in app-sim",
      reason: `error ${id}: nothing was changed by this request after it`,
      hint: "app-sim goes on; what went wrong was said where it was started",
    });
  });
}

/** A request that fastify itself refuses: its address, its size, its content type. */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: FastifyError): FastifyReply {
  // An address that cannot be read is refused before any hook.
  const before = reply.hasHeader("referrer-policy") ? {} : BASE_HEADERS;
  return sendMessage(request, reply.headers(before), error.statusCode ?? 400, {
    title: "This request cannot be read",
    reason: error.message,
    hint: null,
  });
}
