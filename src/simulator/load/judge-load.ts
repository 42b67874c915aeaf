import type { LoadError, LoadExpectation, LoadResult } from "./load-result.ts";

type Verdict = Pick<LoadResult, "outcome" | "reason" | "hint" | "failure">;

/** What a load is judged by. */
export interface Judged extends Pick<LoadResult, "sent" | "failed" | "notSent"> {
  readonly errors: readonly LoadError[];
  readonly expectations: readonly LoadExpectation[];
  /** Whether an expectation says how many deliveries may fail. */
  readonly allowsErrors: boolean;
  readonly isInterrupted: boolean;
}

/** Whether a load showed what it had to: every delivery acknowledged, or as many as expected, and all else expected. */
export function judgeLoad(judged: Judged): Verdict {
  const { sent, failed, notSent, errors, expectations, allowsErrors, isInterrupted } = judged;
  if (isInterrupted) return { outcome: "failed", reason: "interrupted", hint: null, failure: "interrupted" };
  const [commonest] = errors;
  const missed = expectations.filter(({ met }) => !met);
  if (missed.length > 0) {
    const reason = missed.map(({ text, actual }) => `${text} was expected, but ${wasText(actual)}`).join("; ");
    return { outcome: "failed", reason, hint: commonest?.hint ?? null, failure: "other" };
  }
  if (allowsErrors || commonest === undefined) return { outcome: "ok", reason: null, hint: null, failure: null };
  const { reason, hint, failure } = commonest;
  const of = `${count(failed + notSent)} of ${count(sent + notSent)} deliveries`;
  const which = errors.length === 1 ? "" : "most of them: ";
  return { outcome: "failed", reason: `${of} were not acknowledged; ${which}${reason}`, hint, failure };
}

function wasText(actual: string | null): string {
  return actual === null ? "nothing was answered" : `it was ${actual}`;
}

function count(deliveries: number): string {
  return deliveries.toLocaleString("en-US");
}
