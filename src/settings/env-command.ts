import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { systemClock } from "../app-client/ports.ts";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { jsonText } from "../output/json.ts";
import { shellQuoted } from "../output/shell-word.ts";
import { tellWarning } from "../output/tell.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { EnvFlags } from "./action.ts";
import { variablesFor } from "./variables.ts";

/** `app-sim env` */
export async function envCommand({
  invocation,
  flags: { prefix = "PLATFORM_" },
}: CommandCall<never, EnvFlags>): Promise<number> {
  checkPrefix(prefix);
  const { format } = invocation;
  const { config } = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  knownPort(config);
  const variables = variablesFor(config, prefix, { caFile: await caFileOf(config, invocation) });
  invocation.out(format === "json" ? jsonText(variables) : lines(variables, format));
  return 0;
}

/** The certificate that the app has to trust. It is made now if it is not there: an app may be started before the platform. */
async function caFileOf(config: Config, invocation: Invocation): Promise<string | null> {
  if (config.tls === false) return null;
  const { prepareTls } = await import("../tls/server-tls.ts");
  const onTrouble = (message: string) => tellWarning(invocation, message);
  return (await prepareTls(config, config.journal, { now: systemClock.now, onTrouble })).caFile;
}

/** @throws UsageError for what cannot be the beginning of a variable's name */
export function checkPrefix(prefix: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(prefix)) return;
  throw new UsageError(
    "prefix-invalid",
    `--prefix ${prefix}: not the beginning of a variable's name`,
    "letters, digits and _, such as --prefix PLATFORM_",
  );
}

/**
 * The port of the platform, for those who have to know it beforehand.
 * @throws UsageError where it is a free one
 */
export function knownPort({ port }: Config): number {
  if (port !== 0) return port;
  throw new UsageError(
    "port-unknown",
    "the port of the platform is 0, a free one: nobody knows its address yet",
    "give a port with --port, APP_SIM_PORT or the config file",
  );
}

function lines(variables: Record<string, string>, format: string): string {
  const line = lineOf[format] ?? dotenvLine;
  return Object.entries(variables)
    .map(([name, value]) => `${line(name, value)}\n`)
    .join("");
}

/**
 * A variable as a line of a dotenv file.
 * @throws UsageError for a value that no dotenv file can hold
 */
export function dotenvLine(name: string, value: string): string {
  return `${name}=${dotenvQuoted(value)}`;
}

const lineOf: Readonly<Record<string, (name: string, value: string) => string>> = {
  shell: (name, value) => `export ${name}=${shellQuoted(value)}`,
  // PowerShell expands nothing within single quotes, and takes the typographic ones for them too.
  powershell: (name, value) => `$env:${name} = '${value.replaceAll(/['‘’‚‛]/g, "$&$&")}'`,
};

/**
 * Plain where every reader of dotenv files agrees; else in quotes that the value does not hold, because readers
 * undo no escape that is the same for all of them.
 */
function dotenvQuoted(value: string): string {
  if (/^[\w.:/@-]+$/.test(value)) return value;
  // Within double quotes readers make a line feed of \n; within the others they change nothing.
  const quote = ["'", "`", '"'].find((each) => !value.includes(each));
  if (quote !== undefined && !value.includes("\r") && !(quote === '"' && value.includes("\\"))) {
    return quote + value + quote;
  }
  throw new UsageError(
    "dotenv-impossible",
    "a value holds characters that a dotenv file cannot hold together, such as all three kinds of quotes",
    "print them with --format json or --format shell",
  );
}
