import { isIP } from "node:net";
import type { Config } from "./schema.ts";

/** Where the platform listens, without a trailing slash; the scheme's default port is omitted. */
export function listeningAddress({ port, tls }: Pick<Config, "port" | "tls">): string {
  return new URL(`${tls === false ? "http" : "https"}://127.0.0.1:${port}`).origin;
}

/** The port of an address. */
export function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port || (protocol === "https:" ? 443 : 80));
}

/** The platform's address as apps and browsers know it, without a trailing slash. */
export function platformAddress(config: Pick<Config, "port" | "tls" | "publicUrl">): string {
  return config.publicUrl ?? listeningAddress(config);
}

/** The host names under a public address. */
export interface PublicNames {
  /** Host name, or IP address without brackets. */
  readonly host: string;
  /**
   * The organization's own API host (interface 4.1): `{domain}.{host}`; null for an IP address, which cannot have one,
   * and for an organization without a domain.
   */
  readonly organizationHost: string | null;
}

/** The host names under a public address, for the organization with this domain; null if it has none. */
export function publicNames(publicUrl: string, domain: string | null): PublicNames {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
  return { host, organizationHost: domain !== null && isIP(host) === 0 ? `${domain}.${host}` : null };
}
