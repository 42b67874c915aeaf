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
import { type ClockChange, CONTROL_PATHS, clockChangeSchema, faultsChangeSchema } from "./control.ts";

/** Who may change a running platform, and who learns of it. */
export interface SteeringAccess {
  readonly token: string;
  readonly onSteered: (what: "clock" | "faults") => void;
}

/**
 * Changes the clock and the faults of a running platform: only with the token of this run (hardening S8), and never
 * for a page of another site (S4, S5, S10).
 */
export function controlRoutes(
  scope: FastifyInstance,
  { clock, oauth }: { readonly clock: PlatformClock; readonly oauth: Pick<OAuth, "faults"> },
  { token, onSteered }: SteeringAccess,
): void {
  keepBodies(scope);
  scope.addHook("onRequest", async (request, reply) => {
    if (!isOwnRequest(request, false)) return refuse(reply, 403, "this request was made by a page of another site");
    const given = bearerToken(request.headers.authorization);
    if (given !== null && isSameSecret(given, token)) return;
    reply.header("www-authenticate", "Bearer");
    return refuse(reply, 401, "this address needs the token of this run: Authorization: Bearer <token>");
  });
  const serve = (what: "clock" | "faults", state: () => unknown, change: (request: FastifyRequest) => void) => {
    const path = CONTROL_PATHS[what];
    scope.get(path, async () => state());
    scope.post(path, async (request, reply) => {
      try {
        change(request);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        return refuse(reply, 400, error.message, error.hint);
      }
      onSteered(what);
      return state();
    });
    refuseOtherMethods(scope, path, ["GET", "HEAD", "POST"]);
  };
  serve("clock", clock.state, (request) =>
    changeClock(clock, readChange(clockChangeSchema, request, '{"advance":"2h"}, {"set":TIME}, {"freeze":true}')),
  );
  serve(
    "faults",
    () => ({ faults: oauth.faults.list() }),
    (request) => {
      const change = readChange(faultsChangeSchema, request, '{"add":["token=500x2"]} or {"clear":true}');
      if ("clear" in change) oauth.faults.clear();
      else oauth.faults.add(...change.add);
    },
  );
}

function changeClock(clock: PlatformClock, change: ClockChange): void {
  if ("advance" in change) clock.advance(change.advance);
  else if ("set" in change) clock.set(change.set);
  else if ("freeze" in change) clock.freeze(change.freeze === true ? undefined : change.freeze);
  else if ("resume" in change) clock.resume();
  else clock.reset();
}

function readChange<Schema extends z.ZodType>(
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
  throw new UsageError("control-invalid", "there is no such change", `such as ${allowed}`);
}

function refuse(reply: FastifyReply, status: number, message: string, hint?: string): FastifyReply {
  return reply.code(status).send({ error: { message, code: status, ...(hint ? { hint } : {}) } });
}
