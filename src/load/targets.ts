import { connect } from "node:net";
import { outcomeOfError } from "../app-client/call-faults.ts";
import { forbiddenTarget, permittedLookup } from "../app-client/permitted-lookup.ts";
import type { AppCall } from "../app-client/ports.ts";
import { portOf } from "../config/platform-address.ts";
import type { FailedOutcome } from "../journal/exchange.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** Why no connection may be made to an IP address; null if it may. */
export type MayConnectTo = NonNullable<AppCall["mayConnectTo"]>;

/**
 * Refuses targets that must not be loaded, before anything is sent. Names are resolved; each connection checks them
 * again. A name that does not resolve is not refused here.
 * @throws UsageError for a target without any address that may be loaded
 */
export async function checkTargets(origins: readonly URL[], mayConnectTo: MayConnectTo): Promise<void> {
  for (const origin of origins) {
    const fault = await forbiddenTarget(origin, mayConnectTo);
    if (fault === null) continue;
    throw new UsageError(
      "load-target",
      `${origin.origin} must not be loaded: ${fault.message}`,
      "load is for this machine and private networks; add --allow-public for a public address that you may load",
    );
  }
}

/**
 * Why no TCP connection to this target can be made now, or null. Without this check each of many deliveries would take
 * its time to find that out.
 */
export function reachTarget(
  origin: URL,
  timeoutMs: number,
  mayConnectTo: MayConnectTo,
  signal: AbortSignal | undefined,
): Promise<FailedOutcome | null> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostOf(origin),
      port: portOf(origin.href),
      lookup: permittedLookup(mayConnectTo),
      timeout: timeoutMs,
      signal,
    });
    const end = (outcome: FailedOutcome | null) => {
      socket.destroy();
      resolve(outcome);
    };
    socket.once("connect", () => end(null));
    socket.once("timeout", () => end({ kind: "timed-out", phase: "connect", limitMs: timeoutMs }));
    socket.once("error", (error) => {
      if (signal?.aborted === true) end({ kind: "interrupted" });
      else outcomeOfError(error, "connect", origin).then(end, reject);
    });
  });
}

/** A URL has an IPv6 address in brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
