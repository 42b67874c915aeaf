import { wasRefused } from "../guard/exit-code.ts";
import type { GuardResult } from "../guard/guard-result.ts";
import { isRefusedInstall } from "../install/exit-code.ts";
import type { InstallResult } from "../install/install-result.ts";
import type { OAuthLoginResult } from "../oauth-login/login-result.ts";
import type { Failure } from "../platform/result-parts.ts";
import type { ImportResult } from "../post-import/import-result.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { ScenarioStep } from "./scenario-result.ts";
import type { GuardAction, ImportAction, InstallAction, LoginAction } from "./scenario-schema.ts";

export type StepOutcome = Pick<ScenarioStep, "failure" | "reason" | "hint" | "exchanges" | "decisive" | "mistake">;

export function passed(exchanges: string[] = []): StepOutcome {
  return { failure: null, reason: null, hint: null, exchanges, decisive: [], mistake: false };
}

/** @param failure decides the exit code; `other`: the app runs, but does something unexpected */
export function failed(
  reason: string,
  hint: string | null,
  exchanges: string[] = [],
  failure: Failure = null,
): StepOutcome {
  return { ...passed(exchanges), failure: failure ?? "other", reason, hint };
}

/** The simulator was closed before or during the step. */
export const interrupted = failed("interrupted", null, [], "interrupted");

/**
 * The outcome of an impossible step.
 * @throws the error, unless it is a UsageError
 */
export function mistaken(error: unknown): StepOutcome {
  if (!(error instanceof UsageError)) throw error;
  return { ...failed(inStepWords(error.message), inStepWords(error.hint)), mistake: true };
}

/** A text that names members of a step instead of flags of its command. */
function inStepWords(text: string): string {
  return text
    .replaceAll(/--(start|use) ('[^']*'|\/\S*)/g, "login.$1: $2")
    .replaceAll(/--(start|use)\b(?: URL\b)?/g, "login.$1 of the step");
}

/** Passes if the login ends as expected; a guard that is unreachable or breaks the contract fails the step in any case. */
export function judgeGuard({ expect = "granted" }: GuardAction, result: GuardResult): StepOutcome {
  const { outcome, stages, reason, hint, failure } = result;
  const exchanges = stages.flatMap((stage) => stage.exchanges);
  if (expect === "refused") {
    if (wasRefused(result)) return passed(exchanges);
    return failed(`no guard answered 401 or 403: ${reason ?? `the login was ${outcome}`}`, hint, exchanges, failure);
  }
  if (outcome !== expect || failure !== null)
    return failed(reason ?? `the login was ${outcome}, not ${expect}`, hint, exchanges, failure);
  return passed(exchanges);
}

/** Passes if every app accepts the installation event; or, if that is expected, one refuses it. */
export function judgeInstall(
  { expect = "accepted" }: InstallAction,
  { outcome, reason, hint, failure, apps }: InstallResult,
): StepOutcome {
  const exchanges = apps.flatMap((app) => [app.exchange, ...app.exchanges]);
  if (expect === "failed") {
    if (isRefusedInstall({ outcome, failure })) return passed(exchanges);
    return failed(reason ?? "every app accepted it, but one should have refused it", hint, exchanges, failure);
  }
  if (outcome === "installed" || outcome === "uninstalled") return passed(exchanges);
  return failed(reason ?? "the app did not accept it", hint, exchanges, failure);
}

/** Passes if all checks of the login pass, and it ends as the user decided. */
export function judgeLogin({ login }: LoginAction, result: OAuthLoginResult): StepOutcome {
  const { outcome, reason, hint, failure } = result;
  const exchanges = result.steps.flatMap((step) => step.exchanges);
  if (outcome === (login.deny === true ? "denied" : "ok")) return passed(exchanges);
  const why = reason === null ? "the platform declined instead of the user" : inStepWords(reason);
  return failed(why, hint && inStepWords(hint), exchanges, failure);
}

/** Passes if every job ends as expected, with the answer in the file next to the fixture, if there is one. */
export function judgeImport({ expect = "imported" }: ImportAction, { jobs }: ImportResult): StepOutcome {
  const exchanges = jobs.flatMap((job) => job.exchanges);
  for (const { outcome, error, failure, expected, hint } of jobs) {
    // An unreachable or slow app gave no answer that could be the expected one.
    const isAnswered = failure === null || failure === "other";
    if (outcome !== expect || !isAnswered)
      return failed(error ?? `the job is ${outcome}, not ${expect}`, hint, exchanges, failure);
    if (expected?.result === "different")
      return failed(expected.reason ?? `the strings differ from ${expected.file}`, hint, exchanges, failure);
  }
  return passed(exchanges);
}
