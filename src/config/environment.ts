import { delimiter } from "node:path";
import { isSlipOf, nearestName } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** Every environment variable that is read, and the setting it sets. */
export const environmentVariables = {
  APP_SIM_CONFIG: "config",
  APP_SIM_PROFILE: "profile",
  APP_SIM_APP: "app",
  APP_SIM_MANIFEST: "manifest",
  APP_SIM_APP_ID: "appId",
  APP_SIM_CLIENT_ID: "clientId",
  APP_SIM_CLIENT_SECRET: "clientSecret",
  APP_SIM_APP_SECRET: "appSecret",
  APP_SIM_ORGANIZATION_ID: "organizationId",
  APP_SIM_DOMAIN: "domain",
  APP_SIM_EDITION: "edition",
  APP_SIM_USER: "user",
  APP_SIM_IP: "ip",
  APP_SIM_MFA: "mfa",
  APP_SIM_DEVICE_TRUST: "deviceTrust",
  APP_SIM_REMEMBER_ME: "rememberMe",
  APP_SIM_INTERACTION_TIMEOUT: "interactionTimeout",
  APP_SIM_CONSENT: "consent",
  APP_SIM_REDIRECT_URI: "redirectUri",
  APP_SIM_IMPORT_USER: "as",
  APP_SIM_ALLOW_ORIGIN: "allowOrigin",
  APP_SIM_ALLOW_PATH: "allowPath",
  APP_SIM_PORT: "port",
  APP_SIM_TLS: "tls",
  APP_SIM_CERT: "cert",
  APP_SIM_KEY: "key",
  APP_SIM_PUBLIC_URL: "publicUrl",
  APP_SIM_JOURNAL: "journal",
  APP_SIM_CHOOSE: "choose",
} as const;

/** Separators between several values in one variable: characters that no value can contain. */
const separators = { choose: ";", redirectUri: " ", allowOrigin: " ", allowPath: delimiter } as const;

type SettingName = (typeof environmentVariables)[keyof typeof environmentVariables];

/** What variables or flags set. */
export type Settings = {
  readonly [Name in SettingName]?: Name extends keyof typeof separators ? readonly string[] : string;
};

/**
 * Reads the `APP_SIM_*` variables; an empty one counts as unset. `APP_SIM_CHOOSE` separates its `id=value` pairs by
 * semicolons, `APP_SIM_REDIRECT_URI` and `APP_SIM_ALLOW_ORIGIN` their addresses by spaces, `APP_SIM_ALLOW_PATH` its
 * paths as `PATH` does.
 * @throws UsageError for an unknown variable with that prefix
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.entries(env).filter(([name, value]) => name.startsWith("APP_SIM_") && value);
  const unknown = given.map(([name]) => name).filter((name) => !Object.hasOwn(environmentVariables, name));
  if (unknown.length > 0) throw unknownVariables(unknown);
  const settings: Record<string, string | string[]> = {};
  for (const [name, value = ""] of given) {
    const setting = environmentVariables[name as keyof typeof environmentVariables];
    settings[setting] = setting in separators ? listOf(value, separators[setting as keyof typeof separators]) : value;
  }
  return settings;
}

function unknownVariables(unknown: readonly string[]): UsageError {
  const names = Object.keys(environmentVariables);
  const lines = unknown.map((name) => `${name} is not one that app-sim reads.${meantVariable(name, names)}`);
  const colors = unknown.includes("APP_SIM_COLOR") ? "NO_COLOR or `--color never` turns colours off; " : "";
  const areKnown = lines.every((line) => line.includes("Did you mean"));
  return new UsageError(
    "unknown-variable",
    `the environment variable ${lines.join(" The environment variable ")}`,
    `${colors}${areKnown ? "docs/configuration.md lists all variables" : `app-sim reads ${names.join(", ")}`}`,
  );
}

/** Warnings about variables that a user may expect to be read, but that are not. */
export function unreadVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return [...misspeltVariables(env), ...emptyVariables(env)];
}

/** Often the variable was meant to be filled from a secret that does not exist where the command runs. */
function emptyVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(environmentVariables)
    .filter((name) => env[name] === "")
    .map((name) => `${name} is set but empty, so it is not used: the config file or the default applies`);
}

/** Warnings about misspelt variables with a similar prefix, such as `APPSIM_PORT`: nothing reads them. */
function misspeltVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const names = Object.keys(environmentVariables);
  return Object.entries(env).flatMap(([name, value]) => {
    const [, rest] = /^app[_-]?sim[_-](.+)$/i.exec(name) ?? [];
    if (rest === undefined || name.startsWith("APP_SIM_") || !value) return [];
    const right = `APP_SIM_${rest.toUpperCase().replaceAll("-", "_")}`;
    const [only, ...more] = likely(right, names);
    const near = names.includes(right) ? right : names.find((each) => isSlipOf(right, each));
    const meant = near ?? (more.length === 0 ? only : undefined);
    return meant === undefined ? [] : [`the environment variable ${name} is not read. Did you mean "${meant}"?`];
  });
}

/** The common prefix does not make two names similar. */
function meantVariable(name: string, names: readonly string[]): string {
  // An app's address is called url in the configuration; two variables end with SECRET.
  if (name === "APP_SIM_URL") return ' Did you mean "APP_SIM_APP"?';
  const ends = names.filter((known) => known.endsWith(name.replace(/^APP_SIM/, "")));
  if (ends.length === 2) return ` Did you mean ${ends.map((known) => `"${known}"`).join(" or ")}?`;
  const meant = nearestName(withoutPrefix(name), likely(name, names).map(withoutPrefix));
  return meant === null ? "" : ` Did you mean "APP_SIM_${meant}"?`;
}

function withoutPrefix(name: string): string {
  return name.replace(/^APP_SIM_/, "");
}

/** Candidates that extend the name, such as APP_SIM_APP_URL for APP_SIM_APP, unless one is only a typo away. */
function likely(name: string, names: readonly string[]): readonly string[] {
  const longer = names.filter((known) => name.startsWith(`${known}_`));
  return longer.length === 0 || names.some((known) => isSlipOf(name, known)) ? names : longer.slice(-1);
}

function listOf(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((value) => value.trim())
    .filter((value) => value !== "");
}
