import type { CommandCall } from "../action/command-call.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import { strictLine } from "../output/text.ts";
import type { ManifestFlags, ManifestMethods } from "./action.ts";
import type { ManifestResult } from "./manifest-result.ts";
import { manifestText } from "./manifest-text.ts";

/** `app-sim manifest` */
export function manifestCommand({
  invocation: { paint },
  flags: { strict = false },
  onSimulator,
}: CommandCall<ManifestMethods, ManifestFlags>): Promise<number> {
  const isStrict = (result: ManifestResult) => strict && result.outcome === "ok" && result.warnings.length > 0;
  return onSimulator((simulator) => simulator.manifest(), {
    text: (result) => [...manifestText(result, paint), ...strictLine(isStrict(result), paint)],
    exitCode: (result) => (isStrict(result) ? exitCodes.failed : manifestExitCode(result)),
  });
}

export function manifestExitCode({ outcome, failure }: ManifestResult): number {
  return outcome === "ok" ? exitCodes.asExpected : exitCodeOfFailures([failure]);
}
