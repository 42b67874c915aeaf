import type { CommandCall } from "../action/command-call.ts";
import { appVariable } from "../config/app-variables.ts";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { jsonText } from "../output/json.ts";
import { shellQuoted } from "../output/shell-text.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { EnvFlags } from "./action.ts";

/** `app-sim env` */
export async function envCommand({
  invocation,
  flags: { prefix = "PLATFORM_" },
}: CommandCall<never, EnvFlags>): Promise<number> {
  checkPrefix(prefix);
  const { format } = invocation;
  const { config } = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  knownPort(config);
  invocation.out(
    format === "json" ? jsonText(variablesFor(config, prefix)) : lines(variablesFor(config, prefix), format),
  );
  return 0;
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

/**
 * What an app needs to know of the platform and of its own installation (interface, first paragraph; 5.1, 5.2). The
 * first registered redirect address and the registered scopes are among it where there are any.
 */
export function variablesFor({ apps, organization, port }: Config, prefix: string): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  const variables = Object.fromEntries(
    Object.entries({
      BASE_URL: url,
      AUTH_URL: url,
      API_URL: url,
      SDK_URL: url,
      ORGANIZATION_ID: String(organization.id),
      ORGANIZATION_DOMAIN: organization.domain,
    }).map(([name, value]) => [prefix + name, value]),
  );
  for (const [index, app] of apps.entries()) {
    const nameOf = (name: string) => prefix + appVariable(apps, index, name);
    variables[nameOf("CLIENT_ID")] = app.clientId;
    variables[nameOf("CLIENT_SECRET")] = app.clientSecret;
    variables[nameOf("APP_SECRET")] = app.appSecret;
    const [redirectUri] = app.redirectUris;
    if (redirectUri !== undefined) variables[nameOf("REDIRECT_URI")] = redirectUri;
    if (app.scopes.length > 0) variables[nameOf("SCOPES")] = app.scopes.join(" ");
  }
  return variables;
}

function lines(variables: Record<string, string>, format: string): string {
  const quote = format === "shell" ? shellQuoted : dotenvQuoted;
  const start = format === "shell" ? "export " : "";
  return Object.entries(variables)
    .map(([name, value]) => `${start}${name}=${quote(value)}\n`)
    .join("");
}

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
