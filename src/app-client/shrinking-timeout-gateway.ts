import type { AppCall, AppGateway } from "./ports.ts";

/** After how many calls without an answer an address counts as hanging. */
const TIMEOUTS_TO_HANG = 2;
/** The least time that a call to it gets, in milliseconds. */
const MIN_TIMEOUT_MS = 2_000;
/** A call may take this many times as long as its address's slowest answer. */
const SLOWEST_FACTOR = 3;

interface Seen {
  hangs: number;
  slowestMs: number;
}

/**
 * A gateway for many calls to an app with addresses that may leave some or all requests unanswered: after two timeouts,
 * an address gets a shorter time limit, though always more than it has ever needed for an answer.
 */
export function shrinkingTimeoutGateway(gateway: AppGateway): AppGateway {
  const addresses = new Map<string, Seen>();
  return {
    async call(call) {
      const seen = entryOf(addresses, addressOf(call));
      const answer = await gateway.call({ ...call, timeoutMs: timeLimit(call, seen) });
      if (answer.ok) seen.slowestMs = Math.max(seen.slowestMs, answer.timings.totalMs);
      else if (answer.outcome.kind === "timed-out") seen.hangs += 1;
      return answer;
    },
  };
}

function timeLimit({ timeoutMs, pauses }: AppCall, { hangs, slowestMs }: Seen): number {
  // Deliberate pauses take time as well.
  if (hangs < TIMEOUTS_TO_HANG || pauses !== undefined) return timeoutMs;
  return Math.min(timeoutMs, Math.max(MIN_TIMEOUT_MS, Math.ceil((SLOWEST_FACTOR * slowestMs) / 1000) * 1000));
}

/** Without the query string: it is different in each request, as it has the token and state. */
function addressOf({ method, url }: AppCall): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin}${pathname}`;
}

function entryOf(addresses: Map<string, Seen>, address: string): Seen {
  const seen = addresses.get(address) ?? { hangs: 0, slowestMs: 0 };
  addresses.set(address, seen);
  return seen;
}
