import type { FastifyInstance } from "fastify";
import { loginPath, oneLoginPath } from "../../web/login-paths.ts";
import { refuseOtherMethods } from "../../web/methods.ts";
import { sendMessage } from "../../web/send-page.ts";
import type { Logins } from "../login/logins.ts";
import { callbackQuery } from "../rules/callback.ts";

const PATH = "/:domain/guard/callback";

/**
 * The guard callback (interface 4.1). What is accepted leads on to the page of the login, so that Reload and Back
 * never send it again; what is refused changes nothing (hardening R35).
 */
export function callbackRoutes(server: FastifyInstance, logins: Logins): void {
  server.get<{ Params: { domain: string } }>(PATH, { exposeHeadRoute: false }, (request, reply) => {
    const link = { address: loginPath(logins.domain), text: "Begin another login" };
    const title = "This callback is not accepted";
    const query = callbackQuery(/\?.*$/s.exec(request.url)?.[0] ?? "");
    if (query === null) {
      const reason = "The query of this address is not percent-encoded UTF-8.";
      return sendMessage(request, reply, 400, { title, reason, hint: "encode each value once (RFC 3986, 2.1)", link });
    }
    const arrival = logins.callback(request.params.domain, query);
    if (arrival.ok) {
      logins.audience.served(arrival.login);
      return reply.redirect(oneLoginPath(logins.domain, arrival.login.id), 303);
    }
    const { status, message, hint, login } = arrival;
    const back = { address: oneLoginPath(logins.domain, login ?? ""), text: "See how this login stands" };
    return sendMessage(request, reply, status, { title, reason: message, hint, link: login === null ? link : back });
  });
  refuseOtherMethods(server, PATH, ["GET"]);
}
