import type { CommandCall } from "../action/command-call.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import type { ManifestMethods } from "./action.ts";
import type { ManifestResult } from "./manifest-result.ts";
import { manifestText } from "./manifest-text.ts";

/** `app-sim manifest` */
export function manifestCommand({ invocation, onSimulator }: CommandCall<ManifestMethods>): Promise<number> {
  return onSimulator((simulator) => simulator.manifest(), {
    text: (result) => manifestText(result, invocation.paint),
    exitCode: manifestExitCode,
  });
}

export function manifestExitCode({ outcome, failure }: ManifestResult): number {
  return outcome === "ok" ? exitCodes.asExpected : exitCodeOfFailures([failure]);
}
