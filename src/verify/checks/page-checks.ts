import type { CheckFacts } from "../rules/check.ts";

/** Every check of area `page`. */
export const pageChecks: readonly CheckFacts[] = [];
