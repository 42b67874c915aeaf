import { acceptForms } from "../../web/forms.ts";
import { leadToOneOrigin } from "../../web/own-origin.ts";
import type { AddRoutes } from "../../web/routes.ts";
import { serveFiles } from "../../web/static-files.ts";
import type { GuardContext } from "../login/logins.ts";
import { guardFiles } from "../pages/script-files.ts";
import { callbackRoutes } from "./callback-routes.ts";
import { frameRoutes } from "./frame-routes.ts";
import { loginEvents } from "./login-events.ts";
import { type LoginParts, loginFormRoutes } from "./login-form-routes.ts";
import { loginRoutes } from "./login-routes.ts";

/** The pages of logins and the guard callback (interface 3.1, 4.1). */
export const guardRoutes: AddRoutes<GuardContext> = (server, { logins, underWay }, site) => {
  const parts: LoginParts = { logins, underWay, ...site };
  serveFiles(server, guardFiles);
  callbackRoutes(server, logins);
  server.register(async (scope) => {
    leadToOneOrigin(scope);
    acceptForms(scope);
    loginFormRoutes(scope, parts);
    loginRoutes(scope, parts);
    loginEvents(scope, parts);
  });
  server.register(async (scope) => frameRoutes(scope, parts));
};
