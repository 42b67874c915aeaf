import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { oneLoginPath } from "../../web/login-paths.ts";
import { refuseOtherMethods } from "../../web/methods.ts";
import { isOwnRequest } from "../../web/own-origin.ts";
import { sendMessage } from "../../web/send-page.ts";
import type { LoginParts } from "./login-form-routes.ts";
import { findLogin } from "./login-routes.ts";

const state = z.string();
const reports = z.union([
  z.strictObject({ state, code: z.string().min(1) }),
  z.strictObject({ state, error: z.string().min(1) }),
  z.strictObject({ state, trouble: z.enum(["no-sdk", "no-report"]) }),
]);

/**
 * Receives, as JSON, what the app's page in a frame reported to the login's page (interface 3.1, 4.2). The state, which
 * only that page has, is good for one outcome.
 */
export function frameRoutes(scope: FastifyInstance, parts: LoginParts): void {
  const { logins, underWay } = parts;
  const path = `${oneLoginPath(logins.domain, ":id")}/frame`;

  scope.post(path, async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const refuse = (status: number, title: string, reason: string, hint: string | null) =>
      sendMessage(request, reply, status, { title, reason, hint });
    if (!isOwnRequest(request, false)) {
      return refuse(403, "This is not accepted", "it was sent by another site", null);
    }
    const login = findLogin(request, reply, parts);
    if (login === null) return reply;
    const report = reports.safeParse(request.body);
    if (!report.success) {
      const hint = "{ state, code } or { state, error }, each a string that is not empty";
      return refuse(400, "This is not the outcome of a frame", "it has another shape", hint);
    }
    const { state, ...outcome } = report.data;
    const isWaitedFor =
      "trouble" in outcome
        ? await underWay.add(logins.frameSilent(login, state, outcome.trouble))
        : logins.frameReturned(login, state, outcome);
    if (isWaitedFor) return reply.code(204).send();
    return refuse(409, "This is not waited for", "the login has gone on, or waits for another page", null);
  });

  refuseOtherMethods(scope, path, ["POST"]);
}
