import type { Ended } from "../../checking/unit.ts";
import type { CheckResult, VerifyResult } from "../../checking/verify-result.ts";
import type { Unread } from "../../platform/manifests.ts";
import type { VerifyOptions } from "../verify-options.ts";
import { isFlaky } from "./merge-runs.ts";
import { waitsForFlag } from "./select.ts";

/** What fails a run. */
export interface Strictness {
  /** The mildest result that fails it. */
  readonly failOn: "fail" | "warn";
  readonly allowsInconclusive: boolean;
}

/** What fails a run with these options. */
export function strictnessOf({ failOn = "fail", allowInconclusive = false }: VerifyOptions): Strictness {
  return { failOn, allowsInconclusive: allowInconclusive };
}

/** How many checks had each result. */
export function countResults(checks: readonly CheckResult[]): Omit<VerifyResult["summary"], "ms"> {
  const count = (wanted: CheckResult["result"]) =>
    checks.filter(({ result, known }) => result === wanted && known === null).length;
  return {
    passed: count("pass"),
    warned: count("warn"),
    failed: count("fail"),
    skipped: count("skip"),
    inconclusive: count("inconclusive"),
    known: checks.filter(({ known }) => known !== null).length,
    flaky: checks.filter(isFlaky).length,
  };
}

type Judgement = Pick<VerifyResult, "outcome" | "reason" | "hint" | "failure">;

const asFailed = (reason: string | null, hint: string | null, failure: VerifyResult["failure"]): Judgement => ({
  outcome: "failed",
  reason,
  hint,
  failure,
});

/** What a run found out. */
interface EndedRun {
  /** Why there is no manifest; null: there is one. */
  readonly unread: Unread | null;
  readonly checks: readonly CheckResult[];
  /** Why the run did not complete; null: it did. */
  readonly ended: Ended | null;
  /** Why there are no checks, if there are none. */
  readonly ofNone?: string;
}

/** The outcome of a run. A run without checks is a failure: a green run must mean something. */
export function verdictOf(
  { unread, checks, ended, ofNone = "nothing was verified" }: EndedRun,
  { failOn, allowsInconclusive }: Strictness,
): Judgement {
  if (ended?.by === "interruption") return asFailed(ended.reason, null, "interrupted");
  if (ended?.by === "timeout") {
    return asFailed(ended.reason, "give it more time with --timeout, or fewer checks with --only", "timed-out");
  }
  if (unread !== null) return asFailed(unread.reason, unread.hint, unread.failure);
  const { failed, warned, inconclusive } = countResults(checks);
  if (failed > 0 || (warned > 0 && failOn === "warn")) return asFailed(null, null, "other");
  if (inconclusive > 0 && !allowsInconclusive) {
    return { outcome: "inconclusive", reason: null, hint: null, failure: "other" };
  }
  if (checks.length === 0) return asFailed("no check ran", ofNone, "other");
  if (checks.every(({ result }) => result === "skip" || result === "inconclusive")) {
    const why = commonSkip(checks);
    return asFailed(
      why === null ? "no check ran" : `no check ran: ${why.reason}`,
      why === null ? "nothing was verified: the report says why for each check" : why.hint,
      "other",
    );
  }
  return { outcome: "passed", reason: null, hint: null, failure: null };
}

/** Why none of them was tried, if there is a single reason, apart from a flag that some of them need. */
function commonSkip(checks: readonly CheckResult[]): Pick<CheckResult, "reason" | "hint"> | null {
  const others = checks.filter((check) => !waitsForFlag(check));
  const [first, ...more] = others.length === 0 ? checks : others;
  const isAlike = ({ result, reason, hint }: CheckResult) =>
    result === "skip" && reason === first?.reason && hint === first.hint;
  return first !== undefined && [first, ...more].every(isAlike) ? first : null;
}
