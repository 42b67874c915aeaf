import { type Check, isAboutAfter, isObservation, recordedId, type Trial } from "./check.ts";
import { isSuspect, runInLanes } from "./lanes.ts";
import { NotPrepared, type Subject } from "./subject.ts";
import { type SubjectRun, SubjectRunner } from "./subject-runner.ts";

/**
 * Runs the checks of a subject, with the correct request before and after each, or after a few refused twins: they are
 * then judged from the journal. Those about what the app does afterwards run first, then those of a slow app in lanes,
 * then the rest, one after another; those that may lock a user out come last.
 * @returns why no check could be run; null: they were
 */
export async function runSubject<Tools extends Trial>(
  subject: Subject<Tools>,
  checks: readonly Check<Tools>[],
  given: SubjectRun,
): Promise<string | null> {
  const { isOver, onCheck, sent } = given;
  const runner = new SubjectRunner(subject, given, null);
  try {
    if (!(await runner.begin())) return null;
  } catch (error) {
    if (error instanceof NotPrepared) return error.message;
    throw error;
  }
  const done = new Set<string>();
  const runAlone = async (those: readonly Check<Tools>[], settled: ReadonlySet<string>) => {
    for (const check of those) {
      if (isOver()) break;
      const isSettled = !isObservation(check) && settled.has(recordedId(check));
      if (isSettled && !isSuspect(subject, recordedId(check), checks, sent)) continue;
      // A settled check has already ended.
      if (!isSettled) onCheck(check, "began");
      if (isObservation(check) || done.has(recordedId(check))) {
        onCheck(check, "ended");
        continue;
      }
      done.add(recordedId(check));
      await runner.run(check);
    }
  };
  // After another check whose requests break the app for good, these could not tell.
  const sentFirst = new Set(checks.filter(isAboutAfter).map(recordedId));
  const isFirst = (check: Check<Tools>) => !isObservation(check) && sentFirst.has(recordedId(check));
  await runAlone(checks.filter(isFirst), new Set());
  const isLast = (check: Check<Tools>) => check.mayLockOut === true;
  const others = checks.filter((check) => !isFirst(check) && !isLast(check));
  await runAlone(others, await runInLanes(runner, subject, others, given));
  await runner.confirmAll();
  await runAlone(checks.filter(isLast), new Set());
  await runner.confirmAll();
  return null;
}
