import Fastify, { type FastifyInstance } from "fastify";
import { UsageError } from "../protocol/usage-error.ts";
import type { Simulator } from "../simulator/simulator.ts";
import { guardHost } from "./host-gate.ts";

export interface PlatformServer {
  /** Without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

// Loopback only: nothing of this is meant for another machine (hardening S1).
const HOST = "127.0.0.1";

/**
 * Serves the platform's own addresses: for now the public keys of its tokens.
 * @param port 0 takes a free one
 * @throws UsageError when the port is taken; it is never moved silently, apps are told addresses that contain it
 */
export async function startServer(simulator: Pick<Simulator, "jwks">, port: number): Promise<PlatformServer> {
  const server = Fastify({ bodyLimit: 1_048_576, requestTimeout: 30_000, forceCloseConnections: true });
  guardHost(server);
  routes(server, simulator);
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

function routes(server: FastifyInstance, simulator: Pick<Simulator, "jwks">): void {
  server.get("/", async () => ({ service: "app-sim", jwks: "/.well-known/jwks.json" }));
  server.get("/.well-known/jwks.json", async () => simulator.jwks());
  server.setNotFoundHandler(async (request, reply) => {
    reply.code(404);
    return { error: { message: `this platform serves nothing at ${request.method} ${request.url}`, code: 404 } };
  });
}
