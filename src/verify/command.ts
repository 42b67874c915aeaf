import type { CommandCall } from "../action/command-call.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import type { VerifyMethods } from "./action.ts";
import { verifyText } from "./text/verify-text.ts";
import type { VerifyOptions } from "./verify-options.ts";
import type { VerifyResult } from "./verify-result.ts";

/** `app-sim verify` */
export function verifyCommand({
  invocation,
  options,
  onSimulator,
}: CommandCall<VerifyMethods, unknown, VerifyOptions>): Promise<number> {
  return onSimulator((simulator) => simulator.verify(options), {
    text: (result, exchanges) => verifyText(result, exchanges, invocation.paint),
    exitCode: verifyExitCode,
  });
}

export function verifyExitCode({ outcome, failure }: VerifyResult): number {
  return outcome === "passed" ? exitCodes.asExpected : exitCodeOfFailures([failure]);
}
