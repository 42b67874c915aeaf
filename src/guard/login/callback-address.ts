import { isPlatformAddress } from "../../browser/addresses.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { PathDomain } from "../../web/login-paths.ts";

/** The domain in the address of a guard callback of this platform; null: it has none. */
export interface CallbackAddress {
  readonly domain: PathDomain;
}

/**
 * Reads an address as a guard callback of this platform (interface 4.1), for any domain; null: it is not one.
 * @param platform address of the platform
 * @param domain of the organization
 */
export function callbackAddress(url: URL, platform: string, domain: PathDomain): CallbackAddress | null {
  const inPath = /^(?:\/([^/]+))?\/guard\/callback$/.exec(url.pathname);
  if (inPath === null || !isPlatformAddress(platform, url)) return null;
  const named = inPath[1] ?? null;
  return named === null && domain !== null ? null : { domain: named };
}

/** The test whether an address is such a callback, for one platform. */
export function isCallbackOf({ baseUrl, config }: Pick<SimulatorContext, "baseUrl" | "config">): (url: URL) => boolean {
  return (url) => callbackAddress(url, baseUrl(), config.organization.domain) !== null;
}
