import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { bearerToken } from "../protocol/bearer.ts";
import { parseJson } from "../protocol/json.ts";
import { mediaType } from "../protocol/media-type.ts";
import { isSameSecret } from "../protocol/same-secret.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { refuseOtherMethods } from "../web/methods.ts";
import { isOwnRequest } from "../web/own-origin.ts";

/**
 * Requires the token of this run for the routes of a scope (hardening S8), and refuses pages of other sites (S4, S5,
 * S10).
 */
export function guardControl(scope: FastifyInstance, token: string): void {
  scope.addHook("onRequest", async (request, reply) => {
    const refuse = (status: number, message: string) => reply.code(status).send({ error: { message, code: status } });
    if (!isOwnRequest(request, false)) return refuse(403, "this request was made by a page of another site");
    const given = bearerToken(request.headers.authorization);
    if (given !== null && isSameSecret(given, token)) return;
    reply.header("www-authenticate", "Bearer");
    return refuse(401, "this address needs the token of this run: Authorization: Bearer <token>");
  });
}

/**
 * The body of a request to a control address.
 * @param allowed example of a valid body, for the error
 * @throws UsageError for a body of another type or shape
 */
export function readControl<Schema extends z.ZodType>(
  schema: Schema,
  { headers, body }: FastifyRequest,
  allowed: string,
): z.infer<Schema> {
  if (mediaType(headers["content-type"]) !== "application/json")
    throw new UsageError("control-invalid", "the content type must be application/json", "");
  const charset = /;\s*charset="?([^";\s]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";
  if (!/^utf-?8$/i.test(charset))
    throw new UsageError("control-invalid", "the charset must be utf-8, as JSON always is (RFC 8259, 8.1)", "");
  const json = parseJson(body as Buffer);
  if (!json.ok) throw new UsageError("control-invalid", json.reason, "");
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return parsed.data;
  throw new UsageError("control-invalid", "this change is not valid", `such as ${allowed}`);
}

/**
 * Answers POST at a control address: a mistake in the request gets a 400, other methods are refused.
 * @param others methods that are answered elsewhere
 */
export function answerPost(
  scope: FastifyInstance,
  path: string,
  answer: (request: FastifyRequest, reply: FastifyReply) => unknown,
  others: readonly string[] = [],
): void {
  scope.post(path, async (request, reply) => {
    try {
      return await answer(request, reply);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return refuseControl(reply, 400, error);
    }
  });
  refuseOtherMethods(scope, path, [...others, "POST"]);
}

/** Refuses a request to a control address. */
export function refuseControl(reply: FastifyReply, status: number, mistake: UsageError): FastifyReply {
  const { code: name, summary, hint, problems } = mistake;
  const message = problems.length === 0 ? mistake.message : summary;
  const error = {
    message,
    code: status,
    name,
    ...(hint ? { hint } : {}),
    ...(problems.length > 0 ? { problems } : {}),
  };
  return reply.code(status).send({ error });
}
