import type { CommandCall } from "../action/command-call.ts";
import type { CommandDefinition } from "../action/define-action.ts";
import type { Invocation, ReportAmount } from "../action/invocation.ts";
import type { LazyPlatform } from "../start-platform.ts";
import type { CommandPlatform } from "./remote-platform.ts";

type Call = CommandCall<CommandPlatform, unknown, unknown, LazyPlatform>;

/** The arguments of a command, its values by kind, and everything that was given, by option name. */
interface ParsedValues extends Pick<Call, "args" | "flags" | "options"> {
  readonly given: Readonly<Record<string, unknown>>;
}

/** Runs a parsed command: after each change with `--watch`, and with evidence if that was requested. */
export async function runDefinition(
  definition: CommandDefinition,
  surroundings: Omit<Invocation, "evidence" | "report">,
  { given, ...values }: ParsedValues,
): Promise<number> {
  const run = await definition.load();
  const evidence = (given.evidence ?? []) as readonly string[];
  const { quiet = false, verbose = false, details = false } = given as Partial<ReportAmount>;
  const runWith = (invocation: Invocation, own: Partial<Call> = {}) => {
    const call: Call = {
      invocation,
      ...values,
      onSimulator: async (...parts) => (await import("./session.ts")).runOnSimulator(invocation, ...parts),
      startSimulator: async (runOptions) => (await import("../start-platform.ts")).startPlatform(runOptions),
      ...own,
    };
    return run(call as never);
  };
  const isEvident = definition.startsPlatform === true && evidence.length > 0;
  const runIn = async (invocation: Invocation) =>
    isEvident
      ? (await import("./evidence-of-run.ts")).runWithEvidence(invocation, (own) => runWith(own.invocation, own))
      : runWith(invocation);
  const invocation = { ...surroundings, evidence, report: { quiet, verbose, details } };
  if (given.watch !== true) return runIn(invocation);
  const names = definition.watches?.(values.args, values.options as Readonly<Record<string, unknown>>) ?? [];
  return (await import("./watch.ts")).runWatched(invocation, names, runIn);
}
