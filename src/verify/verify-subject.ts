import { seededRandom, shuffled } from "../platform/random.ts";
import { checkResult, resultOf } from "./check-result.ts";
import { type CheckFacts, isObservation, type Trial } from "./rules/check.ts";
import { exchangesOf } from "./rules/evidence.ts";
import { skipVerdict } from "./rules/verdict.ts";
import { runSubject } from "./run-subject.ts";
import type { Subject } from "./subject.ts";
import type { Unit, Verification } from "./unit.ts";
import type { CheckResult } from "./verify-result.ts";

/** Runs the checks of a subject that are wanted, in an order of its own, and judges them by the journal. */
export async function verifySubject<Tools extends Trial>(
  verification: Verification,
  subject: Subject<Tools>,
): Promise<CheckResult[]> {
  const { context, run, seed, waitMs, wants, onCheck } = verification;
  const checks = shuffled(subject.checks.filter(wants), seededRandom(seed));
  if (checks.length === 0) return [];
  const notPrepared = await runSubject(subject, checks, {
    context,
    run,
    waitMs,
    onCheck: (_, check, what) => onCheck(subject.module, check, what),
  });
  if (notPrepared !== null) return judgeUnprepared(verification, subject, notPrepared);
  const exchanges = exchangesOf(context.journal.list(), run, subject.id);
  return checks.map((check) => resultOf(subject, check, exchanges));
}

/** The results where no check can be tried: what was sent to the subject so far is still looked at. */
export function judgeUnprepared<Tools extends Trial>(
  { context, run, wants }: Verification,
  subject: Subject<Tools>,
  reason: string,
): CheckResult[] {
  const exchanges = exchangesOf(context.journal.list(), run, subject.id);
  return subject.checks
    .filter(wants)
    .map((check) =>
      isObservation(check) ? resultOf(subject, check, exchanges) : checkResult(subject, check, skipVerdict(reason), []),
    );
}

/** The results of checks that cannot be tried. */
export function skippedChecks(
  about: Pick<Subject<never>, "title" | "module">,
  checks: readonly CheckFacts[],
  reason: string,
): CheckResult[] {
  return checks.map((check) => checkResult(about, check, skipVerdict(reason), []));
}

/**
 * The results of units, as many at a time as there are jobs; those of one module follow one another, because an app may
 * keep one code for each of its users, and a later one takes the place of the one before.
 */
export async function runUnits(units: readonly Unit[], jobs: number): Promise<CheckResult[]> {
  const results: (readonly CheckResult[])[] = [];
  const groups = new Map<string | number, [index: number, unit: Unit][]>();
  for (const [index, unit] of units.entries()) {
    const key = unit.module ?? index;
    groups.set(key, [...(groups.get(key) ?? []), [index, unit]]);
  }
  const waiting = groups.values();
  const worker = async () => {
    for (const group of waiting) for (const [index, unit] of group) results[index] = await unit.run();
  };
  await Promise.all(Array.from({ length: Math.min(jobs, groups.size) }, worker));
  return results.flat();
}
