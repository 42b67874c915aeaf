import type { FastifyInstance } from "fastify";
import { BASE_HEADERS } from "../platform/base-headers.ts";

/**
 * Refuses, before any route, a request whose Host is not this server's own address: otherwise a page of another site
 * could reach it by DNS rebinding (hardening S2, S3). Hosts are compared as text, so that nothing can fail to parse.
 */
export function guardHost(server: FastifyInstance): void {
  server.addHook("onRequest", async (request, reply) => {
    reply.headers(BASE_HEADERS);
    const { localPort } = request.raw.socket;
    const hosts = request.raw.headersDistinct.host ?? [];
    // A full address in the request line has its own host, which would count instead (RFC 9112, 3.2.2).
    const isPath = request.url.startsWith("/");
    if (isPath && hosts.length === 1 && isOwnHost(hosts[0] ?? "", localPort ?? 0)) return;
    const message = "this Host is not an address of app-sim";
    const hint = ["127.0.0.1", "localhost", "NAME.localhost"].map((name) => `${name}:${localPort}`).join(", ");
    await reply.code(403).send({ error: { message, code: 403, hint: `allowed: ${hint}` } });
  });
}

function isOwnHost(host: string, port: number): boolean {
  const [name, portText, ...rest] = host.toLowerCase().split(":");
  if (name === undefined || rest.length > 0 || portText !== String(port)) return false;
  return name === "127.0.0.1" || name === "localhost" || /^[a-z0-9-]+(\.[a-z0-9-]+)*\.localhost$/.test(name);
}
