import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import type { InstallResult } from "./install-result.ts";

/** What the user expects of an installation or uninstallation. */
export type InstallExpectation = "accepted" | "failed";

/** The exit code of installation events; an app that cannot be reached fails either expectation. */
export function installExitCode(result: InstallResult, expect: InstallExpectation = "accepted"): number {
  const { outcome, failure, apps } = result;
  const asExpected =
    expect === "failed" ? isRefusedInstall(result) : outcome === "installed" || outcome === "uninstalled";
  return asExpected ? exitCodes.asExpected : exitCodeOfFailures([failure, ...apps.map((app) => app.failure)]);
}

/** Whether an app answered the event, but not with 2XX. */
export function isRefusedInstall({ outcome, failure }: Pick<InstallResult, "outcome" | "failure">): boolean {
  return outcome === "failed" && failure === "other";
}
