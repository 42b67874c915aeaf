import type { SecureContextOptions, Server as TlsServer } from "node:tls";
import Fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
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
import { guardHost, OwnAddress, unmarked } from "./own-origin.ts";
import { pageFiles } from "./page-files.ts";
import type { Site } from "./routes.ts";
import { sendPage, wantsPage } from "./send-page.ts";
import { serveFiles } from "./static-files.ts";
import { reportTurnedAway } from "./turned-away.ts";

export interface PlatformServer {
  /** Where it listens, without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

// Loopback only: nothing here is meant for other machines (hardening S1).
const HOST = "127.0.0.1";

/** The certificate of a server. */
interface Tls {
  /** The file with the certificate that clients have to trust; null for the user's own. */
  readonly caFile: string | null;
  /** A certificate that stays valid for some days at least. */
  current(): Pick<SecureContextOptions, "key" | "cert">;
}

/** Much sooner than a certificate expires, and cheap. */
const RENEWED_AFTER_MS = 3_600_000;

interface ServerParts {
  /** 0: a free one. */
  readonly port: number;
  /** Speaks TLS; null: plain HTTP. */
  readonly tls?: Tls | null;
  /** Where apps and browsers reach it, if not where it listens. */
  readonly publicUrl?: string | null;
  /** Runs, once for each kind, when clients are turned away because of their Host header or cannot connect. */
  readonly onTurnedAway?: ((message: string) => void) | undefined;
  /** The organization's domain. */
  readonly domain: PathDomain;
  /** Adds the routes of the capabilities. */
  readonly addRoutes: (server: FastifyInstance, site: Site) => void;
  /** Runs when a route hits a bug of app-sim. */
  readonly onBug: OnBug;
  /** Where refused requests of other sites are counted. */
  readonly record: Pick<SimulatorContext, "journal" | "ids" | "clock">;
  /** Creates the page at the server's root address; default: what the platform serves. */
  readonly home?: ((address: string) => Page) | undefined;
}

/**
 * Serves the platform's own addresses.
 * @throws UsageError if the port is taken; it never moves to another one silently, because apps are configured with
 * addresses that contain it
 */
export async function startServer(parts: ServerParts): Promise<PlatformServer> {
  const { port, tls = null, publicUrl = null, onTurnedAway = () => {}, domain, addRoutes, onBug, record, home } = parts;
  const server = createFastify(tls, publicUrl);
  const address = new OwnAddress(publicUrl, domain);
  server.decorate("ownAddress", address);
  const turnedAway = reportTurnedAway(address, tls?.caFile ?? null, onTurnedAway);
  turnedAway.watch(server.server);
  guardHost(server, turnedAway.wrongHost);
  const foreign = countForeignRequests(record);
  refuseForeign(server, foreign);
  server.addHook("onClose", async () => foreign.end());
  handleErrors(server, domain, onBug);
  // A form of another site can send this type without a preflight request (hardening S10).
  server.removeContentTypeParser("text/plain");
  homeRoutes(server, domain, home ?? ((address) => homePage(domain, address)));
  serveFiles(server, pageFiles);
  addRoutes(server, { tokens: createFormTokens(randomIds.secret()), onBug, foreign });
  try {
    address.local = new URL(await server.listen({ host: HOST, port })).origin;
    return { url: address.local, close: () => server.close() };
  } catch (error) {
    await server.close();
    throw listenError(error as NodeJS.ErrnoException, port);
  }
}

function createFastify(tls: Tls | null, publicUrl: string | null): FastifyInstance {
  const options: FastifyServerOptions = {
    bodyLimit: 1_048_576,
    requestTimeout: 30_000,
    forceCloseConnections: true,
    frameworkErrors: (error, request, reply) => void sendRefusal(request, reply, error),
    ...(publicUrl === null ? {} : { rewriteUrl: ({ url = "/" }) => unmarked(url) }),
  };
  if (tls === null) return Fastify(options);
  // Routes are the same for both: they see no more than an HTTP server.
  const server = Fastify({ ...options, https: tls.current() } as FastifyServerOptions) as FastifyInstance;
  const renewal = setInterval(
    () => (server.server as unknown as TlsServer).setSecureContext(tls.current()),
    RENEWED_AFTER_MS,
  );
  server.addHook("onClose", async () => clearInterval(renewal));
  return server;
}

function listenError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE") {
    const other = `--port ${port + 1}`;
    const hint = `end the other program, or choose another port, such as ${other}; app-sim env ${other} prints the matching settings for the app`;
    return new UsageError("port-taken", `port ${port} of ${HOST} is taken`, hint);
  }
  if (error.code !== "EACCES") return error;
  const summary = `this user may not listen on port ${port}`;
  return new UsageError("port-forbidden", summary, "choose a port from 1024 up with --port");
}

/** The page at the platform's root address, and the addresses that describe others. */
function homeRoutes(server: FastifyInstance, domain: PathDomain, home: (address: string) => Page): void {
  server.get("/", async (request, reply) => {
    reply.header("vary", "accept");
    if (wantsPage(request)) return sendPage(reply, 200, home(server.ownAddress.url));
    const metadata = "/.well-known/oauth-authorization-server";
    return { service: "app-sim", login: loginPath(domain), metadata, jwks: "/.well-known/jwks.json" };
  });
  refuseOtherMethods(server, "/", ["GET", "HEAD"]);
}
