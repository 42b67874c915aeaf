import type { CommandCall } from "../action/command-call.ts";
import { configJsonSchema } from "../config/config-file-schema.ts";
import { loadConfig } from "../config/load.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { table } from "../output/layout.ts";
import { tellWarning } from "../output/tell.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { ConfigFlags } from "./action.ts";
import { namedAmong } from "./named-among.ts";

const LISTED = 5;

/** `app-sim config` */
export async function configCommand({
  invocation,
  args,
  flags: { schema = false },
}: CommandCall<never, ConfigFlags>): Promise<number> {
  if (schema) {
    invocation.out(jsonText(configJsonSchema()));
    return 0;
  }
  refuseVerb(args);
  const {
    config: loaded,
    choices,
    origins,
    unreadSettings,
  } = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  for (const warning of unreadSettings) tellWarning(invocation, warning);
  // A config file for one app calls it `app`.
  const asked = args.map((path) => path.replace(/^app(?=\.|$)/, "apps[0]"));
  const paths = namedAmong([...origins.keys()], asked, "value", "`app-sim config` lists them all");
  const values = paths.map((path) => ({
    path,
    value: shown(path, valueAt({ ...loaded, choices }, path)),
    origin: origins.get(path) ?? "default",
  }));
  if (invocation.format === "json") {
    invocation.out(jsonText({ command: "config", values }));
    return 0;
  }
  const { paint } = invocation;
  const lines = table(values.map(({ path, value, origin }) => [path, oneLine(value), origin]));
  printLines(
    invocation,
    lines.map((line, index) => (values[index]?.origin === "default" ? line : paint.strong(line))),
  );
  return 0;
}

/** @throws UsageError for `config set app.url http://…`, as other programs have it */
function refuseVerb([verb = "", path = "app.url"]: readonly string[]): void {
  if (verb === "get") throw new UsageError("usage", "config has no action get", `app-sim config ${path}`);
  if (!/^(set|unset|add|delete|edit)$/.test(verb)) return;
  const where = "in the config file; a flag or an environment variable changes a value for one command";
  throw new UsageError("usage", `config shows values, and has no action ${verb}`, `change ${path} ${where}`);
}

/** Of secrets only the length is shown: `app-sim env` prints them. */
function shown(path: string, value: unknown): unknown {
  return /Secret$|password$/.test(path) ? `(hidden, ${String(value).length} characters)` : value;
}

function oneLine(value: unknown): string {
  if (!Array.isArray(value) || value.length <= LISTED) return valueText(value);
  return `${valueText(value.slice(0, LISTED))} and ${value.length - LISTED} more`;
}

function valueAt(config: Record<string, unknown>, path: string): unknown {
  if (path.startsWith("choices.")) return (config.choices as Record<string, unknown>)[path.slice("choices.".length)];
  const keys = path.replaceAll(/\[(\d+)\]/g, ".$1").split(".");
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], config);
}
