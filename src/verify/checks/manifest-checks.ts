import type { CheckFacts } from "../rules/check.ts";

/** Every check of area `manifest`. */
export const manifestChecks: readonly CheckFacts[] = [];
