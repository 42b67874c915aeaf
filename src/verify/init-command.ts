import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { CommandCall } from "../action/command-call.ts";
import { readJsonFile } from "../config/json-file.ts";
import { exitCodes } from "../output/exit-code.ts";
import { jsonText } from "../output/json.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { VerifyMethods } from "./action.ts";
import type { ProposedConfig } from "./propose-config.ts";

type InitCall = Pick<CommandCall<VerifyMethods>, "invocation" | "onSimulator">;

/** The file that is written where no other is named. */
const CONFIG_FILE = "app-sim.config.json";

/**
 * `app-sim verify --init`: prints what `verify` can be told; with `--write`, adds it to the config file.
 * @throws UsageError for a config file that is not JSON, or cannot be written
 */
export function initCommand({ invocation, onSimulator }: InitCall, writes: boolean): Promise<number> {
  const { settings, cwd, err } = invocation;
  const file = path.resolve(cwd, settings.config ?? CONFIG_FILE);
  return onSimulator((simulator) => simulator.proposeVerify(), {
    text: ({ app, verify }) => [jsonText({ ...(app === undefined ? {} : { app }), verify }).trimEnd()],
    exitCode: () => exitCodes.asExpected,
    afterwards: async (found) => {
      if (!writes) return;
      await addTo(file, found);
      err(`written into ${path.relative(cwd, file) || file}\n`);
    },
  });
}

/** Adds what is not there yet: what the app's owner wrote stays. */
async function addTo(file: string, { app, verify: found }: ProposedConfig): Promise<void> {
  if (!file.endsWith(".json")) {
    throw new UsageError("file-unwritable", `${path.basename(file)} is not JSON`, "copy the block into it by hand");
  }
  const isThere = await readFile(file).then(
    () => true,
    () => false,
  );
  const config = (isThere ? await readJsonFile(file, "config file") : {}) as {
    readonly verify?: typeof found;
    readonly app?: object;
    readonly apps?: readonly object[];
  };
  const own = config.verify ?? {};
  const names = [...new Set([...Object.keys(found.guards ?? {}), ...Object.keys(own.guards ?? {})])];
  const guards = Object.fromEntries(names.map((name) => [name, { ...found.guards?.[name], ...own.guards?.[name] }]));
  const verify = { ...found, ...own, ...(names.length === 0 ? {} : { guards }) };
  await writeFile(file, jsonText({ ...config, ...withFound(config, app), verify })).catch((error: Error) => {
    throw new UsageError("file-unwritable", `${file} cannot be written: ${error.message}`, "copy the block by hand");
  });
}

/** The first app of the configuration, which may be in its short form, with what was found of it. */
function withFound({ app, apps }: { readonly app?: object; readonly apps?: readonly object[] }, found: object = {}) {
  const [first, ...others] = apps ?? [];
  if (first !== undefined) return { apps: [{ ...found, ...first }, ...others] };
  const own = { ...found, ...app };
  return Object.keys(own).length === 0 ? {} : { app: own };
}
