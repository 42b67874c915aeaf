import type { CommandCall } from "../action/command-call.ts";
import { exitCodes } from "../output/exit-code.ts";
import type { InstallFlags, InstallMethods } from "./action.ts";
import { installExitCode } from "./exit-code.ts";
import type { InstallOptions } from "./install-options.ts";
import { installText } from "./install-text.ts";

type InstallCall = CommandCall<InstallMethods, InstallFlags, InstallOptions>;

/** `app-sim install` and `app-sim uninstall` */
export function installCommand(name: "install" | "uninstall"): (call: InstallCall) => Promise<number> {
  return ({ invocation, flags, options, onSimulator }) =>
    onSimulator((simulator) => simulator[name](options), {
      text: (result, exchanges) => installText(result, exchanges, invocation.paint),
      exitCode: (result) => installExitCode(result, flags.expect),
    });
}

/** `app-sim reset` */
export function resetCommand({ onSimulator }: CommandCall<InstallMethods>): Promise<number> {
  return onSimulator((simulator) => simulator.reset(), {
    text: () => ["Installations and tokens are forgotten: every app is installed, and none has a token"],
    exitCode: () => exitCodes.asExpected,
  });
}
