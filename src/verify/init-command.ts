import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { CommandCall, Session } from "../action/command-call.ts";
import { hasMember, withMember } from "../config/commented-json.ts";
import { commentedYaml, withYamlMembers } from "../config/commented-yaml.ts";
import { NEW_CONFIG_NAME } from "../config/config-file.ts";
import { parseYamlFile } from "../config/yaml-file.ts";
import { exitCodes } from "../output/exit-code.ts";
import { jsonText } from "../output/json.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { VerifyMethods } from "./action.ts";
import { requireListFormat } from "./list-checks.ts";
import type { ProposedConfig } from "./propose-config.ts";

type InitCall = Pick<CommandCall<VerifyMethods>, "invocation" | "onSimulator">;

/**
 * `app-sim verify --init`: prints settings for `verify`; with `--write`, adds them to the config file.
 * @throws UsageError for a config file that is a module, or cannot be written
 */
export function initCommand({ invocation, onSimulator }: InitCall, writes: boolean): Promise<number> {
  const { cwd, err, format } = invocation;
  requireListFormat(format);
  let file = path.join(cwd, NEW_CONFIG_NAME);
  let restart = "";
  const propose = (simulator: VerifyMethods, { loaded, isRemote }: Session) => {
    file = loaded.file?.path ?? file;
    if (isRemote) restart = "; restart the running app-sim serve or dev to use it";
    return simulator.proposeVerify();
  };
  return onSimulator(propose, {
    text: ({ app, verify }) => [blockText({ ...(app === undefined ? {} : { app }), verify }, file)],
    exitCode: () => exitCodes.asExpected,
    afterwards: async (found) => {
      if (!writes) {
        if (canBeChanged(file)) err("to add this to the config file: app-sim verify --init --write\n");
        return;
      }
      const name = path.relative(cwd, file) || file;
      err((await addTo(file, found)) ? `written into ${name}${restart}\n` : `${name} already has all of this\n`);
    },
  });
}

/** The settings in the notation of the config file: a JSON object is valid in a module, too. */
function blockText(block: object, file: string): string {
  return (isYaml(file) ? commentedYaml(block, [], "") : jsonText(block)).trimEnd();
}

function isYaml(file: string): boolean {
  return /\.ya?ml$/.test(file);
}

/** Whether a config file is text that can be changed; the others are programs. */
function canBeChanged(file: string): boolean {
  return isYaml(file) || /\.jsonc?$/.test(file);
}

/**
 * Adds only what is missing: what the app's owner wrote stays, including comments.
 * @returns whether anything was missing
 */
async function addTo(file: string, found: ProposedConfig): Promise<boolean> {
  if (!canBeChanged(file)) {
    throw new UsageError(
      "file-unwritable",
      `${path.basename(file)} is a program: --write changes only JSON and YAML files, so nothing was written`,
      "copy the settings above into it yourself",
    );
  }
  const there = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}\n";
    throw error;
  });
  const written = isYaml(file) ? withFoundInYaml(there, found) : withFoundInJson(there, found);
  if (written === there) return false;
  await writeFile(file, written).catch((error: Error) => {
    throw new UsageError("file-unwritable", `${file} cannot be written: ${error.message}`, "copy the block yourself");
  });
  return true;
}

/** The text of a config file in JSON with the findings. */
function withFoundInJson(text: string, found: ProposedConfig): string {
  const members = membersFor(found, hasMember(text, ["apps", 0]));
  return members.reduce((written, { path, value }) => withMember(written, path, value), text);
}

/** The text of a config file in YAML with the findings. */
function withFoundInYaml(text: string, found: ProposedConfig): string {
  const file = parseYamlFile(text);
  return withYamlMembers(
    text,
    membersFor(found, file.ok && isJsonObject(file.value) && Object.hasOwn(file.value, "apps")),
  );
}

/**
 * The findings for the first app, and for each guard and webhook.
 * @param isInList whether the config file has `apps`; otherwise it has the short form `app`, or none
 */
function membersFor(
  { app, verify: { guards = {}, webhooks = {}, ...verify } }: ProposedConfig,
  isInList: boolean,
): { readonly path: (string | number)[]; readonly value: unknown }[] {
  const blocks: [path: (string | number)[], members: object][] = [
    [isInList ? ["apps", 0] : ["app"], app ?? {}],
    ...membersOf("guards", guards),
    ...membersOf("webhooks", webhooks),
    [["verify"], verify],
  ];
  return blocks.flatMap(([path, members]) =>
    Object.entries(members).map(([name, value]) => ({ path: [...path, name], value })),
  );
}

/** The settings of modules, by their places in a config file. */
function membersOf(type: string, settings: Readonly<Record<string, object>>): [path: string[], members: object][] {
  return Object.entries(settings).map(([key, members]) => [["verify", type, key], members]);
}
