import type { CheckResult } from "../../checking/verify-result.ts";
import { allChecks } from "../checks.ts";

const causes: ReadonlySet<string> = new Set(allChecks.flatMap(({ id, isCause }) => (isCause === true ? [id] : [])));

export function isCauseOfOthers({ id }: CheckResult): boolean {
  return causes.has(id);
}

/** The same findings, but those first from which others follow: to mend them mends the others, and not the other way. */
export function causesFirst(checks: readonly CheckResult[]): CheckResult[] {
  return [...checks.filter(isCauseOfOthers), ...checks.filter((check) => !isCauseOfOthers(check))];
}
