import type { Exchange } from "../journal/exchange.ts";
import { seededRandom, shuffled } from "../platform/random.ts";
import { type Check, type CheckFacts, isObservation, type Trial, type Verdict } from "./check.ts";
import { checkResult, resultOf } from "./check-result.ts";
import { CONTROL, exchangesOf } from "./evidence.ts";
import { runSubject } from "./run-subject.ts";
import type { Subject } from "./subject.ts";
import { cutsCalls, type Unit, type Verification } from "./unit.ts";
import { skipVerdict } from "./verdict.ts";
import type { CheckResult } from "./verify-result.ts";

/** Runs the selected checks of a subject, in random order, and judges them by the journal. */
export async function verifySubject<Tools extends Trial>(
  verification: Verification,
  subject: Subject<Tools>,
): Promise<CheckResult[]> {
  const { context, run, seed, isBack, mayUseLanes, wants, onCheck, onResult, ended } = verification;
  const checks = shuffled(subject.checks.filter(wants), seededRandom(seed));
  if (checks.length === 0) return [];
  // The journal is long, and drops its oldest records: keep the subject's as they arrive.
  const exchanges = exchangesOf(context.journal.list(), run, subject.id);
  const unsubscribe = context.journal.subscribe((record) => exchanges.push(...exchangesOf([record], run, subject.id)));
  const haveRun = new Set<string>();
  const judged = new Map<string, CheckResult>();
  const notPrepared = await runSubject(subject, checks, {
    context,
    run,
    isBack,
    mayUseLanes,
    isOver: () => ended() !== null,
    sent: exchanges,
    onCheck: (check, what) => {
      onCheck(subject.module, check, what);
      // Calls aborted by the end of the run prove nothing.
      if (what === "began" || context.signal?.aborted === true) return;
      haveRun.add(check.id);
      if (isObservation(check)) return;
      const result = resultOf(subject, check as Check<never>, exchanges);
      judged.set(check.id, result);
      onResult(result);
    },
  }).finally(unsubscribe);
  if (notPrepared !== null) return judgeUnprepared(verification, subject, notPrepared, exchanges);
  return checks.map((check) => {
    if (haveRun.has(check.id) && !isObservation(check))
      return judged.get(check.id) ?? resultOf(subject, check, exchanges);
    if (isObservation(check)) {
      // Observations are possible even if the correct request was refused; after an aborted run only faults count.
      const observed = resultOf(subject, check, exchanges);
      const isFault = observed.result === "fail" || observed.result === "warn";
      if (ended() === null || isFault) return observed;
    }
    return notRun(verification, subject, check, exchanges);
  });
}

/**
 * The results if no check can be tried: what was sent to the subject so far is still observed.
 * @param exchanges with the subject; default those that the journal has
 */
export function judgeUnprepared<Tools extends Trial>(
  { context, run, wants }: Verification,
  subject: Subject<Tools>,
  reason: string,
  exchanges: readonly Exchange[] = exchangesOf(context.journal.list(), run, subject.id),
): CheckResult[] {
  return subject.checks
    .filter(wants)
    .map((check) =>
      isObservation(check) ? resultOf(subject, check, exchanges) : checkResult(subject, check, skipVerdict(reason), []),
    );
}

/** The result of a check that did not run: the run was over, or the app refused the correct request. */
function notRun<Tools extends Trial>(
  { ended }: Verification,
  subject: Subject<Tools>,
  check: Check<Tools>,
  exchanges: readonly Exchange[],
): CheckResult {
  const end = ended();
  if (end !== null) return checkResult(subject, check, skipVerdict(end.reason), []);
  if (exchanges.some((exchange) => exchange.check?.role === CONTROL)) {
    return resultOf(subject, check as Check<never>, exchanges);
  }
  return checkResult(subject, check, { result: "inconclusive", reason: "the app did not get the correct request" }, []);
}

/** The results of checks that cannot be tried. @param hint how to enable them */
export function skippedChecks(
  about: Pick<Subject<never>, "title" | "module">,
  checks: readonly CheckFacts[],
  reason: string,
  hint?: string,
): CheckResult[] {
  return untriedChecks(about, checks, skipVerdict(reason, hint));
}

/** The results of checks that cannot be tried, all with the same verdict. */
export function untriedChecks(
  about: Pick<Subject<never>, "title" | "module">,
  checks: readonly CheckFacts[],
  verdict: Verdict,
): CheckResult[] {
  return checks.map((check) => checkResult(about, check, verdict, []));
}

/**
 * The results of units, as many in parallel as there are jobs; those of one module are sequential, because an app may
 * keep one code per user, which a later one replaces.
 */
export async function runUnits(
  units: readonly Unit[],
  jobs: number,
  { onResult, hasResult, ended }: Pick<Verification, "onResult" | "hasResult" | "ended">,
): Promise<CheckResult[]> {
  const results: (readonly CheckResult[])[] = [];
  const groups = new Map<string | number, [index: number, unit: Unit][]>();
  for (const [index, unit] of units.entries()) {
    const key = unit.module ?? index;
    groups.set(key, [...(groups.get(key) ?? []), [index, unit]]);
  }
  const waiting = longestFirst([...groups.values()]).values();
  const withoutCut = (found: readonly CheckResult[]) => {
    const end = ended();
    if (!cutsCalls(end)) return found;
    return found.map((result) => (hasResult(result) ? result : cutResult(result, end.reason)));
  };
  const worker = async () => {
    for (const group of waiting) {
      for (const [index, unit] of group) {
        const end = ended();
        const ofUnit = end === null ? withoutCut(await unit.run()) : skippedUnit(unit, end.reason);
        for (const result of ofUnit) onResult(result);
        results[index] = ofUnit;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, groups.size) }, worker));
  return results.flat();
}

/**
 * In which order groups begin, so that no long one is left to run by itself at the end. What belongs to no module is
 * first: an OAuth login is one long series of requests.
 */
function longestFirst<Group extends readonly (readonly [index: number, unit: Unit])[]>(
  groups: readonly Group[],
): Group[] {
  const isOfNoModule = (group: Group) => group.some(([, { module }]) => module === null);
  const size = (group: Group) => group.reduce((sum, [, { checks }]) => sum + checks.length, 0);
  return groups.toSorted(
    (one, other) => Number(isOfNoModule(other)) - Number(isOfNoModule(one)) || size(other) - size(one),
  );
}

function cutResult(result: CheckResult, reason: string): CheckResult {
  return {
    ...result,
    result: "skip",
    reason,
    changes: null,
    control: null,
    twin: null,
    exchanges: [],
    hint: null,
    runs: ["skip"],
  };
}

/** The results of a unit that does not run. */
export function skippedUnit({ module, checks }: Unit, reason: string, hint?: string): CheckResult[] {
  return checks.flatMap((check) =>
    skippedChecks({ title: module ?? `the app's ${check.area} part`, module }, [check], reason, hint),
  );
}
