import type { z } from "zod";
import type { CheckResult } from "../../checking/verify-result.ts";
import type { knownFindingSchema } from "../../config/verify-settings.ts";

/** A known finding, which does not fail a run until the end of a given day. */
export type KnownFinding = Readonly<z.infer<typeof knownFindingSchema>>;

/** Days until a finding in a new baseline expires. */
const GRACE_DAYS = 90;
const DAY_MS = 86_400_000;

/** Whether a check found anything. */
export function isFinding({ result }: Pick<CheckResult, "result">): boolean {
  return result === "fail" || result === "warn" || result === "inconclusive";
}

/**
 * The results, with a note on each known finding that has not expired.
 * @param now milliseconds since the epoch
 */
export function withKnown(checks: readonly CheckResult[], known: readonly KnownFinding[], now: number): CheckResult[] {
  const today = dayOf(now);
  return checks.map((check) => {
    const entry = isFinding(check) ? known.find((each) => isAbout(each, check) && each.until >= today) : undefined;
    return entry === undefined ? check : { ...check, known: { reason: entry.reason, until: entry.until } };
  });
}

/**
 * The baseline after a run: entries found again keep their reason and last day, new findings get both, and fixed ones
 * are removed. Entries of checks that did not run stay.
 */
export function updatedBaseline(
  baseline: readonly KnownFinding[],
  checks: readonly CheckResult[],
  now: number,
): KnownFinding[] {
  const kept = baseline.filter((entry) => !isFixed(entry, checks));
  const added = checks
    .filter((check) => isFinding(check) && !kept.some((entry) => isAbout(entry, check)))
    .map(({ id, module, title }) => ({
      id,
      ...(module === null ? {} : { module }),
      reason: `found when the baseline was written: ${title}`,
      until: dayOf(now + GRACE_DAYS * DAY_MS),
    }));
  const unique = added.filter(
    (entry, index) => added.findIndex(({ id, module }) => id === entry.id && module === entry.module) === index,
  );
  return [...kept, ...unique].sort((a, b) => order(a).localeCompare(order(b)));
}

/** Whether the checks of an entry ran, and found nothing. */
export function isFixed(entry: KnownFinding, checks: readonly CheckResult[]): boolean {
  const about = checks.filter((check) => check.result !== "skip" && isAbout(entry, check));
  return about.length > 0 && !about.some(isFinding);
}

/** Whether an entry is for this check, in this module. */
export function isAbout(entry: KnownFinding, { id, module }: Pick<CheckResult, "id" | "module">): boolean {
  return entry.id === id && (entry.module === undefined || entry.module === module);
}

function order({ id, module = "" }: KnownFinding): string {
  return `${id} ${module}`;
}

/** The day in UTC, such as `2030-01-31`. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
