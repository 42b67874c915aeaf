import type { CheckFacts } from "../../checking/check.ts";

/** Checks that a page gives nothing to try, and why. */
export interface LeftOutChecks {
  readonly checks: readonly CheckFacts[];
  readonly reason: string;
}

/** Whether a check is among those that are left out. */
export function isLeftOut(check: CheckFacts, leftOut: readonly LeftOutChecks[]): boolean {
  return leftOut.some(({ checks }) => checks.includes(check));
}
