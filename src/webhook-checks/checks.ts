import type { Check } from "../checking/check.ts";
import { webhookAnswerChecks } from "./answers.ts";
import { webhookBodyChecks } from "./body.ts";
import { decodedText } from "./decoded-text.ts";
import { eventCountChecks } from "./event-counts.ts";
import { forgeryChecks } from "./forgeries.ts";
import { recipientChecks } from "./recipient.ts";
import { repeatChecks } from "./repeats.ts";
import { signatureChecks } from "./signature.ts";
import { toleranceChecks } from "./tolerance.ts";

/** Every check of area `webhook`. */
export const webhookChecks: readonly Check[] = [
  ...webhookAnswerChecks,
  ...signatureChecks,
  ...forgeryChecks,
  ...webhookBodyChecks,
  decodedText,
  ...eventCountChecks,
  ...repeatChecks,
  ...toleranceChecks,
  ...recipientChecks,
];
