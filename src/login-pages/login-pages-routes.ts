import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { secretsOf } from "../config/secrets.ts";
import type { GuardContext } from "../guard/guard-context.ts";
import type { Logins } from "../guard/login/logins.ts";
import { callbackQuery } from "../guard/rules/callback.ts";
import { exchangeDetails, exchangeLines } from "../output/exchange-text.ts";
import { plainPaint } from "../output/paint.ts";
import { acceptForms } from "../web/forms.ts";
import { guardCallbackPath, loginPath, oneLoginPath } from "../web/login-paths.ts";
import { refuseOtherMethods } from "../web/methods.ts";
import { isOwnRequest, leadToOneOrigin } from "../web/own-origin.ts";
import type { AddRoutes } from "../web/routes.ts";
import { sendMessage } from "../web/send-page.ts";
import { serveFiles } from "../web/static-files.ts";
import { findLogin, type LoginRequest, type LoginRouteParts, loginFormRoutes, loginRoutes } from "./login-routes.ts";
import { guardFiles } from "./script-files.ts";

/** The pages of logins and the guard callback (interface 3.1, 4.1). */
export const guardRoutes: AddRoutes<GuardContext> = (server, { logins, underWay, journal, config }, site) => {
  const exchange = exchangeLines(journal, secretsOf(config), plainPaint, exchangeDetails);
  const parts: LoginRouteParts = { logins, underWay, exchange, ...site };
  serveFiles(server, guardFiles);
  for (const path of callbackPaths) callbackRoutes(server, logins, path);
  server.register(async (scope) => {
    leadToOneOrigin(scope);
    acceptForms(scope);
    loginFormRoutes(scope, parts);
    loginRoutes(scope, parts);
  });
  server.register(async (scope) => frameRoutes(scope, parts));
};

/** The callback paths of an organization with a domain, and of one without. */
const callbackPaths = [guardCallbackPath(":domain"), guardCallbackPath(null)];

/**
 * The guard callback (interface 4.1). An accepted one redirects to the page of the login, so that Reload and Back never
 * repeat it; a refused one changes nothing (hardening R35).
 */
function callbackRoutes(server: FastifyInstance, logins: Logins, path: string): void {
  server.get<{ Params: { domain?: string } }>(path, { exposeHeadRoute: false }, (request, reply) => {
    const link = { address: loginPath(logins.domain), text: "Start another login" };
    const title = "This callback was not accepted";
    const query = callbackQuery(/\?.*$/s.exec(request.url)?.[0] ?? "");
    if (query === null) {
      const reason = "The query of this address is not percent-encoded UTF-8.";
      return sendMessage(request, reply, 400, { title, reason, hint: "encode each value once (RFC 3986, 2.1)", link });
    }
    const outcome = logins.callback(request.params.domain ?? null, query);
    if (outcome.ok) {
      logins.audience.served(outcome.login);
      return reply.redirect(oneLoginPath(logins.domain, outcome.login.id), 303);
    }
    const { status, message, hint, login } = outcome;
    const back = { address: oneLoginPath(logins.domain, login ?? ""), text: "Show this login" };
    return sendMessage(request, reply, status, { title, reason: message, hint, link: login === null ? link : back });
  });
  refuseOtherMethods(server, path, ["GET"], (request, reply, refusal) => {
    const query = request.method === "POST" ? callbackQuery(/\?.*$/s.exec(request.url)?.[0] ?? "") : null;
    if (query === null) return sendMessage(request, reply, 405, refusal);
    const posted = logins.callbackPosted(query);
    return sendMessage(request, reply, 405, { ...refusal, ...posted });
  });
}

const state = z.string();
const frameReports = z.union([
  z.strictObject({ state, code: z.string().min(1) }),
  z.strictObject({ state, error: z.string().min(1) }),
  z.strictObject({ state, trouble: z.enum(["no-sdk", "no-report"]) }),
  z.strictObject({ state, trouble: z.literal("misuse"), problem: z.string().min(1).max(300) }),
]);

/**
 * Receives, as JSON, what the app's page in a frame reported to the login's page (interface 3.1, 4.2). The state, which
 * only that page has, is valid for one outcome.
 */
function frameRoutes(scope: FastifyInstance, { logins, underWay }: LoginRouteParts): void {
  const path = `${oneLoginPath(logins.domain, ":id")}/frame`;

  scope.post(path, async (request: LoginRequest, reply) => {
    const refuse = (status: number, title: string, reason: string, hint: string | null = null) =>
      sendMessage(request, reply, status, { title, reason, hint });
    if (!isOwnRequest(request, false)) return refuse(403, "This was not accepted", "it was sent by another site");
    const login = findLogin(request, reply, logins);
    if (login === null) return reply;
    const report = frameReports.safeParse(request.body);
    if (!report.success) {
      const hint = "{ state, code } or { state, error }, each a non-empty string";
      return refuse(400, "This is not the outcome of a frame", "it has another shape", hint);
    }
    const { state, ...outcome } = report.data;
    const isExpected =
      "trouble" in outcome
        ? await underWay.add(logins.frameTroubled(login, state, outcome))
        : logins.frameReturned(login, state, outcome);
    if (isExpected) return reply.code(204).send();
    return refuse(409, "No report is expected", "the login has moved on, or waits for another page");
  });

  refuseOtherMethods(scope, path, ["POST"]);
}
