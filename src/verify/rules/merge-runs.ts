import type { Result } from "../../checking/check.ts";
import type { CheckResult } from "../../checking/verify-result.ts";

/** Worst first. */
const order: readonly Result[] = ["fail", "warn", "inconclusive", "pass", "skip"];

/** Whether a check ended differently in different runs. */
export function isFlaky({ runs }: Pick<CheckResult, "runs">): boolean {
  return new Set(runs).size > 1;
}

/**
 * The results of several runs as one: the worst result of each check, and its result in every run. A check with
 * different results is reported as flaky.
 * @param runs each with the results of all checks
 */
export function mergeRuns(runs: readonly (readonly CheckResult[])[]): CheckResult[] {
  const byCheck = new Map<string, CheckResult[]>();
  for (const check of runs.flat()) {
    const key = JSON.stringify([check.id, check.module, check.subject]);
    byCheck.set(key, [...(byCheck.get(key) ?? []), check]);
  }
  return [...byCheck.values()].flatMap((ends) => {
    const worst = [...ends].sort((a, b) => order.indexOf(a.result) - order.indexOf(b.result))[0];
    if (worst === undefined) return [];
    const merged = { ...worst, runs: ends.map(({ result }) => result) };
    if (!isFlaky(merged)) return [merged];
    return [{ ...merged, reason: `flaky (${merged.runs.join(", ")}): ${worst.reason ?? "it passed"}` }];
  });
}
