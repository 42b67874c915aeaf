import { isHttpUrl, isSamePlace } from "../protocol/url.ts";
import type { Problem } from "../protocol/usage-error.ts";
import { neverCalled } from "./answer-url.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Absolute addresses in a manifest outside of these origins. Each call carries a valid token, signature or secret of
 * the app: a manifest must not direct it elsewhere, and never to where clouds keep credentials (hardening S21).
 */
export function foreignAddresses({ events }: Json, modules: Json, origins: readonly string[]): Problem[] {
  return [...addressesOf(modules), ...addressesIn(events, "events")].flatMap(({ path, url }) => {
    const address = isHttpUrl(url) ? new URL(url) : null;
    if (address === null) return [];
    const never = neverCalled(address.hostname.replace(/^\[|\]$/g, ""));
    if (never !== null) return [{ path, message: `is an address that app-sim never calls: ${never}` }];
    if (origins.some((origin) => isSamePlace(address, new URL(origin)))) return [];
    const message = `leads to ${address.origin}, which is not the app's: a call would send the app's secrets there. Make it relative to app_base_url, or allow it with --allow-origin ${address.origin}`;
    return [{ path, message }];
  });
}

function addressesOf(modules: Json) {
  return Object.entries(modules).flatMap(([type, entries]) =>
    (Array.isArray(entries) ? entries : []).flatMap((entry: Json | null, index) => {
      const path = `modules.${type}[${index}]`;
      return [
        ...addressesIn({ url: entry?.url }, path),
        ...addressesIn({ url: (entry?.options as Json | null | undefined)?.url }, `${path}.options`),
      ];
    }),
  );
}

function addressesIn(object: unknown, path: string): { readonly path: string; readonly url: string }[] {
  if (typeof object !== "object" || object === null) return [];
  return Object.entries(object).flatMap(([name, url]) =>
    typeof url === "string" ? [{ path: `${path}.${name}`, url }] : [],
  );
}
