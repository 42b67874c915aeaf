import type { CheckFacts } from "../rules/check.ts";

/** Every check of area `oauth`. */
export const oauthChecks: readonly CheckFacts[] = [];
