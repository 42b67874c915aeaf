import type { CommandCall } from "../action/command-call.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import type { InstallMethods } from "./action.ts";
import type { InstallOptions } from "./install-options.ts";
import type { InstallResult } from "./install-result.ts";
import { installText } from "./install-text.ts";

type InstallCall = CommandCall<InstallMethods, unknown, InstallOptions>;

/** `app-sim install` and `app-sim uninstall` */
export function installCommand(name: "install" | "uninstall"): (call: InstallCall) => Promise<number> {
  return ({ invocation, options, onSimulator }) =>
    onSimulator((simulator) => simulator[name](options), {
      text: (result, exchanges) => installText(result, exchanges, invocation.paint),
      exitCode: installExitCode,
    });
}

/** `app-sim reset` */
export function resetCommand({ onSimulator }: CommandCall<InstallMethods>): Promise<number> {
  return onSimulator((simulator) => simulator.reset(), {
    text: () => ["Installations and tokens are forgotten: every app is installed, and none has a token"],
    exitCode: () => exitCodes.asExpected,
  });
}

export function installExitCode({ outcome, failure, apps }: InstallResult): number {
  if (outcome === "installed" || outcome === "uninstalled") return exitCodes.asExpected;
  return exitCodeOfFailures([failure, ...apps.map((app) => app.failure)]);
}
