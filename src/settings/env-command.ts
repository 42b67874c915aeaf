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
import { checkPrefix, variablesFor } from "./variables.ts";

/** `app-sim env` */
export async function envCommand({
  invocation,
  flags: { prefix = "PLATFORM_" },
}: CommandCall<never, EnvFlags>): Promise<number> {
  checkPrefix(prefix, `--prefix ${prefix}`);
  const { format } = invocation;
  const { config } = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  knownPort(config);
  const variables = variablesFor(config, prefix, { caFile: await caFileOf(config, invocation) });
  invocation.out(format === "json" ? jsonText(variables) : lines(variables, format));
  return 0;
}

/**
 * The certificate that the app has to trust. It is created now if it does not exist: an app may be started before the
 * platform.
 */
async function caFileOf(config: Config, invocation: Invocation): Promise<string | null> {
  if (config.tls === false) return null;
  const { prepareTls } = await import("../tls/server-tls.ts");
  const onTrouble = (message: string) => tellWarning(invocation, message);
  return (await prepareTls(config, config.journal, { now: systemClock.now, onTrouble })).caFile;
}

/**
 * The port of the platform, if it has to be known beforehand.
 * @throws UsageError if it is a free one
 */
export function knownPort({ port }: Config): number {
  if (port !== 0) return port;
  throw new UsageError(
    "port-unknown",
    "the port of the platform is 0, which means a free one, so its address is not known yet",
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
 * @throws UsageError for a value that a dotenv file cannot represent
 */
export function dotenvLine(name: string, value: string): string {
  return `${name}=${dotenvQuoted(value)}`;
}

const lineOf: Readonly<Record<string, (name: string, value: string) => string>> = {
  shell: (name, value) => `export ${name}=${shellQuoted(value)}`,
  // PowerShell expands nothing within single quotes, and treats typographic ones as quotes too.
  powershell: (name, value) => `$env:${name} = '${value.replaceAll(/['‘’‚‛]/g, "$&$&")}'`,
};

/**
 * Unquoted if every dotenv parser agrees; otherwise in quotes that do not occur in the value, because no escape is
 * understood by all parsers.
 */
function dotenvQuoted(value: string): string {
  if (/^[\w.:/@-]+$/.test(value)) return value;
  // Within double quotes parsers turn \n into a line feed; within the others they change nothing.
  const quote = ["'", "`", '"'].find((each) => !value.includes(each));
  if (quote !== undefined && !value.includes("\r") && !(quote === '"' && value.includes("\\"))) {
    return quote + value + quote;
  }
  throw new UsageError(
    "dotenv-impossible",
    "a value contains characters that a dotenv file cannot combine, such as all three kinds of quotes",
    "print them with --format json or --format shell",
  );
}
