import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import type { Command } from "commander";
import { type Area, areas, type CheckFacts } from "../../src/checking/check.ts";
import { buildProgram } from "../../src/command-line/program.ts";
import { choiceDefinitions } from "../../src/config/choices.ts";
import { configJsonSchema } from "../../src/config/config-file-schema.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { environmentVariables } from "../../src/config/environment.ts";
import { loadConfig } from "../../src/config/load.ts";
import { exitCodes } from "../../src/output/exit-code.ts";
import { importRules } from "../../src/post-import/checks/import-rules.ts";
import { stringChecks } from "../../src/post-import/checks/strings/string-checks.ts";
import { usageCodes } from "../../src/protocol/usage-codes.ts";
import { allChecks } from "../../src/verify/checks.ts";

export const ROOT = resolve(import.meta.dirname, "../..");

/** A page of the documentation; `name` is its path in the repository. */
export interface Page {
  readonly name: string;
  readonly text: string;
}

/** The README and every page that people wrote: all but the reference of the library, which is generated as a whole. */
export function readPages(): Page[] {
  const names = [
    ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
    ...markdownIn("docs").filter((name) => !name.startsWith("docs/api/")),
  ];
  return names.map((name) => ({ name, text: readFileSync(join(ROOT, name), "utf8") }));
}

function markdownIn(folder: string): string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".md")).map((file) => `${folder}/${file.replaceAll("\\", "/")}`);
}

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
 * The tables that the code gives, by the page on which they are and by their names.
 * @param directory one without a config file in or above it
 */
export async function tablesOfCode(directory: string): Promise<Record<string, Record<string, string>>> {
  return {
    "docs/commands.md": { commands: commandSections() },
    "docs/configuration.md": {
      settings: settingsTable(),
      environment: await environmentTable(directory),
      users: table(
        ["login name", "role", "id"],
        defaultConfig.users.map(({ login, role, id }) => [login, role, `${id}`]),
      ),
    },
    "docs/choices.md": { choices: choicesTable() },
    "docs/checks.md": { checks: verifyChecks() },
    "docs/importing.md": { checks: checksTable() },
    "docs/errors.md": { "exit-codes": exitCodesTable(), "error-codes": errorCodesTable() },
    "docs/interface.md": { sections: sectionsTable() },
  };
}

/** A section for each command, with its help, and one for the options of all. */
function commandSections(): string {
  const program = buildProgram("0.0.0", async () => {});
  const commands = program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== "help")
    .map((command) => ({ name: command.name(), command }));
  const rows = commands.map(({ name, command }) => [`[\`${name}\`](#app-sim-${name})`, command.description()]);
  const sections = commands.map(({ name, command }) => {
    const [own, examples = ""] = helpOf(command).split(/^Global Options:\n(?:.+\n)*/m);
    return `## app-sim ${name}\n\n${fenced(`${own}${examples.trimStart()}`)}`;
  });
  // The help of each command has them; that of the program only names them.
  const [anyCommand = program] = program.commands;
  const globals = /^Global Options:\n(?:.+\n)*/m.exec(helpOf(anyCommand))?.[0] ?? "";
  return [table(["command", "what it does"], rows), ...sections, `## Global options\n\n${fenced(globals)}`].join("\n");
}

function helpOf(command: Command): string {
  let help = "";
  command.configureOutput({ getOutHelpWidth: () => 80, writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
}

interface JsonSchema {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

/** Every place of the configuration. `app` has the fields of an element of `apps`, so they are listed once. */
function settingsTable(): string {
  const rows = Object.entries((configJsonSchema() as JsonSchema).properties ?? {}).flatMap(([name, schema]) =>
    settingRows(name, name === "app" ? { ...schema, properties: {} } : schema),
  );
  return table(["setting", "meaning", "values", "default"], rows);
}

/** More of them would be wider than what is said of them. */
const MOST_VALUES = 20;

function settingRows(path: string, schema: JsonSchema): string[][] {
  const allowed = schema.enum ?? schema.items?.enum ?? [];
  const isLong = allowed.length > MOST_VALUES;
  const values = isLong ? "`app-sim config --schema` lists them" : allowed.map((value) => code(`${value}`)).join(", ");
  const inner = [schema.properties ?? {}, schema.items?.properties ?? {}];
  const [members, elements] = inner.map((properties) => Object.entries(properties));
  return [
    [code(path), schema.description ?? "", values, defaultAt(path)],
    ...(members ?? []).flatMap(([name, member]) => settingRows(`${path}.${name}`, member)),
    ...(elements ?? []).flatMap(([name, member]) => settingRows(`${path}[].${name}`, member)),
  ];
}

/** The default of a single value; what is a list or an object has its defaults in its parts, or below on the page. */
function defaultAt(path: string): string {
  const names = path.replaceAll("[]", ".0").split(".");
  const value = path.startsWith("users") || path.startsWith("projects") ? undefined : valueAt(defaultConfig, names);
  return value === undefined || value === null || typeof value === "object" ? "" : code(`${value}`);
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  return typeof value === "object" && value !== null
    ? valueAt((value as Record<string, unknown>)[name], rest)
    : undefined;
}

const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  asExpected: "everything went as expected",
  failed: "access was denied, something failed, or nothing was sent",
  usage: "wrong usage, configuration, fixture or manifest",
  unreachable: "the app cannot be reached; for `clock` and `fault`, the running platform",
  timedOut: "the app took too long",
  bug: "a bug in app-sim",
  exhausted: "this machine or process has too few open files, or too little memory",
  unwritable: "the result cannot be written",
  hungUp: "the terminal was closed (SIGHUP)",
  interrupted: "interrupted (Ctrl-C, SIGINT)",
  terminated: "terminated (SIGTERM)",
};

function exitCodesTable(): string {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  return table(
    ["code", "meaning"],
    names.map((name) => [`${exitCodes[name]}`, exitCodeMeanings[name]]),
  );
}

function errorCodesTable(): string {
  const rows = Object.entries(usageCodes).sort(([a], [b]) => (a < b ? -1 : 1));
  return table(
    ["code", "meaning"],
    rows.map(([name, meaning]) => [code(name), meaning]),
  );
}

/** The choices and the checks of imports that belong to each section of the interface. */
function sectionsTable(): string {
  const choices = Object.entries(choiceDefinitions).map(([id, { section }]) => ({ id, section }));
  const checks = importChecks().map(({ id, section }) => ({ id, section }));
  const sections = [...new Set([...choices, ...checks].map(({ section }) => section))].sort();
  const idsOf = (parts: readonly { id: string; section: string }[], wanted: string) =>
    parts.flatMap(({ id, section }) => (section === wanted ? [code(id)] : [])).join(", ");
  return table(
    ["section", "choices", "checks"],
    sections.map((section) => [section, idsOf(choices, section), idsOf(checks, section)]),
  );
}

/** What a variable sets that is no single place in the configuration, or nothing without another one. */
const setInWords = {
  APP_SIM_CONFIG: "which config file is read",
  APP_SIM_CERT: "`tls.cert`",
  APP_SIM_KEY: "`tls.key`",
  APP_SIM_CHOOSE: "`choices`, as `id=value`, several separated by `;`",
} as const;

type SinglePlace = Exclude<keyof typeof environmentVariables, keyof typeof setInWords>;

/** A value that each variable can have: where it lands in the configuration shows what the variable sets. */
const samples: Readonly<Record<SinglePlace, string>> = {
  APP_SIM_PROFILE: "base64-signature",
  APP_SIM_APP: "http://127.0.0.1:3001",
  APP_SIM_MANIFEST: "manifest.json",
  APP_SIM_APP_ID: "id",
  APP_SIM_CLIENT_ID: "id",
  APP_SIM_CLIENT_SECRET: "a-secret",
  APP_SIM_APP_SECRET: "a-secret",
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
  APP_SIM_ALLOW_PATH: "/srv/fixtures",
  APP_SIM_PORT: "7411",
  APP_SIM_TLS: "true",
  APP_SIM_PUBLIC_URL: "https://sim.example.test",
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

function importChecks() {
  return [...Object.entries(importRules).map(([id, rule]) => ({ id, ...rule })), ...stringChecks];
}

function checksTable(): string {
  const rows = importChecks().map(({ id, result, section, rule }) => [code(id), result, section, rule]);
  return table(["check", "finding", "interface section", "rule"], rows);
}

const areaTitles: Readonly<Record<Area, string>> = {
  manifest: "The manifest",
  guard: "Auth guards",
  page: "Pages of guards",
  import: "Post-import",
  webhook: "Webhooks",
  oauth: "Login by OAuth",
};

/** The checks of `verify`, a table for each area that has any. */
function verifyChecks(): string {
  const head = ["check", "a correct app", "result", "section", "why it matters", "how to fix it"];
  const ofArea = areas.map((area) => ({ area, checks: allChecks.filter((check) => check.area === area) }));
  return ofArea
    .filter(({ checks }) => checks.length > 0)
    .map(({ area, checks }) => `## ${areaTitles[area]}\n\n${table(head, checks.map(checkRow))}`)
    .join("\n");
}

/** Why a check matters and how to fix an app; for one of a family that says the same, where that stands. */
function reasonsFor({ id, why, fix }: CheckFacts): [why: string, fix: string] {
  const first = allChecks.find((check) => check.why === why && check.fix === fix);
  return first === undefined || first.id === id ? [why, fix] : [`as ${code(first.id)}`, ""];
}

function checkRow(check: CheckFacts): string[] {
  const { id, title, severity, section, choices = [], isSlow, isRandom, needsQuiet } = check;
  const notes = [
    ...(choices.length === 0 ? [] : [`rests on ${choices.map(code).join(", ")}`]),
    ...(isSlow === true ? ["with `--slow` only"] : []),
    ...(isRandom === true ? ["with `--fuzz` only"] : []),
    ...(needsQuiet === true ? ["runs alone"] : []),
  ];
  const result = [severity, ...notes].join("; ");
  return [code(id), title, result, section, ...reasonsFor(check)];
}

function choicesTable(): string {
  const rows = Object.entries(choiceDefinitions).map(([id, choice]) => {
    const value: unknown = choice.default;
    const shown = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
    return [code(id), code(shown), choice.alternatives, choice.section, choice.usedBy.join(", "), choice.reason];
  });
  return table(["id", "default", "other values", "interface section", "used by", "reason"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`).join("");
}

function code(text: string): string {
  return `\`${text}\``;
}

/** What is different in every run: ports, the ids of exchanges and deliveries, milliseconds. */
export function withoutChance(output: string): string {
  return output
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replaceAll(/\bstate=[\w-]{43}/g, "state=STATE")
    .replaceAll(/exchange [a-z0-9]{8}\b/g, "exchange ID")
    .replaceAll(/^( {2}. )[a-z0-9]{8}(.*?) +[\d.]+ ms {2}[a-z0-9]{8}/gm, "$1ID$2 N ms  ID")
    .replaceAll(/(?<=in|max|p\d+) [\d.]+ ms\b/g, " N ms");
}

/** A command line that is nothing but a run of app-sim, with what its output goes through. */
export interface PlainCommand {
  readonly args: readonly string[];
  /** The filter of jq that the output is piped into. */
  readonly filter: string | null;
  /** The file that the output is written or appended to. */
  readonly file: string | null;
}

/** The command as it can be run in this process, or null where it needs a shell or starts processes itself. */
export function plainCommand(commandLine: string): PlainCommand | null {
  const form = /^app-sim (?!exec )((?:[^\s'"|>&$!;]|"[^"$]*"|'[^']*'| )+?)(?: \| jq (\S+))?(?: >>? (\S+))?$/;
  const [, line, filter = null, file = null] = form.exec(commandLine) ?? [];
  if (line === undefined) return null;
  const words = line.match(/(?:[^\s'"]|"[^"]*"|'[^']*')+/g) ?? [];
  return { args: words.map(unquoted), filter: filter === null ? null : unquoted(filter), file };
}

function unquoted(word: string): string {
  return word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double: string | undefined, single: string | undefined) => {
    return double ?? single ?? "";
  });
}

/**
 * As much of jq as the examples use: paths such as `.jobs[].changes.changed`.
 * @throws Error where there is nothing at the path, which in an example is a slip, unlike in jq
 */
export function pick(filter: string, value: unknown): unknown[] {
  if (!/^(\.\w+|\[\d*\])+$/.test(filter)) throw new Error(`this jq does not know ${filter}`);
  const steps = [...filter.matchAll(/\.(\w+)|\[(\d*)\]/g)];
  return steps.reduce<unknown[]>(
    (values, [, key, index]) => {
      return values.flatMap((each) => {
        const found = index === "" ? (each as unknown[]) : [(each as Record<string, unknown>)[key ?? index ?? ""]];
        if (found.includes(undefined)) throw new Error(`there is nothing at ${filter}`);
        return found;
      });
    },
    [value],
  );
}

/** The jq of examples that a shell runs. */
const JQ = `${pick}
for (const value of pick(process.argv.at(-1), JSON.parse(require("node:fs").readFileSync(0, "utf8")))) {
  console.log(JSON.stringify(value, null, 2));
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
  const options = { cwd: directory, env, timeout: 100_000 };
  return new Promise((done) => {
    execFile("bash", ["-e", "-o", "pipefail", "-c", commandLine], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      done({ code: typeof code === "number" ? code : null, stdout, stderr });
    });
  });
}
