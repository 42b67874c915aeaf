import path from "node:path";
import type { CommandCall } from "../action/command-call.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import type { SimulatorFace } from "../platform/simulator-options.ts";
import type { VerifyFlags, VerifyMethods } from "./action.ts";
import { explainCheck, listChecks } from "./list-checks.ts";
import { reportAfterwards } from "./report/github-report.ts";
import { reportIn } from "./report/report-in.ts";
import type { VerifyOptions } from "./verify-options.ts";
import type { VerifyResult } from "./verify-result.ts";

type VerifyCall = CommandCall<SimulatorFace & VerifyMethods, VerifyFlags, VerifyOptions>;

/** `app-sim verify` */
export async function verifyCommand(call: VerifyCall): Promise<number> {
  const { invocation, flags, options } = call;
  if (flags.explain !== undefined) return explainCheck(invocation, flags.explain);
  if (flags.list === true) return listChecks(invocation, options);
  return runVerifyCommand(call, options);
}

/** Runs checks with these options, and reports them in the format of the invocation. */
export function runVerifyCommand(
  { invocation, onSimulator }: Pick<VerifyCall, "invocation" | "onSimulator">,
  options: VerifyOptions,
): Promise<number> {
  const { format, paint, cwd, waitMs } = invocation;
  let secrets: readonly string[] = [];
  let journal: Journal | null = null;
  const evidences = () => ({ find: (id: string) => exchangeIn(journal, id), secrets });
  return onSimulator(
    (simulator, session) => {
      secrets = session.secrets;
      journal = simulator.journal;
      const baseline = options.baseline === undefined ? {} : { baseline: path.resolve(cwd, options.baseline) };
      return simulator.verify({ ...options, ...baseline, ...(waitMs > 0 ? { wait: waitMs } : {}) });
    },
    {
      text: (result) => reportIn(format, result, evidences(), paint),
      exitCode: verifyExitCode,
      afterwards: (result) => reportAfterwards(invocation, result, evidences()),
    },
  );
}

function exchangeIn(journal: Journal | null, id: string): Exchange | null {
  const record = journal?.find(id);
  return record?.type === "exchange" ? record : null;
}

export function verifyExitCode({ outcome, failure }: VerifyResult): number {
  return outcome === "passed" ? exitCodes.asExpected : exitCodeOfFailures([failure]);
}
