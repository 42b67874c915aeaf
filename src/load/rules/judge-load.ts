import { withCommas } from "../../protocol/with-commas.ts";
import type { LoadError, LoadExpectation, LoadResult, LoadVerdict } from "../load-result.ts";

/** What judging a load needs. */
export interface LoadFacts extends Pick<LoadResult, "sent" | "acknowledged" | "failed" | "notSent"> {
  readonly errors: readonly LoadError[];
  readonly expectations: readonly LoadExpectation[];
  /** Whether an expectation limits failures. */
  readonly allowsErrors: boolean;
  /** null: the rate held, or an expectation sets it. */
  readonly shortfall: RateShortfall | null;
  readonly isInterrupted: boolean;
}

/** One thing that is wrong with a load. */
type Fault = Pick<LoadResult, "hint" | "failure"> & { readonly reason: string };

/**
 * Whether a load met every expectation, kept the requested rate, and had every delivery acknowledged, or as many as
 * expected and at least one. The verdict names everything that is wrong.
 */
export function judgeLoad(facts: LoadFacts): LoadVerdict {
  const { expectations, shortfall, isInterrupted, errors } = facts;
  if (isInterrupted) return { outcome: "failed", reason: "interrupted", hint: null, failure: "interrupted" };
  const missed = expectations
    .filter(({ met }) => !met)
    .map(({ text, actual }) => other(`${text} was expected, but ${actualText(actual)}`));
  const tooSlow = shortfall?.isFailure === true ? [other(shortfall.reason, shortfall.hint)] : [];
  const faults = [...missed, ...notAcknowledged(facts), ...tooSlow];
  if (faults.length === 0) return { outcome: "ok", reason: null, hint: null, failure: null };
  return {
    outcome: "failed",
    reason: faults.map(({ reason }) => reason).join("; "),
    hint: faults.find(({ hint }) => hint !== null)?.hint ?? errors[0]?.hint ?? null,
    failure: faults.find(({ failure }) => failure !== "other")?.failure ?? "other",
  };
}

/** What an expectation met, in words. */
export function actualText(actual: string | null): string {
  return actual === null ? "nothing was answered" : `it was ${actual}`;
}

function notAcknowledged({ sent, acknowledged, failed, notSent, errors, allowsErrors }: LoadFacts): Fault[] {
  if (allowsErrors && acknowledged > 0) return [];
  const [mostFrequent] = errors;
  if (mostFrequent === undefined) return acknowledged === 0 ? [other("nothing was sent")] : [];
  const of = `${withCommas(failed + notSent)} of ${withCommas(sent + notSent)} deliveries`;
  const which = errors.length === 1 ? "" : "most of them: ";
  const what = failed === 0 ? "never sent" : "not acknowledged";
  const never = failed === 0 || notSent === 0 ? "" : ` (${withCommas(notSent)} were never sent)`;
  const { reason, hint, failure } = mostFrequent;
  return [{ reason: `${of} were ${what}${never}; ${which}${reason}`, hint, failure }];
}

function other(reason: string, hint: string | null = null): Fault {
  return { reason, hint, failure: "other" };
}

/** The resources of a load for keeping its rate. */
export interface SendingEffort {
  /** Maximum number of simultaneously busy connections. */
  readonly busyConnections: number;
  /** Maximum number allowed, to all origins together. */
  readonly connections: number;
  /** The share of time for which this process was busy, from 0 to 1. */
  readonly utilization: number;
}

/** An open loop sent fewer deliveries a second than requested. */
export interface RateShortfall {
  readonly isFailure: boolean;
  readonly reason: string;
  readonly hint: string;
}

/** The rate is short if both are exceeded: a shorter lag at the end is a pause of the machine. */
const FAILURE = { share: 0.95, lagSeconds: 0.25 };
const WARNING = { share: 0.99, lagSeconds: 0.05 };
/** A process that is busy all the time cannot send faster, however fast the app is. */
const BUSY_UTILIZATION = 0.9;

/** Judges the rate at which an open loop sent; null in a closed loop, and where the rate held. */
export function judgeRate(
  { asked, rate, sent, notSent }: Pick<LoadResult, "asked" | "rate" | "sent" | "notSent">,
  effort: SendingEffort,
): RateShortfall | null {
  if (asked.rate === null) return null;
  // A pause of the machine does not explain deliveries that were never sent.
  const lag = rate === 0 ? Number.POSITIVE_INFINITY : sent / rate - sent / asked.rate;
  const share = rate / asked.rate;
  const isBeyond = (limit: typeof FAILURE) => share < limit.share && (notSent > 0 || lag > limit.lagSeconds);
  if (!isBeyond(WARNING)) return null;
  const reason = `only ${perSecond(rate)} of ${perSecond(asked.rate)} requested deliveries a second were sent`;
  return { isFailure: isBeyond(FAILURE), ...explainShortfall(reason, effort) };
}

function explainShortfall(reason: string, { busyConnections, connections, utilization }: SendingEffort) {
  if (utilization >= BUSY_UTILIZATION || busyConnections < connections) {
    return {
      reason: `${reason}: app-sim could not send faster on this machine`,
      hint: "use a lower --rate, or send from several machines (--export artillery)",
    };
  }
  const all = connections === 1 ? "the only connection was" : `all ${withCommas(connections)} connections were`;
  return {
    reason: `${reason}: ${all} busy`,
    hint: "the app is too slow for this rate, or needs more simultaneous connections (--connections N)",
  };
}

function perSecond(rate: number): string {
  return rate.toLocaleString("en-US", { maximumFractionDigits: rate >= 100 ? 0 : 1 });
}
