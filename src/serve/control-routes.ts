import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { OAuth } from "../oauth/endpoints/oauth.ts";
import type { PlatformClock } from "../platform/platform-clock.ts";
import { bearerToken } from "../protocol/bearer.ts";
import { parseJson } from "../protocol/json.ts";
import { mediaType } from "../protocol/media-type.ts";
import { isSameSecret } from "../protocol/same-secret.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { keepBodies } from "../web/incoming-request.ts";
import { refuseOtherMethods } from "../web/methods.ts";
import { isOwnRequest } from "../web/own-origin.ts";
import { type ClockTurn, CONTROL_PATHS, clockTurnSchema, faultOrderSchema } from "./control.ts";

/** What can be steered. */
interface Steered {
  readonly clock: PlatformClock;
  readonly oauth: Pick<OAuth, "faults">;
}

/** How a running platform can be steered. */
export interface SteeringAccess {
  /** What whoever steers it has to know. */
  readonly token: string;
  /** Told of what was changed. */
  readonly onSteered: (what: "clock" | "faults") => void;
}

/**
 * Steers a running platform: turns its clock, asks for faults. Only for whoever knows the token of this run
 * (hardening S8), and never for a page of another site (S4, S5, S10).
 */
export function controlRoutes(
  scope: FastifyInstance,
  { clock, oauth }: Steered,
  { token, onSteered }: SteeringAccess,
): void {
  keepBodies(scope);
  scope.addHook("onRequest", async (request, reply) => {
    if (!isOwnRequest(request, false)) return refuse(reply, 403, "this request was made by a page of another site");
    const given = bearerToken(request.headers.authorization);
    if (given !== null && isSameSecret(given, token)) return;
    reply.header("www-authenticate", "Bearer");
    return refuse(reply, 401, "this address is for whoever started the platform: Authorization: Bearer <its token>");
  });
  const serve = (what: "clock" | "faults", state: () => unknown, change: (body: unknown) => void) => {
    const path = CONTROL_PATHS[what];
    scope.get(path, async () => state());
    scope.post(path, async (request, reply) => {
      const problem = attempt(() => change(readJson(request)));
      if (problem !== null) return refuse(reply, 400, problem.message, problem.hint);
      onSteered(what);
      return state();
    });
    refuseOtherMethods(scope, path, ["GET", "HEAD", "POST"]);
  };
  serve(
    "clock",
    () => clock.state(),
    (body) => turn(clock, readOrder(clockTurnSchema, body, '{"advance":"2h"}, {"set":TIME}, {"freeze":true}')),
  );
  serve(
    "faults",
    () => ({ faults: oauth.faults.list() }),
    (body) => {
      const order = readOrder(faultOrderSchema, body, '{"add":["token=500x2"]} or {"clear":true}');
      if ("clear" in order) oauth.faults.clear();
      else oauth.faults.add(...order.add);
    },
  );
}

function turn(clock: PlatformClock, order: ClockTurn): void {
  if ("advance" in order) clock.advance(order.advance);
  else if ("set" in order) clock.set(order.set);
  else if ("freeze" in order) clock.freeze(order.freeze === true ? undefined : order.freeze);
  else if ("resume" in order) clock.resume();
  else clock.reset();
}

function readJson({ headers, body }: FastifyRequest): unknown {
  const type = mediaType(headers["content-type"]);
  if (type !== "application/json") throw invalid("the content type must be application/json");
  const parsed = parseJson(body as Buffer);
  if (!parsed.ok) throw invalid(parsed.reason);
  return parsed.value;
}

function readOrder<Schema extends z.ZodType>(schema: Schema, body: unknown, allowed: string): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalid("this is nothing that can be asked for here", `such as ${allowed}`);
}

function invalid(message: string, hint = ""): UsageError {
  return new UsageError("control-invalid", message, hint);
}

function attempt(change: () => void): UsageError | null {
  try {
    change();
    return null;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

function refuse(reply: FastifyReply, status: number, message: string, hint?: string): FastifyReply {
  return reply.code(status).send({ error: { message, code: status, ...(hint ? { hint } : {}) } });
}
