import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import Fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import { randomIds } from "../app-client/ports.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { handleErrors, type OnBug, sendRefusal } from "./errors.ts";
import { countForeignRequests, type ForeignRequests, refuseForeign } from "./foreign-requests.ts";
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
  /** Runs when a route hits a bug in app-sim. */
  readonly onBug: OnBug;
  /** Where refused requests of other sites are counted. */
  readonly record: Pick<SimulatorContext, "journal" | "ids" | "clock">;
  /** Creates the page at the server's root address; default: what the platform serves. */
  readonly home?: ((address: string) => Page) | undefined;
}

/** How long a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 30_000;

/** How long a connection without requests stays open. */
const KEEP_ALIVE_MS = 72_000;

/**
 * Serves the platform's own addresses.
 * @throws UsageError if the port is taken; it never moves to another one silently, because apps are configured with
 * addresses that contain it
 */
export async function startServer(parts: ServerParts): Promise<PlatformServer> {
  requireCodeGeneration();
  const { port, tls = null, publicUrl = null, domain, record } = parts;
  const address = new OwnAddress(publicUrl, domain);
  const turnedAway = reportTurnedAway(address, tls?.caFile ?? null, parts.onTurnedAway ?? (() => {}));
  const foreign = countForeignRequests(record);
  const { server, closeServer } = createListener(tls);
  turnedAway.watch(server);
  const routes = buildWhenRequested(server, () =>
    createRoutes(server, parts, { address, foreign, onWrongHost: turnedAway.wrongHost }),
  );
  try {
    await once(server.listen({ host: HOST, port }), "listening");
  } catch (error) {
    await closeServer();
    throw listenError(error as NodeJS.ErrnoException, port);
  }
  const local = `${tls === null ? "http" : "https"}://${HOST}:${(server.address() as AddressInfo).port}`;
  address.local = new URL(local).origin;
  const close = async () => {
    await closeServer();
    await routes.close();
    foreign.end();
  };
  return { url: address.local, close };
}

/**
 * Fastify generates code for its routes: where Node must not, the start fails, and not the first request (R41).
 * @throws EvalError
 */
function requireCodeGeneration(): void {
  new Function("");
}

/** The server without its routes; closing it ends all connections. */
function createListener(tls: Tls | null): { server: Server; closeServer: () => Promise<void> } {
  const options = { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const secure = tls === null ? null : createTlsServer({ ...options, ...tls.current() });
  const server = secure ?? createServer(options);
  const renewal = tls && setInterval(() => secure?.setSecureContext(tls.current()), RENEWED_AFTER_MS);
  const closeServer = async () => {
    if (renewal !== null) clearInterval(renewal);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return { server, closeServer };
}

/**
 * Builds the routes when a client first sends something: that takes longer than everything else at the start, and many
 * platforms of tests get no request. What arrives meanwhile waits for them.
 */
function buildWhenRequested(server: Server, build: () => Promise<FastifyInstance>) {
  let routes: Promise<FastifyInstance> | null = null;
  const holders = ["request", "clientError"].map((event) => {
    const hold = async (...given: [unknown, ServerResponse | Duplex]) => {
      routes ??= build().finally(() => {
        for (const held of holders) server.off(held.event, held.hold);
      });
      await routes;
      // Unless the client left.
      if (!given[1].destroyed) server.emit(event, ...given);
    };
    server.on(event, hold);
    return { event, hold };
  });
  return { close: async () => (await routes)?.close() };
}

interface RouteParts {
  readonly address: OwnAddress;
  readonly foreign: ForeignRequests;
  readonly onWrongHost: (host: string | null) => void;
}

/** Adds all routes to a server. */
async function createRoutes(
  listener: Server,
  { publicUrl = null, domain, addRoutes, onBug, home = (address) => homePage(domain, address) }: ServerParts,
  { address, foreign, onWrongHost }: RouteParts,
): Promise<FastifyInstance> {
  const server = createFastify(listener, publicUrl);
  server.decorate("ownAddress", address);
  guardHost(server, onWrongHost);
  refuseForeign(server, foreign);
  handleErrors(server, domain, onBug);
  // A form of another site can send this type without a preflight request (hardening S10).
  server.removeContentTypeParser("text/plain");
  homeRoutes(server, domain, home);
  serveFiles(server, pageFiles);
  addRoutes(server, { tokens: createFormTokens(randomIds.secret()), onBug, foreign });
  await server.ready();
  return server;
}

function createFastify(listener: Server, publicUrl: string | null): FastifyInstance {
  const options: FastifyServerOptions = {
    serverFactory: (answer) => listener.on("request", answer),
    bodyLimit: 1_048_576,
    frameworkErrors: (error, request, reply) => void sendRefusal(request, reply, error),
    ...(publicUrl === null ? {} : { rewriteUrl: ({ url = "/" }) => unmarked(url) }),
  };
  return Fastify(options);
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
