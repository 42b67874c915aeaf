import { FORBIDDEN_ADDRESS } from "../app-client/call-faults.ts";
import { forbiddenHost, permittedLookup } from "../app-client/permitted-lookup.ts";
import type { AppCall } from "../app-client/ports.ts";
import { UsageError } from "../protocol/usage-error.ts";

/**
 * Holds the places that a load is for against what may be loaded (hardening S29), before anything is sent. Names are
 * resolved; what they mean later is looked at again by each connection. A name that means nothing is no fault here.
 * @throws UsageError for a place of which no address may be loaded
 */
export async function checkTargets(
  origins: readonly URL[],
  mayConnectTo: NonNullable<AppCall["mayConnectTo"]>,
): Promise<void> {
  for (const origin of origins) {
    const fault = forbiddenHost(origin, mayConnectTo) ?? (await forbiddenName(origin, mayConnectTo));
    if (fault === null) continue;
    throw new UsageError(
      "load-target",
      `${origin.origin} gets no load: ${fault.message}`,
      "load is for this machine and private networks; --allow-public for a public address that is yours to load",
    );
  }
}

function forbiddenName(
  { hostname }: URL,
  mayConnectTo: NonNullable<AppCall["mayConnectTo"]>,
): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    permittedLookup(mayConnectTo)(hostname.replace(/^\[|\]$/g, ""), { all: true }, (error) => {
      resolve(error?.code === FORBIDDEN_ADDRESS ? error : null);
    });
  });
}
