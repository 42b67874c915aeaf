import path from "node:path";
import { problemsOf } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { type Choices, defaultChoices } from "./choices.ts";
import { type ConfigFile, parseConfigFile, readConfigFile } from "./config-file.ts";
import type { ConfigInput } from "./config-file-schema.ts";
import { defaultConfig } from "./default-world.ts";
import { environmentVariables, readEnvironment, type Settings, unreadVariables } from "./environment.ts";
import { type Layer, mergeLayers, standing } from "./layers.ts";
import { parseChoice, parseChooseFlag } from "./parse-choice.ts";
import { type Profile, readProfile } from "./profile.ts";
import { referencedFile } from "./referenced-file.ts";
import { type Config, configSchema } from "./schema.ts";
import { configKeysAt } from "./setting-names.ts";
import { type PlacedSetting, type SettingPlace, settingPlaces } from "./setting-places.ts";
import { unreadConfigFiles } from "./unread-config-files.ts";
import { roleMeant } from "./users.ts";

export interface LoadedConfig {
  /** File names of manifests, of fixtures for `verify` and of the journal's directory are absolute. */
  readonly config: Config;
  /** The directory of the config file; without one, the working directory. */
  readonly directory: string;
  /** Every choice: the defaults, overridden by profile, file, environment and flags. */
  readonly choices: Choices;
  /** Where each value comes from, by its path in the configuration. */
  readonly origins: ReadonlyMap<string, string>;
  /** The config file that was read, and when it was last written; null if there is none. */
  readonly file: FileVersion | null;
  /** What variables and flags set, apart from files and defaults. */
  readonly given: GivenSettings;
  /** Warnings about config files and variables that a user may expect to be read, but that are not. */
  readonly unreadSettings: readonly string[];
}

/** A file at a point in time. */
export interface FileVersion {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** A part of the configuration, from variables and flags. */
export interface GivenSettings {
  readonly value: { readonly [key: string]: unknown };
  /** The variable or flag of each value, by its path. */
  readonly origins: { readonly [path: string]: string };
}

/**
 * Assembles the configuration: flags override the environment, which overrides the file, which overrides the defaults.
 * A profile's choices rank with the place that names the profile; its configuration ranks with the defaults. A file
 * name is relative to the config file that contains it, or to `cwd` if it comes from a variable or flag.
 * @throws UsageError for anything that is not allowed, with every problem and the closest right name
 */
export async function loadConfig(
  flags: Settings,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<LoadedConfig> {
  const environment = readEnvironment(env);
  const wanted = flags.config ?? environment.config;
  const file = await readConfigFile(wanted, cwd, env);
  const place = file && path.join(file.directory, path.basename(file.name));
  const named = namedProfile(flags, environment, file, cwd);
  const profile = named && (await readProfile(named.name, named.directory, named.namedBy));
  const layers = [defaultLayer(cwd)];
  if (profile !== null) layers.push({ origin: profileOrigin(named), value: profile.configuration });
  const allowed = [cwd, ...(environment.allowPath ?? []), ...(flags.allowPath ?? [])];
  if (file !== null) layers.push(...(await fileLayers(file, allowed, named?.by === "file" ? profile : null)));
  const apps = appsOf(file?.value);
  const given: Layer[] = [];
  if (named?.by === "environment") given.push(profileLayer(named, profile));
  given.push(...settingsLayers(environment, apps, cwd, envOrigin));
  if (named?.by === "flags") given.push(profileLayer(named, profile));
  given.push(...settingsLayers(flags, apps, cwd, flagOrigin));
  const merged = mergeLayers([...layers, ...given]);
  const isGiven = named !== null && named.by !== "file";
  const defaults = isGiven ? [standing(merged, profileOrigin(named), profile?.configuration ?? {})] : [];
  const alone = mergeLayers([...defaults, ...given]);
  return {
    ...checkConfig(merged.value, merged.origins),
    directory: file?.directory ?? cwd,
    origins: merged.origins,
    file: file === null || place === null ? null : { path: place, modifiedAt: file.modifiedAt },
    unreadSettings: [...unreadVariables(env), ...(wanted === undefined ? await unreadConfigFiles(place, cwd) : [])],
    given: { value: alone.value, origins: Object.fromEntries(alone.origins) },
  };
}

/**
 * The configuration of a simulator in the library: the input overrides the config file that it names, which overrides
 * the defaults, with any free port. Nothing else is read except the profile that they name; file names are relative to
 * `cwd`.
 * @param configFile its name; none: there is no config file
 * @throws UsageError for anything that is not allowed
 */
export async function configure(
  input: ConfigInput,
  cwd: string,
  configFile?: string,
): Promise<Pick<LoadedConfig, "config" | "choices">> {
  const from = "the options";
  const { choices, ...rest } = parseConfigFile(input, "the argument of startSimulator()");
  const own = typeof rest.profile === "string" ? rest.profile : null;
  const file = configFile === undefined ? null : await readConfigFile(configFile, cwd, {});
  const named = namedProfile(own === null ? {} : { profile: own }, {}, file, cwd);
  const profile = named && (await readProfile(named.name, named.directory, own === null ? named.namedBy : from));
  const layers: Layer[] = [defaultLayer(cwd), { origin: "default", value: { port: 0 } }];
  if (profile !== null) layers.push({ origin: profileOrigin(named), value: profile.configuration });
  if (file !== null) layers.push(...(await fileLayers(file, [cwd], own === null ? profile : null)));
  layers.push({ origin: from, value: withAbsolutePaths(rest, cwd) });
  if (own !== null && named !== null) layers.push(profileLayer(named, profile));
  layers.push(choicesLayer(from, parseChoices(choices, from)));
  const merged = mergeLayers(layers);
  return checkConfig(merged.value, merged.origins);
}

/**
 * The layers of a config file.
 * @param allowed directories that its referenced files may be in
 * @param profile named by the file; null if none, or if another place's takes precedence
 */
async function fileLayers(file: ConfigFile, allowed: readonly string[], profile: Profile | null): Promise<Layer[]> {
  const { choices, ...rest } = file.value;
  await requireReferences(rest, file, allowed);
  const origin = `file ${file.name}`;
  return [
    { origin, value: withAbsolutePaths(rest, file.directory) },
    choicesLayer(`profile ${rest.profile}`, profile?.choices ?? {}),
    choicesLayer(origin, parseChoices(choices, origin)),
  ];
}

/** Checks a configuration against its schema. @throws UsageError with every problem, and where each value comes from */
export function checkConfig(
  value: Record<string, unknown>,
  origins: ReadonlyMap<string, string>,
): { config: Config; choices: Choices } {
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) {
    const from = new Set<string | undefined>();
    const problems = problemsOf(parsed.error, value, configKeysAt).map((problem) => {
      // A list comes from one place as a whole.
      const meant = problem.path === "login.user" && !/Did you mean/.test(problem.message) ? roleOfUser(value) : "";
      const origin = origins.get(problem.path) ?? origins.get(problem.path.replace(/\[\d+\]$/, ""));
      from.add(origin);
      // What was typed is a flag or a variable, not a path of the configuration.
      const [, typed] = /^(?:flag|env) (.+)$/.exec(origin ?? "") ?? [];
      const where = origin === undefined || typed !== undefined ? "" : ` (from ${origin})`;
      return { path: typed ?? problem.path, message: problem.message + meant + where };
    });
    const isTyped = [...from].every((origin) => origin?.startsWith("flag "));
    throw new UsageError(
      "config-invalid",
      isTyped ? "the command line is not valid" : "the configuration is not valid",
      isTyped
        ? "the command's --help explains each flag"
        : "change it where it comes from; `app-sim config --schema` prints what is allowed",
      problems,
    );
  }
  const choices = value.choices as Choices;
  refuseTakenHeader(choices);
  return { config: parsed.data, choices };
}

/** A question with the user's role, if an id or login name was given instead of a role. */
function roleOfUser(value: Record<string, unknown>): string {
  const { login, users } = value as Partial<Pick<Config, "users">> & { readonly login?: { readonly user?: unknown } };
  return roleMeant(users ?? [], login?.user);
}

/** @throws UsageError for a delivery id in a header that every delivery has already (interface 2.6) */
function refuseTakenHeader(choices: Choices): void {
  const name = choices["webhook.delivery.header"];
  const taken = ["Id", "Domain", "Signature", "Timestamp"].map((end) => choices["wire.headerPrefix"] + end);
  if (choices["webhook.signature.content"] === "id.timestamp.body") {
    taken.push("webhook-id", "webhook-timestamp", "webhook-signature");
  }
  if (!taken.some((other) => other.toLowerCase() === name.toLowerCase())) return;
  throw new UsageError(
    "choice-invalid",
    `webhook.delivery.header cannot be ${name}: deliveries already have a header of that name`,
    `any other name, such as ${choices["wire.headerPrefix"]}Delivery`,
  );
}

function defaultLayer(cwd: string): Layer {
  return { origin: "default", value: withAbsolutePaths({ ...defaultConfig, choices: defaultChoices }, cwd) };
}

/** The profile in effect, and what names it. */
interface NamedProfile {
  readonly by: "flags" | "environment" | "file";
  readonly name: string;
  /** The directory that its file name is relative to. */
  readonly directory: string;
  /** For messages. */
  readonly namedBy: string;
}

function namedProfile(
  flags: Settings,
  environment: Settings,
  file: ConfigFile | null,
  cwd: string,
): NamedProfile | null {
  const by = (source: NamedProfile["by"], name: unknown, directory: string, namedBy: string) =>
    typeof name === "string" ? { by: source, name, directory, namedBy } : null;
  return (
    by("flags", flags.profile, cwd, flagOrigin("profile")) ??
    by("environment", environment.profile, cwd, envOrigin("profile")) ??
    (file && by("file", file.value.profile, file.directory, `file ${file.name}`))
  );
}

function profileOrigin(named: NamedProfile | null): string {
  return `profile ${named?.name}`;
}

function profileLayer(named: NamedProfile, profile: Profile | null): Layer {
  return choicesLayer(profileOrigin(named), profile?.choices ?? {});
}

function choicesLayer(origin: string, choices: Partial<Choices>): Layer {
  return { origin, value: { choices } };
}

function parseChoices(choices: unknown, from: string): Partial<Choices> {
  return Object.assign({}, ...Object.entries(choices ?? {}).map(([id, value]) => parseChoice(id, value, from)));
}

function envOrigin(setting: keyof Settings): string {
  return `env ${Object.entries(environmentVariables).find(([, name]) => name === setting)?.[0]}`;
}

function flagOrigin(setting: keyof Settings): string {
  return `flag --${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function withAbsolutePaths(value: Record<string, unknown>, directory: string): Record<string, unknown> {
  const { apps, journal, tls, verify } = value as Pick<ConfigInput, "apps" | "journal" | "tls" | "verify">;
  // An empty name is left for the schema to refuse.
  const absolute = (name: string) => (name === "" ? name : path.resolve(directory, name));
  const manifestOf = ({ manifest = "" }) => (manifest.includes("://") ? manifest : absolute(manifest));
  return {
    ...value,
    ...(apps && {
      apps: apps.map((app) => (app.manifest === undefined ? app : { ...app, manifest: manifestOf(app) })),
    }),
    ...(journal !== undefined && { journal: absolute(journal) }),
    ...(typeof tls === "object" &&
      tls !== null && {
        tls: Object.fromEntries(
          Object.entries(tls).map(([what, file]) => [what, typeof file === "string" ? absolute(file) : file]),
        ),
      }),
    ...(Array.isArray(verify?.fixtures) && {
      verify: {
        ...verify,
        fixtures: verify.fixtures.map((file) => (typeof file === "string" ? absolute(file) : file)),
      },
    }),
  };
}

/**
 * Refuses references to files that a config file must not name.
 * @throws UsageError naming the first of them
 */
async function requireReferences(value: ConfigInput, file: ConfigFile, allowed: readonly string[]): Promise<void> {
  const manifests = (value.apps ?? []).flatMap(({ manifest }, index) =>
    manifest === undefined || manifest.includes("://") ? [] : [{ what: `apps[${index}].manifest`, name: manifest }],
  );
  const fixtures = (value.verify?.fixtures ?? []).map((name, index) => ({ what: `verify.fixtures[${index}]`, name }));
  const certificate = Object.entries(typeof value.tls === "object" ? value.tls : {}).map(([what, name]) => ({
    what: `tls.${what}`,
    name,
  }));
  for (const { what, name } of [...manifests, ...fixtures, ...certificate]) {
    await referencedFile({ name, directory: file.directory, what: `${file.name}: ${what}`, allowed });
  }
}

function appsOf(file: Record<string, unknown> | undefined): readonly { readonly url?: string }[] {
  return (file?.apps as { url?: string }[] | undefined) ?? [{}];
}

/** One layer per setting, so that each value has its variable or flag as its origin. */
function settingsLayers(
  settings: Settings,
  apps: readonly { readonly url?: string }[],
  cwd: string,
  originOf: (setting: keyof Settings) => string,
): Layer[] {
  const layers = Object.entries(settingPlaces).flatMap(([name, place]) => {
    const setting = name as PlacedSetting;
    const given = settings[setting];
    if (given === undefined) return [];
    const value = (place as SettingPlace<typeof given>)(given);
    if (value.apps !== undefined && apps.length > 1) throw severalApps(originOf(setting), apps);
    return [{ origin: originOf(setting), value: withAbsolutePaths(value, cwd) }];
  });
  const origin = originOf("choose");
  const chosen = (settings.choose ?? []).map((pair) => choicesLayer(origin, parseChooseFlag(pair, origin)));
  return [...layers, ...chosen];
}

export function severalApps(
  origin: string,
  apps: readonly { readonly url?: string }[],
  installer = "the config file",
): UsageError {
  return new UsageError(
    "several-apps",
    `${origin} is for one app, but ${installer} installs ${apps.length}: ${apps.map((app) => app.url ?? "(default url)").join(", ")}`,
    "change the config file, or name another one with --config",
  );
}
