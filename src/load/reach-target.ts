import { connect } from "node:net";
import { outcomeOfError } from "../app-client/call-faults.ts";
import { permittedLookup } from "../app-client/permitted-lookup.ts";
import type { AppCall } from "../app-client/ports.ts";
import type { FailedOutcome } from "../journal/exchange.ts";

/**
 * What keeps a TCP connection to this place from being made now, or null: where nobody is, each of many deliveries would
 * take its time to find that out.
 * @param timeoutMs how long to try
 */
export function reachTarget(
  origin: URL,
  timeoutMs: number,
  mayConnectTo: NonNullable<AppCall["mayConnectTo"]>,
  signal: AbortSignal | undefined,
): Promise<FailedOutcome | null> {
  const { hostname, port, protocol } = origin;
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || (protocol === "https:" ? 443 : 80)),
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
