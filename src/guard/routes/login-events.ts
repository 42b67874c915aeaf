import type { FastifyInstance, FastifyRequest } from "fastify";
import { BASE_HEADERS } from "../../platform/base-headers.ts";
import { oneLoginPath } from "../../web/login-paths.ts";
import { refuseOtherMethods } from "../../web/methods.ts";
import { liveState } from "../pages/live.ts";
import { viewWithoutSecrets } from "../pages/view-without-secrets.ts";
import type { LoginParts } from "./login-form-routes.ts";
import { findLogin } from "./login-routes.ts";

/**
 * The stream of events that keeps the open pages of a login in step with it and with the terminal: one at once, then
 * one after every change that a page shows. It ends with the login; 204 then keeps a browser from asking again.
 */
export function loginEvents(scope: FastifyInstance, parts: LoginParts): void {
  const path = `${oneLoginPath(parts.logins.domain, ":id")}/events`;

  scope.get(path, { exposeHeadRoute: false }, (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const login = findLogin(request, reply, parts);
    if (login === null) return reply;
    if (login.view().result !== null) return reply.code(204).send();
    reply.hijack();
    const { raw } = reply;
    raw.setHeaders(new Headers({ ...BASE_HEADERS, "content-type": "text/event-stream" }));
    let sent = "";
    const send = () => {
      const view = viewWithoutSecrets(login.view(), parts.logins.withoutSecrets(login));
      const data = JSON.stringify(liveState(view));
      if (data !== sent) raw.write(`data: ${data}\n\n`);
      sent = data;
      if (view.result !== null) raw.end();
    };
    raw.once("close", login.subscribe(send));
    send();
    return reply;
  });

  refuseOtherMethods(scope, path, ["GET"]);
}
