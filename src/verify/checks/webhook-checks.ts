import type { CheckFacts } from "../rules/check.ts";

/** Every check of area `webhook`. */
export const webhookChecks: readonly CheckFacts[] = [];
