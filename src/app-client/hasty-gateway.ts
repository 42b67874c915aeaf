import type { AppCall, AppGateway } from "./ports.ts";

/** How many calls without an answer make an address one that hangs. */
const HANGS = 2;
/** The least time that a call to it gets, in milliseconds. */
const LEAST_MS = 2_000;
/** How many times as long as its slowest answer a call may take. */
const TIMES_SLOWEST = 3;

interface Seen {
  hangs: number;
  slowestMs: number;
}

/**
 * The gateway for many calls to an app some of whose addresses may never answer, or not every request: an address where
 * calls ran out of time twice gets less of it, though always more than it has ever needed for an answer.
 */
export function hastyGateway(gateway: AppGateway): AppGateway {
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
  // What is waited for on the way takes its time, too.
  if (hangs < HANGS || pauses !== undefined) return timeoutMs;
  return Math.min(timeoutMs, Math.max(LEAST_MS, Math.ceil((TIMES_SLOWEST * slowestMs) / 1000) * 1000));
}

/** The query is of one request only: it has its token and state. */
function addressOf({ method, url }: AppCall): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin}${pathname}`;
}

function entryOf(addresses: Map<string, Seen>, address: string): Seen {
  const seen = addresses.get(address) ?? { hangs: 0, slowestMs: 0 };
  addresses.set(address, seen);
  return seen;
}
