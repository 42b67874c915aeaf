import { seededRandom, shuffled } from "../platform/random.ts";
import { checkResult, resultOf } from "./check-result.ts";
import type { CheckFacts, Trial } from "./rules/check.ts";
import { exchangesOf } from "./rules/evidence.ts";
import { skipVerdict } from "./rules/verdict.ts";
import { runSubject } from "./run-subject.ts";
import type { Subject } from "./subject.ts";
import type { Unit, Verification } from "./unit.ts";
import type { CheckResult } from "./verify-result.ts";

/** Runs the checks of a subject that are wanted, in an order of its own, and judges them by the journal. */
export async function verifySubject<Tools extends Trial>(
  { context, run, seed, waitMs, wants, onCheck }: Verification,
  subject: Subject<Tools>,
): Promise<CheckResult[]> {
  const checks = shuffled(subject.checks.filter(wants), seededRandom(seed));
  if (checks.length === 0) return [];
  const notPrepared = await runSubject(subject, checks, {
    context,
    run,
    waitMs,
    onCheck: (_, check, what) => onCheck(subject.module, check, what),
  });
  if (notPrepared !== null) return checks.map((check) => checkResult(subject, check, skipVerdict(notPrepared), []));
  const exchanges = exchangesOf(context.journal.list(), run, subject.id);
  return checks.map((check) => resultOf(subject, check, exchanges));
}

/** The results of checks that cannot be tried. */
export function skippedChecks(
  about: Pick<Subject<never>, "title" | "module">,
  checks: readonly CheckFacts[],
  reason: string,
): CheckResult[] {
  return checks.map((check) => checkResult(about, check, skipVerdict(reason), []));
}

/** The results of units, as many at a time as there are jobs. */
export async function runUnits(units: readonly Unit[], jobs: number): Promise<CheckResult[]> {
  const results: (readonly CheckResult[])[] = [];
  const waiting = units.entries();
  const worker = async () => {
    for (const [index, unit] of waiting) results[index] = await unit.run();
  };
  await Promise.all(Array.from({ length: Math.min(jobs, units.length) }, worker));
  return results.flat();
}
