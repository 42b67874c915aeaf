import type { Failure } from "../platform/result-parts.ts";

/** The exit codes of the command line; docs/errors.md explains them. */
export const exitCodes = {
  asExpected: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  timedOut: 4,
  bug: 70,
  exhausted: 71,
  unwritable: 74,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** The exit code of several failures: the one that best says where to look, an unreachable app before a slow one. */
export function exitCodeOfFailures(failures: readonly Failure[]): number {
  if (failures.includes("interrupted")) return exitCodes.interrupted;
  if (failures.includes("unreachable")) return exitCodes.unreachable;
  return failures.includes("timed-out") ? exitCodes.timedOut : exitCodes.failed;
}
