import type { Invocation } from "../action/invocation.ts";
import { loadConfig } from "../config/load.ts";
import type { SimulatorOptions } from "../platform/simulator-options.ts";
import type { RunningPlatform } from "../start-platform.ts";

/** If a platform printed for days, only the end is kept. */
const MOST_PRINTED_CHARACTERS = 1_000_000;
const MOST_WARNINGS = 100;

/** What a command with its own platform runs with. */
interface OwnRun {
  readonly invocation: Invocation;
  readonly startSimulator: (options: SimulatorOptions) => Promise<RunningPlatform>;
}

/**
 * Runs a command that starts a platform itself, and writes evidence of it when it has ended (`--evidence`).
 * @throws UsageError for a file that cannot be written, before anything is started
 */
export async function runWithEvidence(given: Invocation, run: (own: OwnRun) => Promise<number>): Promise<number> {
  const { requireEvidenceFiles, writeEvidence } = await import("../report/evidence.ts");
  await requireEvidenceFiles(given);
  const { startPlatform } = await import("../start-platform.ts");
  const started: RunningPlatform[] = [];
  const warnings: string[] = [];
  let printed = "";
  const out = (text: string | Uint8Array) => {
    given.out(text);
    printed = (printed + text.toString()).slice(-MOST_PRINTED_CHARACTERS);
  };
  const onWarning = (warning: string) => {
    warnings.push(warning);
    warnings.splice(0, warnings.length - MOST_WARNINGS);
  };
  const exitCode = await run({
    invocation: { ...given, out, onWarning },
    startSimulator: async (options) => {
      const platform = await startPlatform(options);
      started.push(platform);
      return platform;
    },
  });
  const own = await loadConfig(given.settings, given.env, given.cwd);
  const [platform] = started;
  const loaded = platform === undefined ? own : { ...own, config: platform.config, choices: platform.choices };
  // The code in the inspector's link is not one of the secrets that every report hides.
  const shown = printed.replaceAll(/#open=[\w-]+/g, "");
  await writeEvidence(given, {
    loaded,
    records: started.flatMap(({ journal }) => journal.list()),
    text: given.format === "text" ? shown.trimEnd().split("\n") : [],
    warnings,
    choices: [],
    exitCode,
  });
  return exitCode;
}
