import type { FastifyInstance, FastifyRequest } from "fastify";

/**
 * Whether a request was made by a page of this server, or by no page (hardening S4, S5). A form of ours has the
 * Origin `null`, because our pages send no referrer; a script of ours never has.
 */
export function isOwnRequest({ headers }: FastifyRequest, isForm: boolean): boolean {
  const { origin, host, "sec-fetch-site": site } = headers;
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  if (origin === undefined || (isForm && origin === "null")) return true;
  return origin === `http://${host}`;
}

/**
 * Leads whoever opens a page under another name of this server, such as localhost, to its address: apps are told that
 * one, and only from there the script in a frame is heard.
 */
export function leadToOneOrigin(scope: FastifyInstance): void {
  scope.addHook("onRequest", async ({ method, headers, url }, reply) => {
    const { origin, host } = new URL(scope.listeningOrigin);
    if (headers.host?.toLowerCase() === host || (method !== "GET" && method !== "HEAD")) return;
    return reply.redirect(origin + url, 302);
  });
}
