import type { CheckFacts } from "../rules/check.ts";

/** Every check of area `import`. */
export const importChecks: readonly CheckFacts[] = [];
