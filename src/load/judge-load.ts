import type { RateShortfall } from "./judge-rate.ts";
import type { LoadError, LoadExpectation, LoadResult } from "./load-result.ts";

type Verdict = Pick<LoadResult, "outcome" | "reason" | "hint" | "failure">;

/** What a load is judged by. */
export interface Judged extends Pick<LoadResult, "sent" | "acknowledged" | "failed" | "notSent"> {
  readonly errors: readonly LoadError[];
  readonly expectations: readonly LoadExpectation[];
  /** Whether an expectation says how many deliveries may fail. */
  readonly allowsErrors: boolean;
  /** null: the rate held, or an expectation says what it has to be. */
  readonly shortfall: RateShortfall | null;
  readonly isInterrupted: boolean;
}

/** One thing that is wrong with a load. */
type Fault = Pick<LoadResult, "hint" | "failure"> & { readonly reason: string };

/**
 * Whether a load showed what it had to: all that was expected, every delivery acknowledged, or as many as expected and
 * one at least, and the rate that was asked for. Everything that is wrong is named.
 */
export function judgeLoad(judged: Judged): Verdict {
  const { expectations, shortfall, isInterrupted } = judged;
  if (isInterrupted) return { outcome: "failed", reason: "interrupted", hint: null, failure: "interrupted" };
  const missed = expectations
    .filter(({ met }) => !met)
    .map(({ text, actual }) => other(`${text} was expected, but ${wasText(actual)}`));
  const tooSlow = shortfall?.isFailure === true ? [other(shortfall.reason, shortfall.hint)] : [];
  const faults: readonly Fault[] = [...missed, ...notAcknowledged(judged), ...tooSlow];
  if (faults.length === 0) return { outcome: "ok", reason: null, hint: null, failure: null };
  return {
    outcome: "failed",
    reason: faults.map(({ reason }) => reason).join("; "),
    hint: faults.find(({ hint }) => hint !== null)?.hint ?? judged.errors[0]?.hint ?? null,
    failure: faults.find(({ failure }) => failure !== "other")?.failure ?? "other",
  };
}

function notAcknowledged({ sent, acknowledged, failed, notSent, errors, allowsErrors }: Judged): Fault[] {
  if (allowsErrors && acknowledged > 0) return [];
  const [commonest] = errors;
  if (commonest === undefined) return acknowledged === 0 ? [other("nothing was sent")] : [];
  const of = `${count(failed + notSent)} of ${count(sent + notSent)} deliveries`;
  const which = errors.length === 1 ? "" : "most of them: ";
  const what = failed === 0 ? "never sent" : "not acknowledged";
  const never = failed === 0 || notSent === 0 ? "" : ` (${count(notSent)} were never sent)`;
  const { hint, failure } = commonest;
  return [{ reason: `${of} were ${what}${never}; ${which}${commonest.reason}`, hint, failure }];
}

function other(reason: string, hint: string | null = null): Fault {
  return { reason, hint, failure: "other" };
}

function wasText(actual: string | null): string {
  return actual === null ? "nothing was answered" : `it was ${actual}`;
}

function count(deliveries: number): string {
  return deliveries.toLocaleString("en-US");
}
