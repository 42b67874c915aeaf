import { execFile } from "node:child_process";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { buildProgram } from "../../src/command-line/program.ts";
import { choiceDefinitions } from "../../src/config/choices.ts";
import { environmentVariables } from "../../src/config/environment.ts";
import { loadConfig } from "../../src/config/load.ts";
import { importRules } from "../../src/post-import/checks/import-rules.ts";
import { stringChecks } from "../../src/post-import/checks/strings/string-checks.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** A fenced block of a Markdown text; `language` is "" where the fence names none. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** Every fenced block, in order. */
export function blocksOf(markdown: string): Block[] {
  const fences = markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...fences].map(([, language = "", text = ""]) => ({ language, text }));
}

/** The commands of a console block, without the prompt. */
export function commandsIn(consoleBlock: string): string[] {
  return [...consoleBlock.matchAll(/^\$ (.+)$/gm)].map(([, command = ""]) => command);
}

/** The commands of a workflow's one-line `run` steps. */
export function stepsIn(workflow: string): string[] {
  return [...workflow.matchAll(/^- run: (.+)$/gm)].map(([, command = ""]) => command);
}

/** Puts each table between the comments `<!-- name -->` and `<!-- /name -->`. Throws where there are no such comments. */
export function withTables(markdown: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [name, table]) => {
    const place = new RegExp(`(?<=^<!-- ${name} -->\n).*?(?=^<!-- /${name} -->$)`, "ms");
    if (!place.test(text)) throw new Error(`no place for the table ${name}`);
    return text.replace(place, () => `\n${table}\n`);
  }, markdown);
}

/**
 * The tables of the README by their names, as the code gives them.
 * @param directory one without a config file in or above it
 */
export async function tablesOfCode(directory: string): Promise<Record<string, string>> {
  return {
    commands: commandsTable(),
    environment: await environmentTable(directory),
    choices: choicesTable(),
    checks: checksTable(),
  };
}

function commandsTable(): string {
  const program = buildProgram("0.0.0", async () => {});
  const flagsOf = (command: { readonly options: readonly { readonly flags: string }[] }) =>
    command.options.map(({ flags }) => code(flags)).join(", ");
  const rows = program.commands.map((command) => {
    const args = command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
      return argument.required ? ` <${name}>` : ` [${name}]`;
    });
    return [code(`app-sim ${command.name()}${args.join("")}`), command.description(), flagsOf(command)];
  });
  return table(["command", "what it does", "options"], [...rows, ["every command", "", flagsOf(program)]]);
}

/** What a variable sets that is no single place in the configuration. */
const setInWords = {
  APP_SIM_CONFIG: "which config file is read",
  APP_SIM_CHOOSE: "`choices`, as `id=value`, several separated by `;`",
} as const;

type SinglePlace = Exclude<keyof typeof environmentVariables, keyof typeof setInWords>;

/** A value that each variable can have: where it lands in the configuration shows what the variable sets. */
const samples: Readonly<Record<SinglePlace, string>> = {
  APP_SIM_PROFILE: "base64-signature",
  APP_SIM_APP: "http://127.0.0.1:3001",
  APP_SIM_MANIFEST: "manifest.json",
  APP_SIM_CLIENT_ID: "id",
  APP_SIM_CLIENT_SECRET: "secret",
  APP_SIM_APP_SECRET: "secret",
  APP_SIM_ORGANIZATION_ID: "7",
  APP_SIM_DOMAIN: "other",
  APP_SIM_EDITION: "standard",
  APP_SIM_USER: "admin",
  APP_SIM_IP: "192.0.2.1",
  APP_SIM_MFA: "true",
  APP_SIM_DEVICE_TRUST: "true",
  APP_SIM_REMEMBER_ME: "true",
  APP_SIM_INTERACTION_TIMEOUT: "60",
  APP_SIM_CONSENT: "approve",
  APP_SIM_REDIRECT_URI: "http://127.0.0.1:3001/callback",
  APP_SIM_IMPORT_USER: "admin",
  APP_SIM_ALLOW_ORIGIN: "http://127.0.0.1:3001",
  APP_SIM_PORT: "7411",
  APP_SIM_JOURNAL: "journal",
};

async function environmentTable(directory: string): Promise<string> {
  const names = Object.keys(environmentVariables) as (keyof typeof environmentVariables)[];
  const rows = names.map(async (name) => {
    const sets = name in setInWords ? setInWords[name as keyof typeof setInWords] : null;
    return [code(name), sets ?? (await placesSetBy(name as SinglePlace, directory)).map(code).join(", ")];
  });
  return table(["variable", "sets"], await Promise.all(rows));
}

async function placesSetBy(variable: SinglePlace, directory: string): Promise<string[]> {
  const { origins } = await loadConfig({}, { [variable]: samples[variable] }, directory);
  return [...origins].filter(([, origin]) => origin === `env ${variable}`).map(([path]) => path);
}

function checksTable(): string {
  const checks = [...Object.entries(importRules).map(([id, rule]) => ({ id, ...rule })), ...stringChecks];
  const rows = checks.map(({ id, result, section, rule }) => [code(id), result, section, rule.replaceAll("|", "\\|")]);
  return table(["check", "finding", "interface section", "rule"], rows);
}

function choicesTable(): string {
  const inUse = Object.entries(choiceDefinitions).filter(([, { usedBy }]) => usedBy.length > 0);
  const rows = inUse.map(([id, choice]) => {
    const value: unknown = choice.default;
    const shown = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
    return [
      code(id),
      code(shown),
      choice.alternatives === "none" ? "–" : choice.alternatives,
      choice.section,
      choice.usedBy.join(", "),
    ];
  });
  return table(["id", "default", "other values", "interface section", "relied on by"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`).join("");
}

function code(text: string): string {
  return `\`${text}\``;
}

/** What is different in every run: ports, the ids of exchanges, milliseconds. */
export function withoutChance(output: string): string {
  return output
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replaceAll(/\bstate=[\w-]{43}/g, "state=STATE")
    .replaceAll(/exchange [a-z0-9]{8}\b/g, "exchange ID")
    .replaceAll(/ in [\d.]+ ms\b/g, " in N ms");
}

/**
 * As much of jq as the examples use: `-r` and paths such as `.jobs[].changes.changed`. Unlike jq it fails where
 * there is nothing at the path, which in an example is a slip.
 */
const JQ = `
const filter = process.argv.at(-1);
const isRaw = process.argv[2] === "-r";
if (!/^(\\.\\w+|\\[\\d*\\])+$/.test(filter)) throw new Error("this jq does not know " + filter);
let values = [JSON.parse(require("node:fs").readFileSync(0, "utf8"))];
for (const [, key, index] of filter.matchAll(/\\.(\\w+)|\\[(\\d*)\\]/g)) {
  values = values.flatMap((value) => (index === "" ? value : [value[key ?? index]]));
}
for (const value of values) {
  if (value === undefined) throw new Error("there is nothing at " + filter);
  console.log(isRaw && typeof value === "string" ? value : JSON.stringify(value, null, 2));
}
`;

/** Makes a directory what the README's reader has: the fixtures, app-sim installed as a package, the commands. */
export async function furnish(directory: string): Promise<void> {
  const bin = join(directory, "bin");
  await mkdir(bin);
  await mkdir(join(directory, "node_modules"));
  await symlink(ROOT, join(directory, "node_modules/app-sim"));
  await cp(join(ROOT, "fixtures"), join(directory, "fixtures"), { recursive: true });
  await writeFile(join(bin, "jq.cjs"), JQ);
  const commands = {
    "app-sim": `'${process.execPath}' '${join(ROOT, "bin/app-sim.js")}' "$@"`,
    jq: `'${process.execPath}' '${join(bin, "jq.cjs")}' "$@"`,
    // The real one may ask the registry.
    npx: '"$@"',
  };
  for (const [name, command] of Object.entries(commands)) {
    await writeFile(join(bin, name), `#!/bin/sh\nexec ${command}\n`, { mode: 0o755 });
  }
}

export interface Ended {
  /** The exit code; null when it could not be started or had to be killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in a furnished directory, with the app at `appUrl`. */
export function runIn(directory: string, variables: NodeJS.ProcessEnv, commandLine: string): Promise<Ended> {
  const env = {
    PATH: [join(directory, "bin"), process.env.PATH].join(delimiter),
    HOME: directory,
    ...variables,
  };
  const options = { cwd: directory, env, timeout: 25_000 };
  return new Promise((done) => {
    execFile("bash", ["-e", "-o", "pipefail", "-c", commandLine], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      done({ code: typeof code === "number" ? code : null, stdout, stderr });
    });
  });
}
