import type { CheckFacts } from "../../checking/check.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import { isAbout, isFinding, isFixed, type KnownFinding } from "./known-findings.ts";

const MOST_NAMED = 5;

/**
 * Warnings about known findings that have no effect: those of no check or module, past their last day, or already
 * fixed.
 * @param modules keys of all modules; null: a manifest could not be read
 */
export function knownWarnings(
  known: readonly KnownFinding[],
  checks: readonly CheckFacts[],
  modules: readonly string[] | null,
  found: readonly CheckResult[],
): string[] {
  const ids = checks.map(({ id }) => id);
  const withoutEffect = known.flatMap((entry) => {
    if (!ids.includes(entry.id)) {
      return [`a known finding names the check "${entry.id}", which does not exist.${didYouMean(entry.id, ids)}`];
    }
    if (entry.module !== undefined && modules?.includes(entry.module) === false) {
      const meant = didYouMean(entry.module, modules);
      return [`a known finding of ${entry.id} names the module "${entry.module}", which no app declares.${meant}`];
    }
    const isOver = found.some((check) => isFinding(check) && check.known === null && isAbout(entry, check));
    return isOver ? [`${entry.id} was known until ${entry.until}, which has passed: ${entry.reason}`] : [];
  });
  const fixed = known.filter((entry) => isFixed(entry, found)).map(({ id }) => id);
  return fixed.length === 0 ? withoutEffect : [...withoutEffect, fixedText([...new Set(fixed)])];
}

function fixedText(ids: readonly string[]): string {
  const many = ids.length > MOST_NAMED ? `, and ${ids.length - MOST_NAMED} more` : "";
  const named = `${ids.slice(0, MOST_NAMED).join(", ")}${many}`;
  return `listed as known, but no longer found: ${named}. Remove ${ids.length === 1 ? "this entry" : "these entries"}, or add --update-baseline`;
}
