import Fastify, { type FastifyInstance } from "fastify";
import { randomIds } from "../app-client/ports.ts";
import { callbackRoutes } from "../guard/routes/callback-routes.ts";
import { frameRoutes } from "../guard/routes/frame-routes.ts";
import { loginEvents } from "../guard/routes/login-events.ts";
import { type LoginParts, loginFormRoutes } from "../guard/routes/login-form-routes.ts";
import { loginRoutes } from "../guard/routes/login-routes.ts";
import { apiRoutes } from "../oauth/routes/api-routes.ts";
import { authorizeRoutes } from "../oauth/routes/authorize-routes.ts";
import { discoveryRoutes } from "../oauth/routes/discovery-routes.ts";
import { tokenRoutes } from "../oauth/routes/token-routes.ts";
import { previewRoutes } from "../post-import/preview-routes.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { controlRoutes, type SteeringAccess } from "../serve/control-routes.ts";
import { handleErrors, type OnBug, sendRefusal } from "./errors.ts";
import { fileRoutes } from "./file-routes.ts";
import { acceptForms, createFormTokens } from "./forms.ts";
import { homePage } from "./home-page.ts";
import { guardHost } from "./host-gate.ts";
import { hostedFileRoutes } from "./hosted-file-routes.ts";
import { refuseOtherMethods } from "./methods.ts";
import { leadToOneOrigin } from "./own-origin.ts";
import type { Platform } from "./platform.ts";
import { sendPage, wantsPage } from "./send-page.ts";

export interface PlatformServer {
  /** Without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

// Loopback only: nothing of this is meant for another machine (hardening S1).
const HOST = "127.0.0.1";

/**
 * Serves the platform's own addresses: the pages of the login, the guard callback, the script for pages in a frame,
 * the authorization server, the REST API, the public keys of its tokens, the files of jobs, and the app's previews.
 * @param port 0 takes a free one
 * @param onBug told of what went wrong in app-sim itself; default nobody
 * @param control for whoever turns the clock and asks for faults; without it, nobody can
 * @throws UsageError when the port is taken; it is never moved silently, apps are told addresses that contain it
 */
export async function startServer(
  simulator: Platform,
  port: number,
  onBug: OnBug = () => {},
  control?: SteeringAccess,
): Promise<PlatformServer> {
  const server = Fastify({
    bodyLimit: 1_048_576,
    requestTimeout: 30_000,
    forceCloseConnections: true,
    frameworkErrors: (error, request, reply) => void sendRefusal(request, reply, error),
  });
  guardHost(server);
  handleErrors(server, simulator.logins.domain, onBug);
  routes(server, simulator, onBug);
  if (control !== undefined) server.register(async (scope) => controlRoutes(scope, simulator, control));
  try {
    return { url: await server.listen({ host: HOST, port }), close: () => server.close() };
  } catch (error) {
    await server.close();
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
      throw new UsageError(
        "port-taken",
        `port ${port} of ${HOST} is taken`,
        `end the other program, or choose another port, such as --port ${port + 1}, and tell the app`,
      );
    }
    if ((error as NodeJS.ErrnoException).code === "EACCES") {
      throw new UsageError(
        "port-forbidden",
        `port ${port} may not be used by this user`,
        "choose a port from 1024 up with --port",
      );
    }
    throw error;
  }
}

function routes(server: FastifyInstance, platform: Platform, onBug: OnBug): void {
  const { config, files, logins, oauth, previews, underWay } = platform;
  // A form of another site can send this type without being asked (hardening S10).
  server.removeContentTypeParser("text/plain");
  server.get("/", async (request, reply) => {
    reply.header("vary", "accept");
    if (wantsPage(request)) return sendPage(reply, 200, homePage(logins.domain, server.listeningOrigin));
    const metadata = "/.well-known/oauth-authorization-server";
    return { service: "app-sim", login: `/${logins.domain}/login`, metadata, jwks: "/.well-known/jwks.json" };
  });
  refuseOtherMethods(server, "/", ["GET", "HEAD"]);
  discoveryRoutes(server, platform);
  fileRoutes(server);
  callbackRoutes(server, logins);
  const tokens = createFormTokens(randomIds.secret());
  server.register(async (scope) => authorizeRoutes(scope, { oauth, config, tokens }));
  server.register(async (scope) => tokenRoutes(scope, oauth));
  server.register(async (scope) => apiRoutes(scope, oauth));
  server.register(async (scope) => hostedFileRoutes(scope, files, onBug));
  server.register(async (scope) => previewRoutes(scope, previews));
  const parts: LoginParts = { logins, tokens, underWay, onBug };
  server.register(async (scope) => {
    leadToOneOrigin(scope);
    acceptForms(scope);
    loginFormRoutes(scope, parts);
    loginRoutes(scope, parts);
    loginEvents(scope, parts);
  });
  server.register(async (scope) => frameRoutes(scope, parts));
}
