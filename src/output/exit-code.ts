import type { ExploreResult } from "../guard/explore/explore-result.ts";
import type { Failure } from "../platform/result-parts.ts";
import type { GuardResult, ImportedJob, Result } from "../platform/results.ts";
import type { ScenarioResult } from "../scenario/scenario-result.ts";
import type { Delivery } from "../webhook/webhook-result.ts";

/** The exit codes of the command line; docs/errors.md has them in words. */
export const exitCodes = {
  asExpected: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  timedOut: 4,
  bug: 70,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** The exit code that a result stands for. */
export function exitCodeOf(result: Result | ExploreResult): number {
  switch (result.command) {
    case "guard":
      // A login in which no guard was there to be asked shows nothing of the app: not what was expected.
      return result.outcome === "granted" && hasGuards(result) ? exitCodes.asExpected : ofFailures([result.failure]);
    case "post-import": {
      const unexpected = result.jobs.filter((job) => !isAsExpected(job));
      const nothingSent = result.jobs.every((job) => job.outcome === "skipped");
      return unexpected.length === 0 && !nothingSent
        ? exitCodes.asExpected
        : ofFailures(unexpected.map((job) => job.failure));
    }
    case "manifest":
      return result.outcome === "ok" ? exitCodes.asExpected : ofFailures([result.failure]);
    case "webhook":
    case "replay":
      return result.outcome === "acknowledged" || result.outcome === "refused"
        ? exitCodes.asExpected
        : ofFailures([result.failure, ...result.deliveries.map(failureOfDelivery)]);
    case "webhook-signature":
      return exitCodes.asExpected;
    case "load":
    case "load-export":
      return result.outcome === "ok" ? exitCodes.asExpected : ofFailures([result.failure]);
    case "run":
      if (isMistaken(result)) return exitCodes.usage;
      return result.outcome === "passed"
        ? exitCodes.asExpected
        : ofFailures([result.failure, ...result.scenarios.flatMap(({ steps }) => steps.map(({ failure }) => failure))]);
    case "oauth": {
      const { outcome, decision, failure } = result;
      // A user who was not let decide shows nothing of the app's login.
      const asExpected = outcome === "ok" || (outcome === "denied" && decision === "deny");
      return asExpected ? exitCodes.asExpected : ofFailures([failure]);
    }
    case "install":
    case "uninstall":
      return result.outcome === "installed" || result.outcome === "uninstalled"
        ? exitCodes.asExpected
        : ofFailures([result.failure, ...result.apps.map(({ failure }) => failure)]);
    case "explore":
      return result.outcome === "complete" ? exitCodes.asExpected : ofFailures([result.failure]);
    case "demo":
      return result.outcome === "ok" ? exitCodes.asExpected : exitCodes.failed;
  }
}

/**
 * Whether a job ended as it should: as the expected answer beside the fixture says, which may be a failure, or
 * without one. An app that is not there, or is slow, gave no answer that could be the expected one.
 */
export function isAsExpected({ outcome, failure, expected }: ImportedJob): boolean {
  if (expected?.result === "different") return false;
  return outcome !== "failed" || (expected?.result === "same" && (failure ?? "other") === "other");
}

/** Whether nothing else failed than steps that nobody could take. */
function isMistaken({ scenarios }: ScenarioResult): boolean {
  const wrong = scenarios.flatMap(({ steps }) => steps.filter(({ result }) => result === "failed"));
  return (
    wrong.length > 0 && wrong.every(({ mistake }) => mistake) && scenarios.every(({ outcome }) => outcome !== "skipped")
  );
}

/** What kept a delivery from its end; null where that is as it has to be. */
function failureOfDelivery({ asExpected, attempts }: Delivery): Failure {
  return asExpected ? null : (attempts.at(-1)?.failure ?? null);
}

/** Whether there was any guard in the login, be it one that the user is exempt from. */
export function hasGuards({ stages }: GuardResult): boolean {
  return stages.some(({ stage }) => stage === "guard");
}

/** What the user expects of a login. */
export interface Expectation {
  readonly outcome: "granted" | "denied";
  /** Key of the guard that shall deny. */
  readonly deniedBy?: string | undefined;
}

/**
 * The exit code of a login that was expected to end in some way. A denial counts as expected only when a guard
 * itself said no, or a stage was failed on purpose: an app that cannot be reached, or breaks the contract, fails the expectation.
 */
export function exitCodeOfExpected(result: GuardResult, { outcome, deniedBy }: Expectation): number {
  if (outcome === "granted") return exitCodeOf(result);
  const asExpected =
    result.outcome === "denied" && result.failure === null && (deniedBy ?? result.deniedBy) === result.deniedBy;
  return asExpected ? exitCodes.asExpected : ofFailures([result.failure]);
}

/** Of several failures the one counts that says most about where to look: no app, then a slow app. */
function ofFailures(failures: readonly Failure[]): number {
  if (failures.includes("interrupted")) return exitCodes.interrupted;
  if (failures.includes("unreachable")) return exitCodes.unreachable;
  return failures.includes("timed-out") ? exitCodes.timedOut : exitCodes.failed;
}
