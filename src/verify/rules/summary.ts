import type { Unread } from "../../platform/manifests.ts";
import type { CheckResult, VerifyResult } from "../verify-result.ts";

/** How many checks ended in each way. */
export function countResults(checks: readonly CheckResult[]): Omit<VerifyResult["summary"], "ms"> {
  const count = (wanted: CheckResult["result"]) => checks.filter(({ result }) => result === wanted).length;
  return {
    passed: count("pass"),
    warned: count("warn"),
    failed: count("fail"),
    skipped: count("skip"),
    inconclusive: count("inconclusive"),
  };
}

/**
 * The outcome of a run. Nothing ran is a failure: a green run has to mean something.
 * @param unread why there is no manifest; null: there is one
 */
export function verdictOf(
  unread: Unread | null,
  checks: readonly CheckResult[],
  isInterrupted: boolean,
): Pick<VerifyResult, "outcome" | "reason" | "hint" | "failure"> {
  if (isInterrupted) return { outcome: "failed", reason: "interrupted", hint: null, failure: "interrupted" };
  if (unread !== null) {
    const { reason, hint, failure } = unread;
    return { outcome: "failed", reason, hint, failure };
  }
  const { failed, inconclusive, skipped } = countResults(checks);
  if (failed > 0) return { outcome: "failed", reason: null, hint: null, failure: "other" };
  if (inconclusive > 0) return { outcome: "inconclusive", reason: null, hint: null, failure: "other" };
  if (checks.length === skipped) {
    return {
      outcome: "failed",
      reason: "no check ran",
      hint: "nothing was verified: the report says why for each check",
      failure: "other",
    };
  }
  return { outcome: "passed", reason: null, hint: null, failure: null };
}
