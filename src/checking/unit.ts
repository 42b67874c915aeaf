import type { ChoiceReader } from "../config/choices.ts";
import type { AppReturn } from "./app-return.ts";
import type { CheckFacts } from "./check.ts";
import type { DeclaredApp } from "./declared-app.ts";
import type { VerifyContext } from "./verify-context.ts";
import type { CheckResult } from "./verify-result.ts";

/** Why a run ended before all its checks had run. */
export interface Ended {
  readonly by: "bail" | "timeout" | "interruption";
  readonly reason: string;
}

/** Whether calls were aborted at the end of a run: then missing answers say nothing about the app. */
export function cutsCalls(ended: Ended | null): ended is Ended {
  return ended !== null && ended.by !== "bail";
}

/** How checks with random requests run. */
export interface Fuzz {
  /** How many random cases each of them tries. */
  readonly cases: number;
  /** Absolute path of the folder for the smallest case that failed; null: it is not saved. */
  readonly folder: string | null;
}

/** What verifying any part of an app needs. */
export interface Verification {
  readonly context: VerifyContext;
  readonly choices: ChoiceReader;
  readonly apps: readonly DeclaredApp[];
  /** From 1. */
  readonly run: number;
  readonly seed: number;
  /** Whether an app is there; waits for one that a check brought down. */
  readonly isBack: AppReturn;
  /** Whether checks of a slow app may run in several lanes. */
  readonly mayUseLanes: boolean;
  /** How random checks run; null: they do not. */
  readonly fuzz: Fuzz | null;
  /** Whether this check is selected. */
  readonly wants: (check: CheckFacts) => boolean;
  readonly onCheck: (module: string | null, check: CheckFacts, what: "began" | "ended") => void;
  /** Called with each result, at most once for each check of a unit. */
  readonly onResult: (result: CheckResult) => void;
  /** Whether `onResult` was called for this check. */
  readonly hasResult: (result: CheckResult) => boolean;
  /** The fact with this name: found out earlier in the run, or else now. */
  readonly once: <Found>(name: string, find: () => Promise<Found>) => Promise<Found>;
  /** Why no further check is to begin; null: the run goes on. */
  readonly ended: () => Ended | null;
}

/** What is verified together: units run in parallel, and within one, only the checks of a slow app do. */
export interface Unit {
  /** Key of the module; null: it belongs to none. */
  readonly module: string | null;
  /** The selected checks. */
  readonly checks: readonly CheckFacts[];
  /** Runs exactly these, and resolves with their results. */
  run(): Promise<readonly CheckResult[]>;
}
