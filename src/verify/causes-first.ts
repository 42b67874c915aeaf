import type { CheckResult } from "../checking/verify-result.ts";
import { allChecks } from "./checks.ts";

const causes: ReadonlySet<string> = new Set(allChecks.flatMap(({ id, isCause }) => (isCause === true ? [id] : [])));

export function isCauseOfOthers({ id }: CheckResult): boolean {
  return causes.has(id);
}

/** The same findings, with causes first: fixing them fixes the others, but not vice versa. */
export function causesFirst(checks: readonly CheckResult[]): CheckResult[] {
  return [...checks.filter(isCauseOfOthers), ...checks.filter((check) => !isCauseOfOthers(check))];
}
