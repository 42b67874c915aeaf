import { installText } from "../report/install-text.ts";
import type { InstallOptions } from "../simulator/run-install.ts";
import type { Invocation } from "./invocation.ts";
import { runWithSimulator } from "./session.ts";

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
