import type { CommandCall } from "../action/command-call.ts";
import { exitCodes } from "../output/exit-code.ts";
import type { Paint } from "../output/paint.ts";
import type { InstallFlags, InstallMethods } from "./action.ts";
import { type InstallExpectation, installExitCode } from "./exit-code.ts";
import type { InstallOptions } from "./install-options.ts";
import type { InstallResult } from "./install-result.ts";
import { installText, resetText } from "./install-text.ts";

type InstallCall = CommandCall<InstallMethods, InstallFlags, InstallOptions>;

/** `app-sim install` and `app-sim uninstall` */
export function installCommand(name: "install" | "uninstall"): (call: InstallCall) => Promise<number> {
  return ({ invocation, flags, options, onSimulator }) =>
    onSimulator((simulator) => simulator[name](options), {
      text: (result, exchanges) => [
        ...installText(result, exchanges, invocation.paint),
        ...(flags.expect === undefined ? [] : [endLine(flags.expect, result, invocation.paint)]),
      ],
      exitCode: (result) => installExitCode(result, flags.expect),
    });
}

/** `app-sim reset` */
export function resetCommand({ onSimulator }: CommandCall<InstallMethods>): Promise<number> {
  return onSimulator((simulator) => simulator.reset(), {
    text: resetText,
    exitCode: () => exitCodes.asExpected,
  });
}

/** Whether the event ended as it was expected to. */
function endLine(expect: InstallExpectation, result: InstallResult, paint: Paint): string {
  return installExitCode(result, expect) === 0
    ? paint.good(`as expected: ${expect}`)
    : paint.bad(`not as expected: ${expect} was expected`);
}
