import type { Check } from "../rules/check.ts";
import { answerChecks } from "./webhook-answers.ts";
import { bodyChecks } from "./webhook-body.ts";
import { repeatChecks } from "./webhook-repeats.ts";
import { signatureChecks } from "./webhook-signature.ts";
import { toleranceChecks } from "./webhook-tolerance.ts";

/** Every check of area `webhook`. */
export const webhookChecks: readonly Check[] = [
  ...answerChecks,
  ...signatureChecks,
  ...bodyChecks,
  ...repeatChecks,
  ...toleranceChecks,
];
