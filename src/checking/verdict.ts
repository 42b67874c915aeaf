import type { Exchange } from "../journal/exchange.ts";
import type { CheckFacts, Evidence, TrialCheck, TwinCheck, Verdict } from "./check.ts";
import { isAboutAfter, isTwin } from "./check.ts";
import { READ_OF, TWIN } from "./evidence.ts";

export const PASSED: Verdict = { result: "pass", reason: null };

/** The beginning of the reason of a check that is inconclusive because its correct request was not accepted. */
export const ON_CONTROL_BEFORE = "on the correct request before it, ";
/** The same of a check whose correct request was accepted before it, but not after it. */
export const ON_CONTROL_AFTER = "on the correct request after it, ";

/** The end of a sentence about a wrong request that an app neither accepted nor refused. */
export const NO_DECISION = "which is not a decision";

/** Why a check failed that brought the app down. */
export const WAS_GONE = "the app was gone after it";
/** The same of a check during whose request the app went down; the request follows. */
export const WENT_DOWN = "the app went down during";

/** Whether a check brought the app down. */
export function broughtDown({ result, reason }: Pick<Verdict, "result" | "reason">): boolean {
  return result === "fail" && [WAS_GONE, WENT_DOWN].some((words) => reason?.startsWith(words) === true);
}

/** The result of a check that changes a part of the request, such as a claim, where the app gets none. */
export const NOTHING_TO_CHANGE = skipVerdict("the correct request does not have what this check changes");

/** The result of a check that found a fault, by its severity. */
export function faulty({ severity }: CheckFacts, reason: string): Verdict {
  return { result: severity === "must" ? "fail" : "warn", reason };
}

/** The result of a check on which the app broke instead of accepting or refusing. */
export function undecided(check: CheckFacts, reason: string): Verdict {
  const { fixIfBroken } = check;
  return { ...faulty(check, reason), ...(fixIfBroken === undefined ? {} : { hint: fixIfBroken }) };
}

/**
 * The verdict of a check that was not tried.
 * @param hint how to enable it, such as lines of configuration; checks that share it are listed together
 */
export function skipVerdict(reason: string, hint?: string): Verdict {
  return { result: "skip", reason, ...(hint === undefined ? {} : { hint }) };
}

/**
 * The verdict of a check. A control that was not accepted before or after makes it inconclusive: then the app does not
 * distinguish the twin from the correct request. An app that is gone right afterwards, or answers neither the check nor
 * the correct request, was brought down by the check.
 */
export function judgeCheck(check: TwinCheck | TrialCheck<never>, evidence: Evidence): Verdict {
  const { before, after, isAfterNext, steps, control, read } = evidence;
  const first = before === null ? null : read(before);
  if (first !== null && first.kind !== control) {
    return unproven(check, before, `${ON_CONTROL_BEFORE}the app ${first.says}`);
  }
  const last = after === null ? null : read(after);
  const isGone = last?.kind === "gone" && isAfterNext;
  if (isGone || steps.some(({ exchange }) => exchange.outcome.kind === "unreachable")) {
    return { result: "fail", reason: WAS_GONE };
  }
  const isUnanswered = ({ outcome }: Exchange) => outcome.kind === "timed-out" || outcome.kind === "disconnected";
  const isSilent = isAfterNext && after !== null && isUnanswered(after);
  if (isSilent && steps.some(({ exchange }) => isUnanswered(exchange))) {
    return { result: "fail", reason: "the app answered neither it nor the correct request after it" };
  }
  if (last !== null && last.kind !== control) {
    const isBusy = after?.response?.status === 429 || after?.response?.status === 503;
    if (isAboutAfter(check) && !isBusy) {
      return faulty(check, `${ON_CONTROL_AFTER}the app ${last.says}`);
    }
    return unproven(check, after, `${ON_CONTROL_AFTER}the app ${last.says}`);
  }
  const verdict = isTwin(check) ? judgeTwin(check, evidence) : check.judge(evidence);
  const isLate = steps.some(({ exchange }) => exchange.outcome.kind === "timed-out");
  return verdict.result === "skip" && isLate ? TOO_LATE : verdict;
}

const AGAIN_LATER =
  "run it again while the machine is less busy; if the answer is late again, find out why the app takes so long";

/** The verdict on a check that was not tried, perhaps because of an answer that did not come. */
const TOO_LATE: Verdict = {
  result: "inconclusive",
  reason: "an answer that it needs did not come in time",
  hint: AGAIN_LATER,
};

/** The verdict on a check whose correct request was not accepted. @param control that request */
function unproven({ id, mayLockOut = false }: CheckFacts, control: Exchange | null, reason: string): Verdict {
  if (control?.outcome.kind === "timed-out") return { result: "inconclusive", reason, hint: AGAIN_LATER };
  const hint = `If the app locks users out after wrong passwords, raise its limit where it is tested, or leave this check out: --skip ${id}.`;
  return { result: "inconclusive", reason, ...(mayLockOut ? { hint } : {}) };
}

function judgeTwin(check: TwinCheck, { steps, control, read }: Evidence): Verdict {
  const step = steps.findLast(({ role }) => role === TWIN);
  if (steps.some(({ role }) => role === TWIN + READ_OF)) {
    return faulty(check, "the app requested the address in the token");
  }
  if (step === undefined) return NOTHING_TO_CHANGE;
  const { kind, says } = read(step.exchange);
  if (kind === (check.right === "accepted" ? control : check.right)) return PASSED;
  if (kind === "broken") return undecided(check, `the app ${says}, ${NO_DECISION}`);
  if (kind === "unclear") return { result: "warn", reason: `the app ${says}, which is neither yes nor no` };
  if (check.right === "decided") return PASSED;
  if (kind === "asked") return skipVerdict(`the app ${says}, as to the correct request: a refusal would look the same`);
  return faulty(check, `the app ${says}`);
}
