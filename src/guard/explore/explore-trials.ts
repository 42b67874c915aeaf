import type { ChoiceReader } from "../../config/choices.ts";
import type { Failure } from "../../platform/result-parts.ts";
import type { GuardResult } from "../guard-result.ts";
import type { PlanOptions } from "../login/login-plan.ts";

/** Why an exploration cannot go on. */
export interface CallTrouble {
  readonly reason: string;
  readonly hint: string | null;
  readonly failure: Failure;
}

/** One login of an exploration; `result` is null where it was not begun any more. */
export interface Trial {
  readonly result: GuardResult | null;
  readonly trouble: CallTrouble | null;
}

/** The logins of one exploration. */
export interface Trials {
  /** One login, unless an earlier one showed that none can succeed: no app is there, or nobody waits any more. */
  run(options: PlanOptions): Promise<Trial>;
  /** What ended the exploration as a whole. */
  end(): CallTrouble | null;
  /** How many were begun. */
  count(): number;
  /** What the app's answers gave cause to warn of, each once, sorted: logins end in any order. */
  warnings(): string[];
}

/**
 * @param login makes one login, from password to its end
 * @param choices learns what the logins relied on
 */
export function createTrials(
  login: (options: PlanOptions) => Promise<GuardResult>,
  choices: Pick<ChoiceReader, "relyOn">,
): Trials {
  const warnings = new Set<string>();
  let count = 0;
  let end: CallTrouble | null = null;
  return {
    async run(options) {
      if (end !== null) return { result: null, trouble: end };
      count++;
      const result = await login(options);
      for (const choice of result.choices) choices.relyOn(choice);
      for (const stage of result.stages)
        for (const warning of stage.warnings ?? []) warnings.add(`${stage.module}: ${warning}`);
      const trouble = troubleOf(result);
      if (trouble?.failure === "unreachable" || trouble?.failure === "interrupted") end ??= trouble;
      return { result, trouble };
    },
    end: () => end,
    count: () => count,
    warnings: () => [...warnings].sort(),
  };
}

/** A page that cannot be walked leaves its login undecided; it is a failed call that ends one with a failure. */
function troubleOf({ outcome, reason, hint, failure }: GuardResult): CallTrouble | null {
  if (failure === null || (outcome === "needs-user" && failure !== "interrupted")) return null;
  return { reason: reason ?? "a call failed", hint, failure };
}
