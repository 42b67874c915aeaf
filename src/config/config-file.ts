import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { lilconfig } from "lilconfig";
import { problemsOf } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { readJsonFile } from "./json-file.ts";
import { configFileSchema, configKeysAt } from "./schema.ts";

const searchPlaces = ["json", "js", "mjs", "cjs"].map((ending) => `app-sim.config.${ending}`);

export interface ConfigFile {
  /** Relative to the working directory where it lies below it. */
  readonly name: string;
  readonly directory: string;
  readonly value: Record<string, unknown>;
  /** When it was last written, in milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/**
 * The config file: the one named, or else the first `app-sim.config.*` from `cwd` upwards to the home directory.
 * @throws UsageError when a named file is missing, or the file is empty, cannot be read or does not fit the schema
 */
export async function readConfigFile(named: string | undefined, cwd: string): Promise<ConfigFile | null> {
  provideHome(cwd);
  const searcher = lilconfig("app-sim", {
    searchPlaces,
    ignoreEmptySearchPlaces: false,
    loaders: {
      ".json": (file) => readJsonFile(file, "config file"),
      ".js": loadModule,
      ".mjs": loadModule,
      ".cjs": loadModule,
    },
  });
  const found = await load(
    () => (named === undefined ? searcher.search(cwd) : searcher.load(path.resolve(cwd, named))),
    named,
  );
  if (found === null) return null;
  const name = shortName(found.filepath, cwd);
  if (found.isEmpty) {
    throw new UsageError("config-invalid", `${name} is empty`, "write {} into it where nothing is to be changed");
  }
  const { mtimeMs: modifiedAt } = await stat(found.filepath);
  return { name, directory: path.dirname(found.filepath), value: parseConfigFile(found.config, name), modifiedAt };
}

/**
 * Holds a value against the schema of a config file; `app` becomes `apps` with one element.
 * @param from what the value is, for messages
 * @throws UsageError with every problem
 */
export function parseConfigFile(input: unknown, from: string): Record<string, unknown> {
  const parsed = configFileSchema.safeParse(input);
  if (!parsed.success) {
    throw new UsageError(
      "config-invalid",
      `${from} is not a valid configuration`,
      "`app-sim config --schema` prints what is allowed",
      problemsOf(parsed.error, input, configKeysAt),
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

/** The search asks for the home directory, which a container's user without an entry in passwd has not. */
function provideHome(cwd: string): void {
  try {
    homedir();
  } catch {
    process.env.HOME = path.parse(cwd).root;
  }
}

async function loadModule(file: string): Promise<unknown> {
  const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  return module.default;
}

async function load<T>(read: () => Promise<T>, named: string | undefined): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const missing = named !== undefined && (error as NodeJS.ErrnoException | null)?.code === "ENOENT";
    const reason = error instanceof Error ? error.message.replaceAll("\n", " ") : String(error);
    throw new UsageError(
      "config-unreadable",
      missing ? `there is no config file ${named}` : `the config file cannot be read: ${reason}`,
      missing
        ? "give the path of a file with --config, or leave it out to search for app-sim.config.*"
        : "it must be valid JSON, or a module that exports the configuration",
    );
  }
}

function shortName(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith("..") ? file : relative;
}
