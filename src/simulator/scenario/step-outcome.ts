import type { Failure } from "../result-parts.ts";

/** What came of a step; `failure` is null where it passed. */
export interface StepOutcome {
  readonly failure: Failure;
  readonly reason: string | null;
  readonly hint: string | null;
  readonly exchanges: readonly string[];
}

export function passed(exchanges: readonly string[] = []): StepOutcome {
  return { failure: null, reason: null, hint: null, exchanges };
}

/** @param failure what decides the exit code; most often the app is there and does something else than expected */
export function failed(
  reason: string,
  hint: string | null,
  exchanges: readonly string[] = [],
  failure: Exclude<Failure, null> = "other",
): StepOutcome {
  return { failure, reason, hint, exchanges };
}
