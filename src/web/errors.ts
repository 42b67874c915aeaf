import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { randomIds } from "../app-client/ports.ts";
import { BASE_HEADERS } from "../platform/base-headers.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { WireAnswer } from "../protocol/wire-answer.ts";
import { loginPath, type PathDomain } from "./login-paths.ts";
import { sendAnswer, sendMessage } from "./send-page.ts";

/**
 * Receives every bug in app-sim: its id, which the answer contains too, and the error, which it does not (hardening
 * R36).
 */
export type OnBug = (id: string, error: unknown) => void;

/** Lets an endpoint give its own answers to requests that fastify refuses, such as a body that is too large. */
export function answerRefusals(
  scope: FastifyInstance,
  answer: (request: FastifyRequest, status: number, reason: string) => Promise<WireAnswer>,
): void {
  scope.setErrorHandler<FastifyError>(async (error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) throw error;
    return sendAnswer(reply, await answer(request, status, error.message));
  });
}

/** Answers requests without a route, and errors in routes. */
export function handleErrors(server: FastifyInstance, domain: PathDomain, onBug: OnBug): void {
  server.setNotFoundHandler((request, reply) =>
    sendMessage(request, reply, 404, {
      title: "Page not found",
      reason: `this platform has no route for ${request.method} ${request.url}`,
      hint: `this is ${domain === null ? "an organization without a domain" : `the organization ${domain}`}, and its login at ${loginPath(domain)}`,
      link: { address: "/", text: "See what the platform serves" },
    }),
  );
  server.setErrorHandler<FastifyError>((error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 400 && status < 500) return sendRefusal(request, reply, error);
    const id = randomIds.next();
    onBug(id, error);
    if (error instanceof UsageError) {
      const title = "The platform cannot do what was requested";
      return sendMessage(request, reply, 500, { title, reason: error.message, hint: error.hint });
    }
    return sendMessage(request, reply, 500, {
      title: "This is a bug in app-sim",
      reason: `error ${id}: the request changed nothing after the error`,
      hint: "app-sim keeps running; the terminal that it was started from shows the error",
    });
  });
}

/** Answers a request that fastify itself refuses because of its address, size or content type. */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: FastifyError): FastifyReply {
  // A URL that cannot be parsed is refused before any hook runs.
  const before = reply.hasHeader("referrer-policy") ? {} : BASE_HEADERS;
  return sendMessage(request, reply.headers(before), error.statusCode ?? 400, {
    title: "This request cannot be read",
    reason: error.message,
    hint: null,
  });
}
