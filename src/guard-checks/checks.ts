import type { Check, CheckFacts } from "../checking/check.ts";
import { looseClaimTrials } from "../checking/token-loose-claims.ts";
import { tokenOwnKeyTrial } from "../checking/token-own-key-trial.ts";
import { tokenPartsTrial } from "../checking/token-parts-trial.ts";
import { tokenPlacesTrial } from "../checking/token-places-trial.ts";
import { tokenSecretsTrial } from "../checking/token-secrets-trial.ts";
import { tokenSpellingTwin } from "../checking/token-spelling-twin.ts";
import { tokenTrials } from "../checking/token-trials.ts";
import { type TokenPlace, tokenTwins } from "../checking/token-twins.ts";
import { alikeUserCodeCheck } from "./alike-user-code.ts";
import { guardAnswerChecks } from "./answers.ts";
import { alikeChecks, bindingTwins } from "./binding.ts";
import { guardBodyChecks } from "./body.ts";
import { callChecks } from "./calls.ts";
import { codeTriesCheck } from "./code-tries.ts";
import { codeValueChecks } from "./code-values.ts";
import { codeChecks } from "./codes.ts";
import { deniedChecks } from "./denied.ts";
import { everyBodyCheck, everyUserCheck } from "./every-user.ts";
import { finalAcceptedCheck } from "./final-accepted.ts";
import { finalAtOnceCheck } from "./final-at-once.ts";
import { forgedCodeTwins } from "./forged-codes.ts";
import { largeIdCheck } from "./large-id-check.ts";
import { laterCodeCheck } from "./later-code.ts";
import { leakedSignatureCheck } from "./leaked-signature.ts";
import { leftCodesCheck } from "./left-codes.ts";
import { letInChecks } from "./let-in-checks.ts";
import { newcomerCheck } from "./newcomers.ts";
import { ofUserCheck } from "./of-user-check.ts";
import { othersAskedCheck } from "./others-asked.ts";
import { othersTokenCodeCheck } from "./others-token-code.ts";
import { othersWrongCheck } from "./others-wrong.ts";
import { similarAddressCheck } from "./similar-address.ts";
import { similarUserCheck } from "./similar-user.ts";
import { toldCodeCheck } from "./told-code.ts";
import type { FinalTrial, GuardTrial } from "./trial.ts";
import { unfinishedCheck } from "./unfinished.ts";
import { unusualBindingChecks } from "./unusual-bindings.ts";
import { unusualCallChecks } from "./unusual-calls.ts";

const firstCall: TokenPlace = { prefix: "guard.token", area: "guard", what: "The guard" };

const finalCall: TokenPlace = { prefix: "guard.final.token", area: "guard", what: "The guard's final call" };

/** The checks of a guard's first call (hardening G1 to G13, G16 to G19). */
export const firstCallChecks: readonly Check<GuardTrial>[] = [
  ...tokenTwins(firstCall),
  ...bindingTwins("guard.body"),
  ...alikeChecks,
  ...unusualBindingChecks,
  ...guardBodyChecks,
  ...deniedChecks,
  similarUserCheck,
  similarAddressCheck,
  ofUserCheck,
  ...callChecks,
  ...unusualCallChecks,
  ...letInChecks,
  ...tokenTrials(firstCall),
  tokenPlacesTrial(firstCall),
  tokenSecretsTrial(firstCall),
  everyUserCheck,
  everyBodyCheck,
  ...looseClaimTrials(firstCall),
  tokenPartsTrial(firstCall),
  tokenOwnKeyTrial(firstCall),
  tokenSpellingTwin(firstCall),
  ...guardAnswerChecks("guard.answer", "first call"),
  leakedSignatureCheck,
];

/** The checks of the final call of a guard with a page (hardening G1 to G15, G19). */
export const finalCallChecks: readonly Check<FinalTrial>[] = [
  finalAcceptedCheck,
  ...tokenTwins(finalCall),
  ...tokenTrials(finalCall),
  tokenPlacesTrial(finalCall),
  tokenSecretsTrial(finalCall),
  ...bindingTwins("guard.final.body"),
  ...codeChecks,
  ...forgedCodeTwins,
  leftCodesCheck,
  ...codeValueChecks,
  codeTriesCheck,
  toldCodeCheck,
  alikeUserCodeCheck,
  finalAtOnceCheck,
  newcomerCheck,
  unfinishedCheck,
  laterCodeCheck,
  othersTokenCodeCheck,
  othersWrongCheck,
  othersAskedCheck,
  largeIdCheck,
  ...guardAnswerChecks("guard.final.answer", "final call"),
];

/** Every check of area `guard`. */
export const guardChecks: readonly CheckFacts[] = [...firstCallChecks, ...finalCallChecks];
