import Fastify, { type FastifyInstance } from "fastify";
import { randomIds } from "../app-client/ports.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { handleErrors, type OnBug, sendRefusal } from "./errors.ts";
import { countForeignRequests, refuseForeign } from "./foreign-requests.ts";
import { createFormTokens } from "./forms.ts";
import { homePage } from "./home-page.ts";
import type { Page } from "./layout.ts";
import { loginPath, type PathDomain } from "./login-paths.ts";
import { refuseOtherMethods } from "./methods.ts";
import { guardHost } from "./own-origin.ts";
import { pageFiles } from "./page-files.ts";
import type { Site } from "./routes.ts";
import { sendPage, wantsPage } from "./send-page.ts";
import { serveFiles } from "./static-files.ts";

export interface PlatformServer {
  /** Without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

// Loopback only: nothing of this is meant for another machine (hardening S1).
const HOST = "127.0.0.1";

interface ServerParts {
  /** 0 takes a free one. */
  readonly port: number;
  /** Of the organization. */
  readonly domain: PathDomain;
  /** Adds the routes of the capabilities. */
  readonly addRoutes: (server: FastifyInstance, site: Site) => void;
  /** Runs when a route meets a bug of app-sim. */
  readonly onBug: OnBug;
  /** Where refused requests of other sites are counted. */
  readonly record: Pick<SimulatorContext, "journal" | "ids" | "clock">;
  /** Makes the page at the server's address; default: what the platform serves. */
  readonly home?: ((address: string) => Page) | undefined;
}

/**
 * Serves the platform's own addresses.
 * @throws UsageError when the port is taken; it is never moved silently, because apps are told addresses that contain it
 */
export async function startServer({
  port,
  domain,
  addRoutes,
  onBug,
  record,
  home,
}: ServerParts): Promise<PlatformServer> {
  const server = Fastify({
    bodyLimit: 1_048_576,
    requestTimeout: 30_000,
    forceCloseConnections: true,
    frameworkErrors: (error, request, reply) => void sendRefusal(request, reply, error),
  });
  guardHost(server);
  const foreign = countForeignRequests(record);
  refuseForeign(server, foreign);
  server.addHook("onClose", async () => foreign.end());
  handleErrors(server, domain, onBug);
  // A form of another site can send this type without being asked (hardening S10).
  server.removeContentTypeParser("text/plain");
  homeRoutes(server, domain, home ?? ((address) => homePage(domain, address)));
  serveFiles(server, pageFiles);
  addRoutes(server, { tokens: createFormTokens(randomIds.secret()), onBug, foreign });
  try {
    return { url: await server.listen({ host: HOST, port }), close: () => server.close() };
  } catch (error) {
    await server.close();
    throw listenError(error as NodeJS.ErrnoException, port);
  }
}

function listenError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE") {
    const hint = `end the other program, or choose another port, such as --port ${port + 1}, and tell the app`;
    return new UsageError("port-taken", `port ${port} of ${HOST} is taken`, hint);
  }
  if (error.code !== "EACCES") return error;
  const summary = `port ${port} may not be used by this user`;
  return new UsageError("port-forbidden", summary, "choose a port from 1024 up with --port");
}

/** The page at the platform's address, and what says where things are. */
function homeRoutes(server: FastifyInstance, domain: PathDomain, home: (address: string) => Page): void {
  server.get("/", async (request, reply) => {
    reply.header("vary", "accept");
    if (wantsPage(request)) return sendPage(reply, 200, home(server.listeningOrigin));
    const metadata = "/.well-known/oauth-authorization-server";
    return { service: "app-sim", login: loginPath(domain), metadata, jwks: "/.well-known/jwks.json" };
  });
  refuseOtherMethods(server, "/", ["GET", "HEAD"]);
}
