import { runWithSimulator } from "../command-line/session.ts";
import type { Invocation } from "../output/invocation.ts";
import { installText } from "./install-text.ts";
import type { InstallOptions } from "./run-install.ts";

/** `app-sim install` and `app-sim uninstall` */
export function install(
  invocation: Invocation,
  command: "install" | "uninstall",
  options: InstallOptions,
): Promise<number> {
  return runWithSimulator(
    invocation,
    (simulator) => simulator[command](options),
    (result, exchanges) => installText(result, exchanges, invocation.paint),
  );
}
