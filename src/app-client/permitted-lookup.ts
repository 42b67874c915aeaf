import dns, { type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { FORBIDDEN_ADDRESS } from "./call-faults.ts";
import type { AppCall } from "./ports.ts";

type MayConnectTo = NonNullable<AppCall["mayConnectTo"]>;

/**
 * Creates a lookup that returns only the permitted addresses of a name. The connection itself uses it, so DNS rebinding
 * gains nothing (hardening S21).
 */
export function permittedLookup(mayConnectTo: MayConnectTo): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const permitted = addresses.filter(({ address }) => mayConnectTo(address) === null);
      const [first] = permitted;
      if (first === undefined) return callback(forbidden(hostname, addresses, mayConnectTo), "");
      if (options.all === true) callback(null, permitted);
      else callback(null, first.address, first.family);
    });
  };
}

/** The error for a URL whose host is a forbidden address; null for a name, which the lookup checks. */
export function forbiddenHost({ hostname }: URL, mayConnectTo: MayConnectTo): Error | null {
  const host = hostname.replace(/^\[|\]$/g, "");
  const why = isIP(host) === 0 ? null : mayConnectTo(host);
  return why === null ? null : forbiddenError(why);
}

/**
 * Why no connection to this URL may be made: all addresses of its host are refused; null if at least one is permitted,
 * or if the name does not resolve, which is a different failure.
 */
export async function forbiddenTarget(url: URL, mayConnectTo: MayConnectTo): Promise<Error | null> {
  const byAddress = forbiddenHost(url, mayConnectTo);
  if (byAddress !== null) return byAddress;
  return new Promise((resolve) => {
    permittedLookup(mayConnectTo)(url.hostname.replace(/^\[|\]$/g, ""), { all: true }, (error) => {
      resolve(error?.code === FORBIDDEN_ADDRESS ? error : null);
    });
  });
}

function forbidden(hostname: string, addresses: readonly LookupAddress[], mayConnectTo: MayConnectTo): Error {
  const [why = "no address"] = addresses.flatMap(({ address }) => mayConnectTo(address) ?? []);
  return forbiddenError(`${hostname}: ${why}`);
}

function forbiddenError(message: string): Error {
  return Object.assign(new Error(message), { code: FORBIDDEN_ADDRESS });
}
