import type { Invocation } from "../action/invocation.ts";
import type { Problem, UsageError } from "../protocol/usage-error.ts";
import type { Diagnosis, DoctorResult } from "./doctor-result.ts";
import { browserOf, versionsOf } from "./examine-machine.ts";

/** What depends on the configuration: the directory, the port, the app's address, and its secrets. */
const configured = ["journal", "port", "app", "manifest", "secrets", "clock"] as const;

/** Checks what needs no configuration, if there is no valid one. */
export async function examineUnconfigured(error: UsageError, invocation: Invocation): Promise<DoctorResult> {
  const untried = configured.map((check): Diagnosis => {
    return { check, result: "skipped", message: "not tried: the configuration has to be valid first", hint: null };
  });
  return {
    command: "doctor",
    outcome: "failed",
    failure: "other",
    checks: [versionsOf(invocation), unusableConfig(error), ...untried, await browserOf(invocation, null)],
    warnings: [],
    choices: [],
  };
}

/** Nobody reads more than this in one line. */
const NAMED_PROBLEMS = 6;

function unusableConfig({ summary, problems, hint }: UsageError): Diagnosis {
  const named = problems.slice(0, NAMED_PROBLEMS).map(({ path, message }: Problem) => `${path} ${message}`.trim());
  const more = problems.length - named.length;
  const others = more === 0 ? "" : `; and ${more} more: app-sim config`;
  const message = named.length === 0 ? summary : `${summary}: ${named.join("; ")}${others}`;
  return { check: "config", result: "failed", message, hint };
}
