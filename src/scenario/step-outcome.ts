import type { Failure } from "../platform/result-parts.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** What came of a step; `failure` is null where it passed. */
export interface StepOutcome {
  readonly failure: Failure;
  readonly reason: string | null;
  readonly hint: string | null;
  readonly exchanges: readonly string[];
  /** Those of them that made it fail, where that is known. */
  readonly decisive: readonly string[];
  /** The step asks for what is not possible: it is the scenario that is wrong, and not the app. */
  readonly mistake: boolean;
}

export function passed(exchanges: readonly string[] = []): StepOutcome {
  return { failure: null, reason: null, hint: null, exchanges, decisive: [], mistake: false };
}

/** @param failure what decides the exit code; most often the app is there and does something else than expected */
export function failed(
  reason: string,
  hint: string | null,
  exchanges: readonly string[] = [],
  failure: Exclude<Failure, null> = "other",
): StepOutcome {
  return { failure, reason, hint, exchanges, decisive: [], mistake: false };
}

/** What was under way when the simulator was told to end, or to come. */
export const interrupted = failed("interrupted", null, [], "interrupted");

/**
 * A step that cannot be taken as it is written.
 * @throws whatever is no UsageError
 */
export function mistaken(error: unknown): StepOutcome {
  if (!(error instanceof UsageError)) throw error;
  return { ...failed(error.message, error.hint), mistake: true };
}
