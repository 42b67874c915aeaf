import type { FastifyInstance, FastifyRequest } from "fastify";
import { BASE_HEADERS } from "../platform/base-headers.ts";

/**
 * Whether a request was made by a page of this server, or by no page (hardening S4, S5). Our own forms have the Origin
 * `null`, because our pages send no referrer; our own scripts never have.
 */
export function isOwnRequest({ headers }: FastifyRequest, isForm: boolean): boolean {
  const { origin, host, "sec-fetch-site": site } = headers;
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  if (origin === undefined || (isForm && origin === "null")) return true;
  return origin === `http://${host}`;
}

/**
 * Redirects pages that are opened under another name of this server, such as localhost, to its one address: apps know that
 * address, and accept messages in a frame only from there.
 */
export function leadToOneOrigin(scope: FastifyInstance): void {
  scope.addHook("onRequest", async ({ method, headers, url }, reply) => {
    const { origin, host } = new URL(scope.listeningOrigin);
    if (headers.host?.toLowerCase() === host || (method !== "GET" && method !== "HEAD")) return;
    return reply.redirect(origin + url, 302);
  });
}

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
