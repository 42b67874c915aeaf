import path from "node:path";
import type { CommandCall, Session } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { systemClock } from "../app-client/ports.ts";
import type { VerifyResult } from "../checking/verify-result.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";
import { Redactor } from "../journal/redact.ts";
import { isCi } from "../output/is-ci.ts";
import type { PlatformFace } from "../platform/simulator-options.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { VerifyFlags, VerifyMethods } from "./action.ts";
import { explainCheck, listChecks } from "./list-checks.ts";
import { reportAfterwards } from "./report/github-report.ts";
import { reportIn } from "./report/report-in.ts";
import { verifyExitCode } from "./verify-exit-code.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** The folder next to the config file for the smallest random cases that failed. */
const FOUND = "app-sim-found";

type VerifyCall = CommandCall<PlatformFace & VerifyMethods, VerifyFlags, VerifyOptions>;

/** `app-sim verify` */
export async function verifyCommand(call: VerifyCall): Promise<number> {
  const { invocation, flags, options } = call;
  if (flags.write === true && flags.init !== true)
    throw new UsageError("verify-flags", "--write writes what --init finds out, and --init is missing", "add --init");
  if (flags.explain !== undefined) return explainCheck(invocation, flags.explain);
  if (flags.list === true) return listChecks(invocation, options);
  if (flags.init === true) {
    const { initCommand } = await import("./init-command.ts");
    return initCommand(call as never, flags.write === true);
  }
  if (flags.again === true) {
    const { againCommand } = await import("./again-command.ts");
    return againCommand(call, options);
  }
  return runVerifyCommand(call, options);
}

/** Runs checks with these options, and reports them in the format of the invocation. */
export function runVerifyCommand(
  { invocation, onSimulator }: Pick<VerifyCall, "invocation" | "onSimulator">,
  options: VerifyOptions,
): Promise<number> {
  const { format, paint, cwd, waitMs, report } = invocation;
  const isWhole = report.verbose || report.details;
  let redactor = new Redactor([]);
  let journal: Journal | null = null;
  const evidences = () => ({ find: (id: string) => exchangeIn(journal, id), redactor });
  return onSimulator(
    (simulator, session) => {
      redactor = new Redactor(session.secrets);
      journal = simulator.journal;
      const baseline = options.baseline === undefined ? {} : { baseline: path.resolve(cwd, options.baseline) };
      const found = path.join(session.loaded.directory, FOUND);
      const wanted = { ...options, ...baseline, found, ...(waitMs > 0 ? { wait: waitMs } : {}) };
      return withLive(invocation, session, (live) => simulator.verify({ ...wanted, ...live }));
    },
    {
      text: (result) => reportIn(format, result, evidences(), { paint, isWhole }),
      exitCode: verifyExitCode,
      afterwards: async (result) => {
        const { baseline, updateBaseline } = options;
        if (updateBaseline === true && !isCut(result) && !report.quiet) invocation.err(`written into ${baseline}\n`);
        await reportAfterwards(invocation, result, evidences());
      },
    },
  );
}

/** Runs with a live display in a terminal, and with the usual progress elsewhere. */
async function withLive<Result>(
  { terminal, format, env, paint }: Invocation,
  { progress }: Pick<Session, "progress">,
  run: (live: Pick<VerifyOptions, "onCheck">) => Promise<Result>,
): Promise<Result> {
  if (terminal === null || format !== "text" || isCi(env)) return run({});
  const { showLive } = await import("./live/show-live.tsx");
  progress.silence();
  const { stdin, stdout } = terminal;
  const live = showLive({ stdin, stdout, clock: systemClock, paint });
  return run({ onCheck: live.onCheck }).finally(live.end);
}

/** Whether a run ended before it could write a baseline. */
function isCut({ failure }: Pick<VerifyResult, "failure">): boolean {
  return failure === "interrupted" || failure === "timed-out";
}

function exchangeIn(journal: Journal | null, id: string): Exchange | null {
  const record = journal?.find(id);
  return record?.type === "exchange" ? record : null;
}
