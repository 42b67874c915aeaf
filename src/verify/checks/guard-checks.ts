import type { Check, CheckFacts } from "../rules/check.ts";
import type { FinalTrial, GuardTrial } from "../subjects/guard-trial.ts";
import { answerChecks } from "./guard-answers.ts";
import { bindingTwins, bodyChecks } from "./guard-body.ts";
import { callChecks } from "./guard-calls.ts";
import { codeValueChecks } from "./guard-code-values.ts";
import { codeChecks } from "./guard-codes.ts";
import { deniedChecks } from "./guard-denied.ts";
import { tokenTwins } from "./token-twins.ts";

/** The checks of a guard's first call (hardening G1 to G13, G16 to G19). */
export const firstCallChecks: readonly Check<GuardTrial>[] = [
  ...tokenTwins({ prefix: "guard.token", area: "guard", what: "The guard" }),
  ...bodyChecks,
  ...deniedChecks,
  ...callChecks,
  ...answerChecks("guard.answer", "first call"),
];

/** The checks of the final call of a guard with a page (hardening G1 to G15, G19). */
export const finalCallChecks: readonly Check<FinalTrial>[] = [
  ...tokenTwins({ prefix: "guard.final.token", area: "guard", what: "The guard's final call" }),
  ...bindingTwins("guard.final.body"),
  ...codeChecks,
  ...codeValueChecks,
  ...answerChecks("guard.final.answer", "final call"),
];

/** Every check of area `guard`. */
export const guardChecks: readonly CheckFacts[] = [...firstCallChecks, ...finalCallChecks];
