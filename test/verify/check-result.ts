import type { CheckResult } from "../../src/checking/verify-result.ts";

/** The result of a check that found nothing, some of its parts replaced. */
export function checkResult(changes: Partial<CheckResult> = {}): CheckResult {
  const { result = "pass" } = changes;
  return {
    id: "guard.token.expired",
    title: "The guard refuses an expired token",
    area: "guard",
    module: "office",
    subject: "guard office",
    section: "5.1",
    severity: "must",
    result,
    reason: result === "pass" ? null : "why",
    hint: null,
    changes: null,
    control: null,
    twin: null,
    exchanges: [],
    choices: [],
    known: null,
    runs: [result],
    ...changes,
  };
}
