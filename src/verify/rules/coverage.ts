import type { CheckResult, CoverageRow } from "../../checking/verify-result.ts";
import { interfaceRows } from "./coverage-rows.ts";
import { isSelected } from "./select.ts";

/** Which rows of the interface's tables a run exercised: a row is exercised where a check of it came to a verdict. */
export function coverageOf(checks: readonly CheckResult[]): CoverageRow[] {
  return interfaceRows.map(({ section, row, checks: only }) => {
    const about = checks.filter(({ id }) => isSelected({ only, skip: [] }, id));
    const judged = about.filter(({ result }) => result !== "skip" && result !== "inconclusive");
    const ids = [...new Set(judged.map(({ id }) => id))];
    if (ids.length > 0) return { section, row, result: "exercised", checks: ids, reason: null };
    const reason = about.find((check) => check.reason !== null)?.reason ?? "no check of it was to run here";
    return { section, row, result: "not-exercised", checks: [], reason };
  });
}
