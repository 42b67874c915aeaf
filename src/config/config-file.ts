import { isUtf8 } from "node:buffer";
import { lstat, stat } from "node:fs/promises";
import path from "node:path";
import { isJsonObject } from "../protocol/json-object.ts";
import { problemsOf, valueAtPath, valueText } from "../protocol/problems.ts";
import { type Problem, UsageError } from "../protocol/usage-error.ts";
import { configFileSchema } from "./config-file-schema.ts";
import { shapeHint } from "./config-hints.ts";
import { importConfig, inModule, unusable } from "./config-module.ts";
import { CONFIG_LIMIT_BYTES, jsonIn } from "./json-file.ts";
import { parseChoice } from "./parse-choice.ts";
import { pathExists } from "./path-exists.ts";
import { directoriesUp } from "./repository.ts";
import { configKeysAt, placesOfName } from "./setting-names.ts";
import { meantHint, readUserFile, requireFile } from "./user-file.ts";

const endings = ["json", "jsonc", "yaml", "yml", "ts", "mts", "js", "mjs", "cjs"];

/** The file extensions of a config file, for messages. */
const configEndings = `.${endings.slice(0, -1).join(", .")} or .${endings.at(-1)}`;

/** The first of these in a directory is read. */
export const configFileNames = endings.map((ending) => `app-sim.config.${ending}`);

/** The name that app-sim uses for a new file: every tool accepts comments in it. */
export const NEW_CONFIG_NAME = "app-sim.config.jsonc";

/** These hold JSON, optionally with comments; a file that is neither JSON nor YAML is a module. */
const jsonEnding = /\.jsonc?$/;
const yamlEnding = /\.ya?ml$/;

/** Formats that other tools read; without a message they would be ignored silently. */
const foreignEndings = [".cts", ".toml", ".json5"];

export interface ConfigFile {
  /** Relative to the working directory if it is below it. */
  readonly name: string;
  readonly directory: string;
  readonly value: Record<string, unknown>;
  /** When it was last written, in milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/**
 * The config file: the given one, or else the first `app-sim.config.*` from `cwd` upwards to the top of its repository
 * or the home directory.
 * @throws UsageError if a given file is missing, or the file is empty, cannot be read or does not fit the schema
 */
export async function readConfigFile(
  named: string | undefined,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ConfigFile | null> {
  const place = named === undefined ? await findConfigFile(cwd, env.SUDO_UID) : path.resolve(cwd, named);
  if (place === null) return null;
  const name = shortName(place, cwd);
  const value = await load(place, named);
  if (value === EMPTY) {
    throw new UsageError("config-invalid", `${name} is empty`, "write {} into it if nothing needs to be changed");
  }
  const parsed = await inModule(place, () => parseConfigFile(value, name));
  if (parsed.allowPaths !== undefined) {
    throw new UsageError(
      "config-invalid",
      `${name} has allowPaths, which a config file cannot set: the config file may come from the same untrusted source as the files that it would allow`,
      "use --allow-path, or the variable APP_SIM_ALLOW_PATH",
    );
  }
  const { mtimeMs: modifiedAt } = await stat(place);
  return { name, directory: path.dirname(place), value: parsed, modifiedAt };
}

/** The first config file from a directory upwards, to the top of its repository or the home directory. */
async function findConfigFile(cwd: string, sudoUser: string | undefined): Promise<string | null> {
  for (const directory of directoriesUp(cwd)) {
    for (const name of configFileNames) {
      const place = path.join(directory, name);
      if (!pathExists(place)) continue;
      const isData = jsonEnding.test(name) || yamlEnding.test(name);
      if (directory !== path.resolve(cwd) || !isData) await requireOwn(place, sudoUser);
      return place;
    }
    for (const ending of foreignEndings) {
      const place = path.join(directory, `app-sim.config${ending}`);
      if (!pathExists(place)) continue;
      throw unusable(`${place} is a config file in a format that app-sim does not read`, otherKindHint(place));
    }
  }
  return null;
}

/** How to turn a file of an unsupported kind into one that is read. */
function otherKindHint(place: string): string {
  const { name, ext, base } = path.parse(place);
  if (ext === ".env" || /^\.env(?:\.|$)/.test(base))
    return `variables such as APP_SIM_APP are read from the environment: node --env-file=${base} node_modules/.bin/app-sim …`;
  if (ext === ".cts") return `rename it to ${name}.mts, and write export default { … }`;
  return foreignEndings.includes(ext)
    ? `write it as JSON, as ${name}.json`
    : `write it as ${configFileNames.join(", ")}`;
}

/**
 * Refuses a found file that belongs to another user: it would be executed, or decide where secrets go, with this user's
 * rights. Root could do so anyway.
 * @param sudoUser who called sudo: their files are trusted, as in git
 * @throws UsageError naming the owner and the alternatives
 */
async function requireOwn(place: string, sudoUser: string | undefined): Promise<void> {
  const own = process.getuid?.();
  // Windows has no user ids.
  if (own === undefined) return;
  const facts = await Promise.all([lstat(place), stat(place)]).catch(() => []);
  const other = facts.find(({ uid }) => uid !== own && uid !== 0 && !(own === 0 && String(uid) === sudoUser));
  if (other === undefined) return;
  throw new UsageError(
    "config-untrusted",
    `the config file ${place} belongs to another user (${other.uid}), so it is not used`,
    `if you trust it, use --config ${place}; otherwise change its owner, or start in another directory`,
  );
}

/**
 * Validates the content of a config file; `app` becomes `apps` with one element.
 * @param from where the value comes from, for messages
 * @throws UsageError with every problem
 */
export function parseConfigFile(input: unknown, from: string): Record<string, unknown> {
  const parsed = configFileSchema().safeParse(input);
  if (!parsed.success) {
    throw new UsageError(
      "config-invalid",
      `${from} is not a valid configuration`,
      shapeHint(input) ?? "`app-sim config --schema` prints what is allowed",
      [
        ...problemsOf(parsed.error, input, configKeysAt, placesOfName).map((problem) => inFull(problem, input)),
        ...choiceProblems(typeof input === "object" && input !== null && "choices" in input ? input.choices : null),
      ],
    );
  }
  const { $schema: _, app, ...rest } = parsed.data;
  if (app !== undefined && rest.apps !== undefined) {
    throw new UsageError(
      "config-invalid",
      `${from} has both app and apps`,
      "keep one: `app` is the short form for `apps` with one element",
    );
  }
  return app === undefined ? rest : { ...rest, apps: [app] };
}

/** Adds a subject to a problem of the whole value, and an example where a list of strings is expected. */
function inFull(problem: Problem, input: unknown): Problem {
  const { path: at, message } = problem;
  if (at === "") return { ...problem, message: `the configuration ${message}` };
  // The platform has a setting with that name.
  if (/^apps?(?:\[\d+\])?\.port$/.test(at))
    return { ...problem, message: "is not a known name here: the port of an app is a part of its url" };
  const value = valueAtPath(input, at);
  const isForList = message.endsWith("expected an array");
  // The hint shows how apps are written.
  if (isForList && at !== "apps" && isJsonObject(value)) return { ...problem, message: `${message}, [{ … }]` };
  const isTextForList = isForList && typeof value === "string";
  if (!isTextForList || configKeysAt(`${at}[0]`).length > 0) return problem;
  return { ...problem, message: `${message}, such as [${valueText(value)}]` };
}

/** Problems of choices, which are checked one by one so that all are listed. */
function choiceProblems(choices: unknown): Problem[] {
  if (typeof choices !== "object" || choices === null) return [];
  return Object.entries(choices).flatMap(([id, value]) => {
    try {
      parseChoice(id, value, "choices");
      return [];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      // Unknown names are reported with all the others.
      if (error.code !== "choice-invalid") return [];
      return [
        {
          path: `choices.${id}`,
          message: `${error.summary.replace(`choices: ${id} `, "")} ${error.hint.replace("allowed", "Allowed")}`,
        },
      ];
    }
  });
}

const EMPTY = Symbol("an empty file");

/** The content of a config file. */
async function load(place: string, named: string | undefined): Promise<unknown> {
  const ending = path.extname(place);
  const isKnown = configFileNames.some((name) => name.endsWith(ending)) && ending !== "";
  const facts = await stat(place).catch(() => null);
  if (named !== undefined && facts === null) {
    throw unusable(
      `there is no config file ${named}`,
      meantHint(place) ?? "give the path of a file with --config, or omit it to search for app-sim.config.*",
    );
  }
  if (facts?.isDirectory() === true)
    throw unusable(`the config file cannot be read: ${place} is a directory`, "give the path of a file in it");
  if (!isKnown) {
    throw unusable(`the config file cannot be read: ${place} does not end in ${configEndings}`, otherKindHint(place));
  }
  if (jsonEnding.test(place)) {
    const written = await readUserFile(place, "config file", CONFIG_LIMIT_BYTES);
    const bytes = await withoutComments(written);
    return bytes.toString().trim() === "" ? EMPTY : jsonIn(bytes, place, "config file", written).value;
  }
  if (yamlEnding.test(place)) return yamlIn(await readUserFile(place, "config file", CONFIG_LIMIT_BYTES), place);
  await requireFile(place, "config file");
  return importConfig(place);
}

/** The value of a YAML config file. @throws UsageError that names each fault by its line and column */
async function yamlIn(bytes: Buffer, place: string): Promise<unknown> {
  if (!isUtf8(bytes)) throw unusable(`the config file ${place} is not UTF-8`, "save it as UTF-8");
  const { parseYamlFile } = await import("./yaml-file.ts");
  const yaml = parseYamlFile(bytes.toString());
  if (yaml.ok) return yaml.value ?? EMPTY;
  throw new UsageError(
    "config-unreadable",
    `the config file ${place} is not valid YAML`,
    "correct the places listed",
    yaml.faults.map(({ line, column, message }) => ({ path: `${place}:${line}:${column}`, message })),
  );
}

/** Other encodings than UTF-8 are passed on and refused later. */
async function withoutComments(bytes: Buffer): Promise<Buffer> {
  if (!isUtf8(bytes)) return bytes;
  const { plainJson } = await import("./commented-json.ts");
  return Buffer.from(plainJson(bytes.toString()));
}

function shortName(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith("..") ? file : relative;
}
