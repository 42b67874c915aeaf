import { isPlatformAddress } from "../../browser/addresses.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { PathDomain } from "../../web/login-paths.ts";

/** Which domain's guard callback an address is, at this platform; null: that of no domain. */
export interface CallbackAddress {
  readonly domain: PathDomain;
}

/**
 * The guard callback of this platform that an address is (interface 4.1), whatever domain it names; null: it is none.
 * @param platform address of the platform
 * @param domain of the organization
 */
export function callbackAddress(url: URL, platform: string, domain: PathDomain): CallbackAddress | null {
  const inPath = /^(?:\/([^/]+))?\/guard\/callback$/.exec(url.pathname);
  if (inPath === null || !isPlatformAddress(platform, url)) return null;
  const named = inPath[1] ?? null;
  return named === null && domain !== null ? null : { domain: named };
}

/** Whether an address is such a callback, for one platform. */
export function isCallbackOf({ baseUrl, config }: Pick<SimulatorContext, "baseUrl" | "config">): (url: URL) => boolean {
  return (url) => callbackAddress(url, baseUrl(), config.organization.domain) !== null;
}
