import type { FastifyInstance, FastifyRequest } from "fastify";
import { publicNames } from "../config/platform-address.ts";
import { BASE_HEADERS } from "../platform/base-headers.ts";

declare module "fastify" {
  interface FastifyInstance {
    readonly ownAddress: OwnAddress;
  }
}

/**
 * Marks a page that was redirected to the public address, so that a proxy that rewrites the Host header causes no
 * redirect loop.
 */
const LED_HERE = "from=app-sim";
const ledHere = new RegExp(`[?&]${LED_HERE}$`);

/** A URL without the mark that {@link leadToOneOrigin} added. */
export function unmarked(url: string): string {
  return url.replace(ledHere, "");
}

/** The addresses of a server: where it listens, and where apps and browsers reach it. */
export class OwnAddress {
  /** Where the server listens, without a trailing slash; empty until it does. */
  local = "";
  readonly #publicUrl: URL | null;
  /** The organization's own host below the public one (interface 4.1); null if there is none. */
  readonly organizationHost: string | null;

  /**
   * @param publicUrl null: it is reached where it listens
   * @param domain of the organization; null if it has none
   */
  constructor(publicUrl: string | null, domain: string | null) {
    this.#publicUrl = publicUrl === null ? null : new URL(publicUrl);
    this.organizationHost = publicUrl === null ? null : publicNames(publicUrl, domain).organizationHost;
  }

  /** The one address that apps and browsers use, without a trailing slash. */
  get url(): string {
    return this.#publicUrl?.origin ?? this.local;
  }

  /** The hosts that it answers to, for messages. */
  get hosts(): string[] {
    const { port } = new URL(this.local);
    const withPort = (name: string) => (port === "" ? name : `${name}:${port}`);
    return [...this.#publicHosts(), ...["127.0.0.1", "localhost", "NAME.localhost"].map(withPort)];
  }

  /** Whether a Host header is one of them. They are compared as text, so nothing can fail to parse (hardening S3). */
  isHost(host: string): boolean {
    return this.#isLocal(host) || this.#isPublic(host);
  }

  /** Whether a page of this origin is one of ours, given the request's Host header (hardening S4). */
  isOrigin(origin: string, host: string): boolean {
    const [{ protocol }, publicUrl] = [new URL(this.local), this.#publicUrl];
    if (this.#isLocal(host) && origin === `${protocol}//${host}`) return true;
    if (publicUrl === null) return false;
    if (this.#isPublic(host)) return origin === `${publicUrl.protocol}//${host.toLowerCase()}`;
    // A proxy may have changed the Host header, but not Origin.
    return origin === publicUrl.origin;
  }

  #isLocal(host: string): boolean {
    const { port, protocol } = new URL(this.local);
    const [name, given = standardPort(protocol), ...rest] = host.toLowerCase().split(":");
    if (name === undefined || rest.length > 0 || given !== (port || standardPort(protocol))) return false;
    return name === "127.0.0.1" || name === "localhost" || /^[a-z0-9-]+(\.[a-z0-9-]+)*\.localhost$/.test(name);
  }

  #isPublic(host: string): boolean {
    if (this.#publicUrl === null) return false;
    const { port, protocol } = this.#publicUrl;
    const given = host.toLowerCase();
    const isStandard = port === "" && given.endsWith(`:${standardPort(protocol)}`);
    return this.#publicHosts().includes(isStandard ? given.replace(/:\d+$/, "") : given);
  }

  /** The public host, and the organization's own host below it (interface 4.1), with the port if there is one. */
  #publicHosts(): string[] {
    if (this.#publicUrl === null) return [];
    const { host, port } = this.#publicUrl;
    if (this.organizationHost === null) return [host];
    return [host, port === "" ? this.organizationHost : `${this.organizationHost}:${port}`];
  }
}

function standardPort(protocol: string): string {
  return protocol === "https:" ? "443" : "80";
}

/**
 * Whether a request was made by a page of this server, or by no page (hardening S4, S5). Our own forms send the Origin
 * `null`, because our pages send no referrer; our own scripts never do.
 */
export function isOwnRequest({ headers, server }: FastifyRequest, isForm: boolean): boolean {
  const { origin, host = "", "sec-fetch-site": site } = headers;
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  if (origin === undefined || (isForm && origin === "null")) return true;
  return server.ownAddress.isOrigin(origin, host);
}

/**
 * Redirects pages that are opened under another name of this server, such as localhost, to its one address: apps know
 * that address, and accept messages in a frame only from there.
 */
export function leadToOneOrigin(scope: FastifyInstance): void {
  scope.addHook("onRequest", async ({ method, headers, url, originalUrl }, reply) => {
    const { url: own, local } = scope.ownAddress;
    const { origin, host } = new URL(own);
    if (headers.host?.toLowerCase() === host || (method !== "GET" && method !== "HEAD")) return;
    if (ledHere.test(originalUrl)) return;
    const mark = own === local ? "" : `${url.includes("?") ? "&" : "?"}${LED_HERE}`;
    return reply.redirect(`${origin}${url}${mark}`, 302);
  });
}

/**
 * Refuses, before any route, a request whose Host header is not this server's own address: otherwise a page of another
 * site could reach it by DNS rebinding (hardening S2).
 * @param onRefused gets the Host; null if there was none, or more than one
 */
export function guardHost(server: FastifyInstance, onRefused: (host: string | null) => void): void {
  server.addHook("onRequest", async (request, reply) => {
    reply.headers(BASE_HEADERS);
    const { ownAddress } = server;
    const hosts = request.raw.headersDistinct.host ?? [];
    // A request line with a full address has its own host, which would take precedence (RFC 9112, 3.2.2).
    const isPath = request.url.startsWith("/");
    if (isPath && hosts.length === 1 && ownAddress.isHost(hosts[0] ?? "")) return;
    onRefused(isPath && hosts.length === 1 ? (hosts[0] ?? "") : null);
    const message = "this Host is not an address of app-sim";
    await reply.code(403).send({ error: { message, code: 403, hint: `allowed: ${ownAddress.hosts.join(", ")}` } });
  });
}
