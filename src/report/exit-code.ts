import type { Failure, Result } from "../simulator/results.ts";

/** The exit codes of the command line; a test holds the README's table to them. */
export const exitCodes = {
  asExpected: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  timedOut: 4,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;

/** The exit code that a result stands for. */
export function exitCodeOf(result: Result): number {
  switch (result.command) {
    case "guard":
      return result.outcome === "granted" ? exitCodes.asExpected : ofFailures([result.failure]);
    case "post-import": {
      const failed = result.jobs.filter((job) => job.outcome === "failed");
      const nothingSent = result.jobs.every((job) => job.outcome === "skipped");
      return failed.length === 0 && !nothingSent ? exitCodes.asExpected : ofFailures(failed.map((job) => job.failure));
    }
    case "manifest":
      return result.outcome === "ok" ? exitCodes.asExpected : ofFailures([result.failure]);
    case "webhook":
      return result.outcome === "acknowledged"
        ? exitCodes.asExpected
        : ofFailures([
            result.failure,
            ...result.deliveries
              .filter(({ acknowledged }) => !acknowledged)
              .map(({ attempts }) => attempts.at(-1)?.failure ?? null),
          ]);
    case "demo":
      return result.outcome === "ok" ? exitCodes.asExpected : exitCodes.failed;
  }
}

/** Of several failures the one counts that says most about where to look: no app, then a slow app. */
function ofFailures(failures: readonly Failure[]): number {
  if (failures.includes("interrupted")) return exitCodes.interrupted;
  if (failures.includes("unreachable")) return exitCodes.unreachable;
  return failures.includes("timed-out") ? exitCodes.timedOut : exitCodes.failed;
}
