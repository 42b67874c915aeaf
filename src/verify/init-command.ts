import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { CommandCall, Session } from "../action/command-call.ts";
import { hasMember, withMember } from "../config/commented-json.ts";
import { NEW_CONFIG_NAME } from "../config/config-file.ts";
import { yamlText } from "../config/yaml-file.ts";
import { exitCodes } from "../output/exit-code.ts";
import { jsonText } from "../output/json.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { VerifyMethods } from "./action.ts";
import type { ProposedConfig } from "./propose-config.ts";

type InitCall = Pick<CommandCall<VerifyMethods>, "invocation" | "onSimulator">;

/**
 * `app-sim verify --init`: prints settings for `verify`; with `--write`, adds them to the config file.
 * @throws UsageError for a config file that is not JSON, or cannot be written
 */
export function initCommand({ invocation, onSimulator }: InitCall, writes: boolean): Promise<number> {
  const { cwd, err } = invocation;
  let file = path.join(cwd, NEW_CONFIG_NAME);
  const propose = (simulator: VerifyMethods, { loaded }: Session) => {
    file = loaded.file?.path ?? file;
    return simulator.proposeVerify();
  };
  return onSimulator(propose, {
    text: ({ app, verify }) => [blockText({ ...(app === undefined ? {} : { app }), verify }, file)],
    exitCode: () => exitCodes.asExpected,
    afterwards: async (found) => {
      if (!writes) return;
      await addTo(file, found);
      err(`written into ${path.relative(cwd, file) || file}\n`);
    },
  });
}

/** The settings in the notation of the config file: a JSON object is valid in a module, too. */
function blockText(block: object, file: string): string {
  return (isYaml(file) ? yamlText(block) : jsonText(block)).trimEnd();
}

function isYaml(file: string): boolean {
  return /\.ya?ml$/.test(file);
}

/** Adds only what is missing: what the app's owner wrote stays, including comments. */
async function addTo(file: string, found: ProposedConfig): Promise<void> {
  if (!/\.jsonc?$/.test(file)) {
    throw new UsageError(
      "file-unwritable",
      `${path.basename(file)} is ${isYaml(file) ? "YAML" : "a program"}: --write changes only JSON files, so nothing was written`,
      "copy the settings above into it yourself",
    );
  }
  const there = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}\n";
    throw error;
  });
  await writeFile(file, withFound(there, found)).catch((error: Error) => {
    throw new UsageError("file-unwritable", `${file} cannot be written: ${error.message}`, "copy the block yourself");
  });
}

/**
 * The text of a config file with the findings for the first app, which may be in its short form, and for each guard.
 */
function withFound(text: string, { app, verify: { guards = {}, ...verify } }: ProposedConfig): string {
  const first = hasMember(text, ["apps", 0]) ? ["apps", 0] : ["app"];
  const blocks: [path: (string | number)[], members: object][] = [
    [first, app ?? {}],
    ...Object.entries(guards).map(([name, settings]): [string[], object] => [["verify", "guards", name], settings]),
    [["verify"], verify],
  ];
  return blocks
    .flatMap(([path, members]) => Object.entries(members).map(([name, value]) => ({ path: [...path, name], value })))
    .reduce((written, { path, value }) => withMember(written, path, value), text);
}
