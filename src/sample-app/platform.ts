import { demand } from "./request.ts";

/** Where the platform is. Users and secrets are sent there: the addresses come from this app's own settings alone. */
export interface Platform {
  /** {auth_url}: where users log in and come back to. Without a slash at its end. */
  readonly authUrl: string;
  /** {sdk_url}: where `host.js` is. Without a slash at its end. */
  readonly sdkUrl: string;
  /** {api_url}: where the REST API is; for an enterprise organization its own host. Without a slash at its end. */
  readonly apiUrl: string;
}

/** Throws a TypeError unless all are http(s) addresses, with nothing behind their path. */
export function platformAt({ authUrl, sdkUrl, apiUrl }: Platform): Platform {
  return {
    authUrl: readAddress("authUrl", authUrl),
    sdkUrl: readAddress("sdkUrl", sdkUrl),
    apiUrl: readAddress("apiUrl", apiUrl),
  };
}

function readAddress(name: string, address: string): string {
  if (!isUsable(address)) {
    throw new TypeError(`${name} must be an http(s) address such as https://platform.example, not ${address}`);
  }
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/\/+$/, "");
}

function isUsable(address: string): boolean {
  const url = parseUrl(address);
  if (url === null) return false;
  const { protocol, username, password, pathname, search, hash } = url;
  // A ";" or "," would begin something new where the address stands in a Content-Security-Policy.
  return /^https?:$/.test(protocol) && /^[\w./~-]+$/.test(pathname) && username + password + search + hash === "";
}

/** null for what is no address. */
export function parseUrl(address: string): URL | null {
  // URL.canParse of Node 20 refuses some good addresses, once it was called often.
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

export function originOf(address: string): string {
  return new URL(address).origin;
}

/**
 * The platform's guard callback, where a visit to the page of a `redirect` guard ends (interface 4.1, 4.2).
 * @param domain the organization's, a claim of the token. Refuses with 400 what is not one label of a domain name:
 *   anything else, such as "../..", could lead to another page of the platform.
 */
export function callbackUrl({ authUrl }: Platform, domain: unknown): string {
  demand(
    typeof domain === "string" && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(domain),
    "The token does not say which organization to go back to.",
  );
  return `${authUrl}/${domain}/guard/callback`;
}
