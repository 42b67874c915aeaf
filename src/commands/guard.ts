import { guardText } from "../report/guard-text.ts";
import type { Invocation } from "./invocation.ts";
import { runWithSimulator } from "./session.ts";

/** `app-sim guard` */
export function guard(invocation: Invocation, { module }: { readonly module?: readonly string[] }): Promise<number> {
  return runWithSimulator(
    invocation,
    (simulator) => simulator.guard(module === undefined ? {} : { modules: module }),
    (result, exchanges) => guardText(result, exchanges, invocation.paint),
  );
}
