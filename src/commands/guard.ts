import { UsageError } from "../protocol/usage-error.ts";
import { type Expectation, exitCodeOf, exitCodeOfExpected } from "../report/exit-code.ts";
import { expectationText, guardText } from "../report/guard-text.ts";
import type { Invocation } from "./invocation.ts";
import { runWithSimulator } from "./session.ts";

interface GuardOptions {
  readonly module?: readonly string[];
  readonly expect?: "granted" | "denied";
  readonly expectDeniedBy?: string;
}

/** `app-sim guard` */
export async function guard(invocation: Invocation, { module, ...expected }: GuardOptions): Promise<number> {
  const expectation = expectationOf(expected);
  return runWithSimulator(
    invocation,
    (simulator) => simulator.guard(module === undefined ? {} : { modules: module }),
    (result, exchanges) => [
      ...guardText(result, exchanges, invocation.paint),
      ...(expectation === null
        ? []
        : expectationText(expectation, exitCodeOfExpected(result, expectation) === 0, invocation.paint)),
    ],
    (result) => (expectation === null ? exitCodeOf(result) : exitCodeOfExpected(result, expectation)),
  );
}

function expectationOf({ expect, expectDeniedBy }: GuardOptions): Expectation | null {
  if (expectDeniedBy === undefined) return expect === undefined ? null : { outcome: expect };
  if (expect !== "granted") return { outcome: "denied", deniedBy: expectDeniedBy };
  throw new UsageError(
    "expectation-invalid",
    "--expect granted and --expect-denied-by exclude each other",
    "keep one of the two",
  );
}
