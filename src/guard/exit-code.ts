import { doubtsToken } from "../app-client/refusal-hints.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import type { GuardResult } from "./guard-result.ts";

/** The exit code of a login; one without any guard proves nothing about the app, so it is not a success. */
export function guardExitCode(result: GuardResult): number {
  return result.outcome === "granted" && hasGuards(result)
    ? exitCodes.asExpected
    : exitCodeOfFailures([result.failure]);
}

/** Whether the login had any guard, even one that the user is exempt from. */
export function hasGuards({ stages }: GuardResult): boolean {
  return stages.some(({ stage }) => stage === "guard");
}

/** Whether any guard was called in the login. */
export function wasCalled({ stages }: GuardResult): boolean {
  return stages.some(({ stage, result }) => stage === "guard" && result !== "skipped");
}

/** Whether a login, or one of its guards or pages, gave a warning. */
export function hasWarnings({ warnings, stages }: GuardResult): boolean {
  return warnings.length > 0 || stages.some((stage) => (stage.warnings ?? []).length > 0);
}

/** What the user expects of a login. */
export interface LoginExpectation {
  readonly outcome: "granted" | "denied" | "refused";
  /** Key of the guard that denies. */
  readonly deniedBy?: string | undefined;
}

/**
 * The exit code of a login with an expected end. A denial counts as expected only if a guard itself said no, or a stage
 * was failed on purpose: an app that cannot be reached, breaks the contract, or denies with a message about the token
 * (which it then may not have accepted) fails the expectation. A refusal is the answer 401 or 403 of a guard that does
 * not accept the call.
 */
export function expectedExitCode(result: GuardResult, { outcome, deniedBy }: LoginExpectation): number {
  if (outcome === "granted") return guardExitCode(result);
  const isRight = outcome === "refused" ? wasRefused(result) : result.outcome === "denied" && !wasDoubted(result);
  const by = outcome === "refused" ? (result.stages.at(-1)?.module ?? null) : result.deniedBy;
  const asExpected = isRight && (deniedBy ?? by) === by;
  return asExpected ? exitCodes.asExpected : exitCodeOfFailures([result.failure]);
}

/** The result of a login, with its expected end. */
export function withExpectation(result: GuardResult, expectation: LoginExpectation): GuardResult {
  const { outcome, deniedBy = null } = expectation;
  const isMet = expectedExitCode(result, expectation) === exitCodes.asExpected;
  return { ...result, expectation: { outcome, deniedBy, isMet } };
}

/**
 * The exit code of a login with an expected end.
 * @param isStrict whether a warning fails it
 */
export function loginExitCode(result: GuardResult, isStrict: boolean): number {
  const { expectation } = result;
  const code =
    expectation === null
      ? guardExitCode(result)
      : expectedExitCode(result, { outcome: expectation.outcome, deniedBy: expectation.deniedBy ?? undefined });
  return isStrict && code === exitCodes.asExpected && hasWarnings(result) ? exitCodes.failed : code;
}

/**
 * Whether a guard denied with a message about the token of the call. If there is a page, "token" may be something its
 * user typed.
 */
export function wasDoubted({ stages }: GuardResult): boolean {
  const denied = stages.find(({ result }) => result === "denied");
  return denied?.type === "direct" && doubtsToken(denied.reason ?? "");
}

/** Whether a guard ended the login with 401 or 403. */
export function wasRefused({ stages }: GuardResult): boolean {
  return stages.at(-1)?.refused === true;
}
