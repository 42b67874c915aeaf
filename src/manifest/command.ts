import { runWithSimulator } from "../command-line/session.ts";
import type { Invocation } from "../output/invocation.ts";
import { manifestText } from "./manifest-text.ts";

/** `app-sim manifest` */
export function manifest(invocation: Invocation): Promise<number> {
  return runWithSimulator(
    invocation,
    (simulator) => simulator.manifest(),
    (result) => manifestText(result, invocation.paint),
  );
}
