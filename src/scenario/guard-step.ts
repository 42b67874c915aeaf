import type { GuardResult } from "../guard/guard-result.ts";
import type { GuardAction } from "./scenario-schema.ts";
import { failed, passed, type StepOutcome } from "./step-outcome.ts";

/** A denial is what a guard says: one that cannot be reached, or breaks the contract, was not expected. */
export function judgeGuard({ expect = "granted" }: GuardAction, result: GuardResult): StepOutcome {
  const { outcome, stages, reason, hint, failure } = result;
  const exchanges = stages.flatMap((stage) => stage.exchanges);
  if (outcome !== expect || failure !== null)
    return failed(reason ?? `the login was ${outcome}, not ${expect}`, hint, exchanges, failure ?? "other");
  const isBare = outcome === "granted" && stages.every(({ stage }) => stage !== "guard");
  return isBare ? failed("no app has a guard that could be asked", null, exchanges) : passed(exchanges);
}
