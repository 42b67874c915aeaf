import type { LoadResult } from "./load-result.ts";

/** How a load was sent, beside its figures. */
export interface SendingEffort {
  /** Connections that were busy at a time, at most. */
  readonly busyConnections: number;
  /** Most that there might be, to all origins together. */
  readonly connections: number;
  /** How much of the time this process was at work, from 0 to 1. */
  readonly utilization: number;
}

/** What it means that an open loop did not send as many deliveries a second as it was to. */
export interface RateShortfall {
  readonly isFailure: boolean;
  readonly reason: string;
  readonly hint: string;
}

/** Less than such a share of the rate, and so late at its end: a shorter lag is a pause of the machine. */
const FAILURE = { share: 0.95, lagSeconds: 0.25 };
const WARNING = { share: 0.99, lagSeconds: 0.05 };
/** A process that is at work all the time cannot send faster, however quick the app is. */
const BUSY_UTILIZATION = 0.9;

/**
 * Judges the rate at which an open loop sent: what is more than 5 % short is no test at the rate that was asked for.
 * null in a closed loop, and where the rate held.
 */
export function judgeRate(
  { asked, rate, sent, notSent }: Pick<LoadResult, "asked" | "rate" | "sent" | "notSent">,
  effort: SendingEffort,
): RateShortfall | null {
  if (asked.rate === null) return null;
  // Deliveries that were never sent are not made up for by a pause.
  const lag = rate === 0 ? Number.POSITIVE_INFINITY : sent / rate - sent / asked.rate;
  const share = rate / asked.rate;
  const isBeyond = (limit: typeof FAILURE) => share < limit.share && (notSent > 0 || lag > limit.lagSeconds);
  if (!isBeyond(WARNING)) return null;
  const reason = `${perSecond(rate)} deliveries a second were sent of ${perSecond(asked.rate)} asked for`;
  return { isFailure: isBeyond(FAILURE), ...explain(reason, effort) };
}

function explain(reason: string, { busyConnections, connections, utilization }: SendingEffort) {
  if (utilization >= BUSY_UTILIZATION || busyConnections < connections) {
    return {
      reason: `${reason}: app-sim could not send faster on this machine`,
      hint: "ask for a lower --rate, or send from several machines (--export artillery)",
    };
  }
  const all =
    connections === 1 ? "the only connection was" : `all ${connections.toLocaleString("en-US")} connections were`;
  return {
    reason: `${reason}: ${all} busy`,
    hint: "the app is too slow for this rate, or needs more connections at a time (--connections N)",
  };
}

function perSecond(rate: number): string {
  return rate.toLocaleString("en-US", { maximumFractionDigits: rate >= 100 ? 0 : 1 });
}
