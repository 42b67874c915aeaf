import path from "node:path";
import type { CommandCall } from "../action/command-call.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import { filesNamed } from "../output/files-named.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { ScenarioMethods } from "./action.ts";
import type { ScenarioResult } from "./scenario-result.ts";
import { scenarioText } from "./scenario-text.ts";

/** `app-sim run FILE…` */
export async function scenarioCommand({
  invocation,
  args,
  onSimulator,
}: CommandCall<ScenarioMethods>): Promise<number> {
  const files = await scenarioFiles(invocation.cwd, args);
  return onSimulator((simulator) => simulator.run(files), {
    text: (result, exchanges) => scenarioText(result, exchanges, invocation.paint),
    exitCode: scenarioExitCode,
  });
}

function scenarioExitCode({ outcome, failure, scenarios }: ScenarioResult): number {
  if (outcome === "passed") return exitCodes.asExpected;
  const wrong = scenarios.flatMap(({ steps }) => steps.filter(({ result }) => result === "failed"));
  const isComplete = scenarios.every((scenario) => scenario.outcome !== "skipped");
  // The scenario is wrong, not the app.
  if (isComplete && wrong.every(({ mistake }) => mistake)) return exitCodes.usage;
  return exitCodeOfFailures([failure, ...wrong.map((step) => step.failure)]);
}

/**
 * The scenarios that arguments name: files, the .yml and .yaml files of directories, and those of patterns.
 * @throws UsageError for an argument that names no file
 */
async function scenarioFiles(cwd: string, names: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const name of names) {
    const found = await filesNamed(cwd, name, ["**/*.{yml,yaml}"]);
    if (found.length === 0) {
      throw new UsageError(
        "no-scenario",
        `there is no scenario in ${name}`,
        "give a scenario, a directory of scenarios (.yml, .yaml), or a pattern such as 'fixtures/scenarios/*.yml'",
      );
    }
    files.push(...found);
  }
  // Relative, so that terminals link the paths in messages.
  return files.map((file) => path.relative("", path.resolve(cwd, file)));
}
