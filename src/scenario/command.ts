import path from "node:path";
import { runWithSimulator } from "../command-line/session.ts";
import { filesNamed } from "../output/files-named.ts";
import type { Invocation } from "../output/invocation.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { scenarioText } from "./scenario-text.ts";

/** `app-sim run FILE…` */
export async function run(invocation: Invocation, names: readonly string[]): Promise<number> {
  const files = await scenarioFiles(invocation.cwd, names);
  return runWithSimulator(
    invocation,
    (simulator) => simulator.run(files),
    (result, exchanges) => scenarioText(result, exchanges, invocation.paint),
  );
}

/**
 * The scenarios that arguments name: files, the .yml and .yaml files of directories, and those of patterns.
 * @throws UsageError for an argument that names none
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
  // As the user named them, so that what is said of them can be clicked on.
  return files.map((file) => path.relative("", path.resolve(cwd, file)));
}
