import dns, { type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { FORBIDDEN_ADDRESS } from "./call-faults.ts";
import type { AppCall } from "./ports.ts";

type MayConnectTo = NonNullable<AppCall["mayConnectTo"]>;

/**
 * A lookup that gives a connection only those addresses of a name that it may be made to. It stands in the connection
 * itself, so that a name that meant another address a moment ago gains nothing (hardening S21, DNS rebinding).
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

/** What keeps a URL from being called whose host is an address; null for a name, which the lookup judges. */
export function forbiddenHost({ hostname }: URL, mayConnectTo: MayConnectTo): Error | null {
  const host = hostname.replace(/^\[|\]$/g, "");
  const why = isIP(host) === 0 ? null : mayConnectTo(host);
  return why === null ? null : forbiddenError(why);
}

function forbidden(hostname: string, addresses: readonly LookupAddress[], mayConnectTo: MayConnectTo): Error {
  const [why = "no address"] = addresses.flatMap(({ address }) => mayConnectTo(address) ?? []);
  return forbiddenError(`${hostname}: ${why}`);
}

function forbiddenError(message: string): Error {
  return Object.assign(new Error(message), { code: FORBIDDEN_ADDRESS });
}
