import type { ChoiceReader } from "../config/choices.ts";
import type { CheckFacts } from "./check.ts";
import type { DeclaredApp } from "./declared-app.ts";
import type { VerifyContext } from "./verify-context.ts";
import type { CheckResult } from "./verify-result.ts";

/** Why a run ended before all its checks had run. */
export interface Ended {
  readonly by: "bail" | "timeout" | "interruption";
  readonly reason: string;
}

/** Whether calls were cut off when a run ended: what did not come because of it says nothing of the app. */
export function cutsCalls(ended: Ended | null): ended is Ended {
  return ended !== null && ended.by !== "bail";
}

/** How checks with random requests run. */
export interface Fuzz {
  /** How many random cases each of them tries. */
  readonly cases: number;
  /** Absolute path of the folder in which the smallest case that failed is saved; null: none is. */
  readonly folder: string | null;
}

/** What every part of an app is verified with. */
export interface Verification {
  readonly context: VerifyContext;
  readonly choices: ChoiceReader;
  readonly apps: readonly DeclaredApp[];
  /** From 1. */
  readonly run: number;
  readonly seed: number;
  /** Milliseconds that an app which is gone gets to come back. */
  readonly waitMs: number;
  /** What checks with random requests do; null: they do not run. */
  readonly fuzz: Fuzz | null;
  /** Whether this check is to run. */
  readonly wants: (check: CheckFacts) => boolean;
  readonly onCheck: (module: string | null, check: CheckFacts, what: "began" | "ended") => void;
  /** Runs with each result as it is made, at most once for each check of a unit. */
  readonly onResult: (result: CheckResult) => void;
  /** Whether `onResult` has run with the result of this check. */
  readonly hasResult: (result: CheckResult) => boolean;
  /** What was found out under this name in another part of the run, or else now. */
  readonly once: <Found>(name: string, find: () => Promise<Found>) => Promise<Found>;
  /** Why no further check is to begin; null: the run goes on. */
  readonly ended: () => Ended | null;
}

/** What is verified in one go: requests of one unit follow one another, units run side by side. */
export interface Unit {
  /** Key of the module; null: it belongs to none. */
  readonly module: string | null;
  /** Those that run, whatever the app lets them find. */
  readonly checks: readonly CheckFacts[];
  /** Runs them, and resolves with the results of these and no others. */
  run(): Promise<readonly CheckResult[]>;
}
