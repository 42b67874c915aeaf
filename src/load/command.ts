import path from "node:path";
import type { CommandCall } from "../action/command-call.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import { tell } from "../output/tell.ts";
import { withPayload } from "../webhook/command.ts";
import type { LoadFlags, LoadMethods } from "./action.ts";
import { type LoadOptions, USUAL_LOAD } from "./load-options.ts";
import type { LoadExportResult, LoadResult } from "./load-result.ts";
import { loadExportText, loadText } from "./load-text.ts";
import { expectationTexts, parseExpectation } from "./rules/expectations.ts";
import { writeExport } from "./write-export.ts";

const USUAL_EVENTS: readonly string[] = ["project.translated"];
const USUAL_DIRECTORY = "load-test";

type LoadCall = CommandCall<LoadMethods, LoadFlags, LoadOptions>;

/** `app-sim load [EVENT…]` */
export async function loadCommand(call: LoadCall): Promise<number> {
  const { invocation, args, flags, onSimulator } = call;
  const options = await withPayload(invocation, call.options);
  // A payload may name its own events.
  const events = args.length === 0 && options.data === undefined ? USUAL_EVENTS : args;
  const { rate, concurrency, count, durationMs, expect } = options;
  for (const text of expectationTexts(expect)) parseExpectation(text);
  if ([rate, concurrency, count, durationMs].every((given) => given === undefined)) {
    tell(invocation, `${USUAL_LOAD}; change that with --rate, --concurrency, --duration and --count`);
  }
  if (flags.export !== undefined) return exportCommand(call, events, options, flags.out ?? USUAL_DIRECTORY);
  return onSimulator((simulator) => simulator.load(events, options), {
    text: (result) => loadText(result, invocation.paint),
    exitCode: loadExitCode,
  });
}

/** `--export artillery`: nothing is sent. */
function exportCommand(
  { invocation, onSimulator }: LoadCall,
  events: readonly string[],
  options: LoadOptions,
  directory: string,
): Promise<number> {
  return onSimulator(
    async (simulator): Promise<LoadExportResult> => {
      const { files, warnings, choices, ...verdict } = await simulator.exportLoad(events, options);
      if (files.length > 0) await writeExport(path.resolve(invocation.cwd, directory), files);
      const names = files.map(({ name }) => name);
      const lists = { files: names, warnings: [...warnings], choices: [...choices] };
      return { command: "load-export", ...verdict, directory, ...lists };
    },
    { text: (result) => loadExportText(result, invocation.paint), exitCode: loadExitCode },
  );
}

/** The exit code of a load, or of its export. */
export function loadExitCode({ outcome, failure }: LoadResult | LoadExportResult): number {
  return outcome === "ok" ? exitCodes.asExpected : exitCodeOfFailures([failure]);
}
