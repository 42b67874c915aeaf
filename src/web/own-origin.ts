import type { FastifyInstance, FastifyRequest } from "fastify";

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
