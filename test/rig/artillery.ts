import { join } from "node:path";
import { parse } from "yaml";
import type { TempDir } from "./temp-dir.ts";

/** A file of an exported test. */
interface ExportedFile {
  readonly name: string;
  readonly content: string;
}

/** Calls `run` with these variables in the environment, and puts it back as it was. */
export async function withEnvironment<T>(
  variables: Readonly<Record<string, string>>,
  run: () => T | Promise<T>,
): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return await run();
  } finally {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/** Runs a test in the engine of Artillery, as each of its workers does; its counters by name. */
export async function runArtillery(
  dir: TempDir,
  files: readonly ExportedFile[],
  variables: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, number>>> {
  for (const { name, content } of files) dir.write(name, content);
  const scriptPath = join(dir.path, "webhooks.yml");
  const { runner } = await import("@artilleryio/int-core");
  const script = parse(files.find(({ name }) => name === "webhooks.yml")?.content ?? "");
  return withEnvironment(variables, async () => {
    const run = await runner.runner(await runner.runnerFuncs.loadProcessor(script, { scriptPath }), undefined, {});
    const done = new Promise<Readonly<Record<string, number>>>((resolve) =>
      run.on("done", ({ counters }) => resolve(counters)),
    );
    run.run();
    const counters = await done;
    await run.stop();
    return counters;
  });
}
