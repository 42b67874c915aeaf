import type { App } from "../config/schema.ts";
import type { Exchange } from "../journal/exchange.ts";
import {
  type Check,
  type CheckFacts,
  type Evidence,
  isObservation,
  isTwin,
  type ObservationCheck,
  recordedId,
  type Verdict,
} from "./check.ts";
import { decisiveFirst, isSameVerdict } from "./decisive-first.ts";
import { evidenceOf, mayBeDisturbed, TWIN, undisturbed } from "./evidence.ts";
import { fixByAnswer } from "./fix-by-answer.ts";
import type { Subject } from "./subject.ts";
import { judgeCheck } from "./verdict.ts";
import type { CheckResult } from "./verify-result.ts";

type Judged = Pick<Subject<never>, "title" | "module" | "app" | "read" | "control">;

/** Judges a check by the journal's exchanges with its subject. */
export function resultOf(subject: Judged, check: Check<never>, exchanges: readonly Exchange[]): CheckResult {
  if (isObservation(check)) {
    const counted = countedFor(check, exchanges, subject.app);
    const verdict = check.observe(counted, subject.app);
    return checkResult(subject, check, withFittingFix(verdict, counted), shownOf(subject, check, verdict, counted));
  }
  const evidence = evidenceOf(exchanges, recordedId(check), subject);
  const own = evidence.steps.map(({ exchange }) => exchange);
  const twin = isTwin(check) ? (own.findLast((exchange) => exchange.check?.role === TWIN)?.id ?? null) : null;
  const verdict = judgeCheck(check, evidence);
  const judge = (steps: Evidence["steps"]) => judgeCheck(check, { ...evidence, steps });
  const shown = decidingSteps(check, evidence.steps, verdict, judge).map(({ exchange }) => exchange);
  const fitting = withFittingFix(
    verdict,
    [evidence.before, ...own, evidence.after].filter((exchange) => exchange !== null),
  );
  return { ...checkResult(subject, check, fitting, shown), control: evidence.before?.id ?? null, twin };
}

/** The steps to show, the decisive one first. */
function decidingSteps(
  check: CheckFacts,
  steps: Evidence["steps"],
  verdict: Verdict,
  judge: (some: Evidence["steps"]) => Verdict,
): Evidence["steps"] {
  const ordered = decisiveFirst(steps, verdict, judge);
  const [decisive] = ordered;
  if (decisive === undefined || check.area !== "import" || !foundSomething(verdict)) return ordered;
  // Jobs do not depend on each other, so the one that is a finding alone needs no other; its files belong to it.
  const job = steps.filter(({ role }) => role === decisive.role || role.startsWith(`${decisive.role}/`));
  return isSameVerdict(judge(job), verdict) ? job : ordered;
}

/** Whether a verdict is a finding or inconclusive: neither a pass nor a skip. */
export function foundSomething({ result }: Pick<Verdict, "result">): boolean {
  return result !== "pass" && result !== "skip";
}

/**
 * What an observation looks at. If other requests may be the reason for an answer in which it finds something, it looks
 * only at the rest. They cannot be the reason for what it finds by comparing answers.
 */
function countedFor(check: ObservationCheck, exchanges: readonly Exchange[], app: App): readonly Exchange[] {
  const disturbed = exchanges.filter(mayBeDisturbed);
  const finds = (some: readonly Exchange[]) => foundSomething(check.observe(some, app));
  const isDoubtful = disturbed.some((exchange) => finds([exchange])) && finds(exchanges);
  return isDoubtful ? undisturbed(exchanges) : exchanges;
}

/** A finding with a fix that fits the answers, unless the check itself gave one. */
function withFittingFix(verdict: Verdict, exchanges: readonly Exchange[]): Verdict {
  if (verdict.hint !== undefined || !foundSomething(verdict)) return verdict;
  const hint = fixByAnswer(verdict, exchanges);
  return hint === null ? verdict : { ...verdict, hint };
}

/** The exchange to show: for a finding, the first that would be a finding on its own. */
function shownOf(
  { app }: Judged,
  check: ObservationCheck,
  verdict: Verdict,
  exchanges: readonly Exchange[],
): readonly Exchange[] {
  const able = exchanges.filter((exchange) => check.shows?.(exchange) ?? true);
  const decides = (exchange: Exchange) => isSameVerdict(check.observe([exchange], app), verdict);
  const isFinding = verdict.result === "fail" || verdict.result === "warn";
  const decisive = isFinding ? able.find(decides) : undefined;
  return decisive === undefined ? able.slice(0, 1) : [decisive];
}

/** The hint of an inconclusive check, which cannot say how to fix the app. */
const RIGHT_FIRST =
  "first look at the app's answer to the correct request: until it accepts that, before and after, the check proves nothing";

/** The result of a check with this verdict. */
export function checkResult(
  { title: subject, module }: Pick<Judged, "title" | "module">,
  check: CheckFacts,
  { result, reason, hint }: Verdict,
  exchanges: readonly Exchange[],
): CheckResult {
  const { id, area, section, severity, title, choices = [], fix } = check;
  return {
    id,
    module,
    subject,
    area,
    section,
    result,
    severity,
    title,
    reason,
    changes: isTwin(check) ? check.changes : null,
    control: null,
    twin: null,
    exchanges: exchanges.map((exchange) => exchange.id),
    choices: [...choices],
    hint: hint ?? (result === "inconclusive" ? RIGHT_FIRST : result === "fail" || result === "warn" ? fix : null),
    known: null,
    runs: [result],
  };
}
