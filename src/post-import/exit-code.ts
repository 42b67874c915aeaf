import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import type { ImportedJob, ImportResult } from "./import-result.ts";

/** The exit code of imports. */
export function importExitCode({ jobs }: ImportResult): number {
  const unexpected = jobs.filter((job) => !isAsExpected(job));
  const nothingSent = jobs.every((job) => job.outcome === "skipped");
  if (unexpected.length === 0 && !nothingSent) return exitCodes.asExpected;
  return exitCodeOfFailures(unexpected.map((job) => job.failure));
}

/**
 * Whether a job ended as it should: like the expected answer next to the fixture, which may be a failure, or without
 * one. An app that is down or too slow gave no answer that could be the expected one.
 */
export function isAsExpected({ outcome, failure, expected }: ImportedJob): boolean {
  if (expected?.result === "different") return false;
  return outcome !== "failed" || (expected?.result === "same" && (failure ?? "other") === "other");
}
