import { firstCallChecks } from "./checks/guard-checks.ts";
import type { CheckFacts } from "./rules/check.ts";

/** Every check there is, in the order of docs/checks.md. */
export const allChecks: readonly CheckFacts[] = [...firstCallChecks];
