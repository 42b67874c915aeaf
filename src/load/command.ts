import path from "node:path";
import { runWithSimulator } from "../command-line/session.ts";
import type { Invocation } from "../output/invocation.ts";
import { withoutUndefined } from "../output/options.ts";
import { eventOptions } from "../webhook/command.ts";
import type { LoadFlags } from "./load-flags.ts";
import type { LoadOptions } from "./load-options.ts";
import type { LoadExportResult } from "./load-result.ts";
import { loadExportText, loadText } from "./load-text.ts";
import { writeExport } from "./write-export.ts";

const USUAL_EVENTS: readonly string[] = ["project.translated"];
const USUAL_DIRECTORY = "load-test";

/** `app-sim load [EVENT…]` */
export async function load(invocation: Invocation, flags: LoadFlags, names: readonly string[]): Promise<number> {
  const options = await loadOptions(invocation, flags);
  // A payload may name its events itself.
  const events = names.length === 0 && flags.data === undefined ? USUAL_EVENTS : names;
  if (flags.export !== undefined) return exportLoad(invocation, events, options, flags.out ?? USUAL_DIRECTORY);
  return runWithSimulator(
    invocation,
    (simulator) => simulator.load(events, options),
    (result) => loadText(result, invocation.paint),
  );
}

/** `--export artillery`: nothing is sent. */
function exportLoad(
  invocation: Invocation,
  events: readonly string[],
  options: LoadOptions,
  directory: string,
): Promise<number> {
  return runWithSimulator(
    invocation,
    async (simulator): Promise<LoadExportResult> => {
      const { files, warnings, choices, ...verdict } = await simulator.exportLoad(events, options);
      if (files.length > 0) await writeExport(path.resolve(invocation.cwd, directory), files);
      const names = files.map(({ name }) => name);
      const lists = { files: names, warnings: [...warnings], choices: [...choices] };
      return { command: "load-export", ...verdict, directory, ...lists };
    },
    (result) => loadExportText(result, invocation.paint),
  );
}

async function loadOptions(invocation: Invocation, flags: LoadFlags): Promise<LoadOptions> {
  const { rate, concurrency, duration, connections, expect, allowPublic } = flags;
  return {
    ...(await eventOptions(invocation, flags)),
    ...withoutUndefined<LoadOptions>({ rate, concurrency, durationMs: duration, connections, expect, allowPublic }),
  };
}
