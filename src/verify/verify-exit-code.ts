import type { VerifyResult } from "../checking/verify-result.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";

export function verifyExitCode({ outcome, failure }: VerifyResult): number {
  return outcome === "passed" ? exitCodes.asExpected : exitCodeOfFailures([failure]);
}
