import type { Verification } from "../checking/unit.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import { parseManifest } from "../platform/manifest.ts";
import { warningText } from "../platform/manifest-problems.ts";

/** More would hide what the run came to. */
const NAMED = 3;

/** What is wrong with the manifests and may be why they declare nothing to verify. */
export function unreadModules({ choices }: VerifyContext, apps: Verification["apps"]): string[] {
  const problems = apps.flatMap(({ reading: { value, origins } }) => {
    const names = choices["manifest.names"];
    const { errors, warnings } = parseManifest(value, choices["guard.type.default"], false, origins, names);
    return [...errors, ...warnings.filter(({ kind }) => kind === "slip")];
  });
  return problems.slice(0, NAMED).map(warningText);
}
