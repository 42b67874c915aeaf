import type { CheckFacts } from "../../checking/check.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import { isAbout, isFinding, type KnownFinding } from "./known-findings.ts";

/** Warnings about known findings without effect: for no check, or for one that found something after their last day. */
export function knownWarnings(
  known: readonly KnownFinding[],
  checks: readonly CheckFacts[],
  found: readonly CheckResult[],
): string[] {
  const ids = checks.map(({ id }) => id);
  return known.flatMap((entry) => {
    if (!ids.includes(entry.id)) {
      return [`a known finding names the check "${entry.id}", which does not exist.${didYouMean(entry.id, ids)}`];
    }
    const isOver = found.some((check) => isFinding(check) && check.known === null && isAbout(entry, check));
    return isOver ? [`${entry.id} was known until ${entry.until}, which has passed: ${entry.reason}`] : [];
  });
}
