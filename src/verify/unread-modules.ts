import type { Verification } from "../checking/unit.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import { parseManifest } from "../platform/manifest.ts";
import { warningText } from "../platform/manifest-problems.ts";

/** A longer list would hide the outcome of the run. */
const NAMED = 3;

/** Manifest problems that may explain why there is nothing to verify. */
export function unreadModules({ choices }: VerifyContext, apps: Verification["apps"]): string[] {
  const problems = apps.flatMap(({ reading: { value, origins } }) => {
    const rules = { defaultGuardType: choices["guard.type.default"], origins, names: choices["manifest.names"] };
    const { errors, warnings } = parseManifest(value, rules);
    return [...errors, ...warnings.filter(({ kind }) => kind === "slip")];
  });
  return problems.slice(0, NAMED).map(warningText);
}
