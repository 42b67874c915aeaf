import { manifestText } from "../report/manifest-text.ts";
import type { Invocation } from "./invocation.ts";
import { runWithSimulator } from "./session.ts";

/** `app-sim manifest` */
export function manifest(invocation: Invocation): Promise<number> {
  return runWithSimulator(
    invocation,
    (simulator) => simulator.manifest(),
    (result) => manifestText(result, invocation.paint),
  );
}
