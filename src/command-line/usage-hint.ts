import { existsSync } from "node:fs";
import type { Command, CommanderError } from "commander";
import { actionOfCommand, commandsWith, formatsOf } from "../actions.ts";
import { roles } from "../config/roles.ts";
import { shippedInstead } from "../config/shipped-fixtures.ts";
import { shellWord } from "../output/shell-word.ts";
import { didYouMean, isSlipOf } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { outputHint, wordOfOthers } from "./option-words.ts";
import { runners } from "./run-program.ts";

/** What other tools of this kind call their commands, and what does it here. */
const wordsOfOthers: readonly (readonly [words: readonly string[], here: string])[] = [
  [
    ["login", "signin", "auth"],
    "`app-sim guard` logs a user in through your guards, `app-sim oauth` logs in to your app",
  ],
  [["authorize"], "`app-sim oauth` logs a user in to your app"],
  [
    ["listen", "forward", "tunnel"],
    "`app-sim serve` keeps the platform running; `app-sim webhook EVENT` delivers events to your app",
  ],
  [
    ["status", "ping", "health", "info", "version"],
    "`app-sim doctor` says whether everything is in place, `app-sim --version` which version this is",
  ],
  [
    ["deploy", "publish", "push"],
    "app-sim runs on this machine alone and deploys nothing: `app-sim serve` is the platform, your app runs beside it",
  ],
  [["install", "setup", "create", "new", "configure"], "`app-sim init` sets app-sim up in your app's folder"],
  [["stop", "kill", "down", "shutdown"], "Ctrl-C ends `app-sim serve`, in the terminal where it runs"],
  [["start"], "`app-sim serve` keeps the platform running, `app-sim demo` shows everything once"],
  [["server", "up", "mock", "stub", "fake", "simulate"], "`app-sim serve` keeps the platform running"],
  [
    ["trigger", "send", "emit", "event", "events"],
    "`app-sim webhook EVENT` delivers an event, such as project.translated",
  ],
  [["resend"], "`app-sim replay ID` sends a recorded delivery again"],
  [["import", "upload"], "`app-sim post-import FILE` imports the strings of a fixture"],
  [["logs", "history", "ls", "list", "requests"], "`app-sim log` lists every exchange"],
  [["curl"], "`app-sim log last --curl` prints the last request as a curl command"],
  [["test", "check"], "`app-sim verify` proves that your app checks what it must"],
  [["validate", "lint"], "`app-sim manifest` says what is wrong with the manifest, `app-sim verify` with the app"],
  [["play"], "`app-sim run FILE` plays a scenario"],
  [["time"], "`app-sim clock` sets the platform's time"],
  [["stress"], "`app-sim load` measures your webhook handler"],
  [
    ["secret", "secrets", "credentials", "keys", "variables"],
    "`app-sim env` prints the secrets and addresses that your app needs",
  ],
  [["jwt"], "`app-sim token` makes a JWT as the platform sends it to a module"],
];

interface UsageHint {
  /** In place of commander's own words, where those speak of what no user wrote. */
  readonly message?: string;
  readonly hint: string;
}

/** What helps where commander only knows that a word is wrong; null: nothing does more than it says itself. */
export function usageHint({ code, message }: CommanderError, program: Command): UsageHint | null {
  const { args, commands } = program;
  const [, word = ""] = /'([^']*)'/.exec(message) ?? [];
  const byName = new Map(commands.map((known) => [known.name(), known]));
  const command = byName.get(args.find((arg) => byName.has(arg)) ?? "");
  switch (code) {
    case "commander.unknownCommand": {
      const [, here] = wordsOfOthers.find(([words]) => words.includes(word)) ?? [];
      return here === undefined ? null : { hint: here };
    }
    case "commander.missingArgument":
    case "commander.missingMandatoryOptionValue":
      return command === undefined ? null : exampleHint(command);
    case "commander.excessArguments":
      return command === undefined ? null : superfluous(command, program);
    case "commander.unknownOption":
      return unknownOption(word, message, { program, command });
    case "commander.invalidArgument":
      return notAllowed(message);
    default:
      return null;
  }
}

/** What an option may be meant for that the command does not have. */
function unknownOption(
  option: string,
  message: string,
  { program, command }: { readonly program: Command; readonly command: Command | undefined },
): UsageHint | null {
  const { args, commands, options } = program;
  if (/^-v$/i.test(option)) return { hint: "`app-sim --version` prints the version" };
  if (/^--no-colou?rs?$/.test(option)) return { hint: "--color never leaves the colours out" };
  const known = [...(command?.options ?? []), ...options];
  if (known.some(({ long }) => long === `-${option}`)) return { hint: `it begins with two hyphens: -${option}` };
  if (command === undefined) return commandNeeded(option, commands);
  if (command.name() === "clock" && /^-\d/.test(option))
    return {
      hint: "the clock advances forward only: `app-sim clock set TIME` sets it to any time, `app-sim clock reset` to the real one",
    };
  if (command.name() === "fault" && /^--(times|count)$/.test(option))
    return { hint: "how often is a part of the fault: app-sim fault token=500x2" };
  const here =
    beforeCommand(command, option, args) ??
    argumentHint(command, option, args) ??
    formatHint(command, option, args) ??
    elsewhereHint(command, option, args);
  if (here !== null) return here;
  const [only, ...others] = known.flatMap(({ long }) =>
    /^-[a-z]$/.test(option) && long?.startsWith(`-${option}`) ? long : [],
  );
  if (only !== undefined && others.length === 0) return { hint: `options are written out: did you mean ${only}?` };
  // Commander knows of one that is written much like it.
  return /Did you mean/.test(message) ? null : optionOfOthers(command, option, commands);
}

/** An option as other programs have it. */
function elsewhereHint(command: Command, option: string, args: readonly string[]): UsageHint | null {
  const word = wordOfOthers(command.name(), option);
  const hint = word ?? (hasOption(command, "--out") ? null : outputHint(option, args[args.indexOf(option) + 1]));
  return hint === null ? null : { hint };
}

/** A format by what others call it: --json, -o json, --reporter junit. */
function formatHint(command: Command, option: string, args: readonly string[]): UsageHint | null {
  const [name = "", value = args[args.indexOf(option) + 1]] = option.split("=");
  const isNamed = /^(-o|-f|--output|--output-format|--reporter)$/.test(name);
  const format = isNamed ? value : name.replace(/^--/, "");
  if (format === undefined) return null;
  if (formatsOf(command.name()).includes(format)) return { hint: `--format ${format}` };
  const others = isNamed ? commandsWith(format) : [];
  return others.length === 0 ? null : { hint: `${format} is a format of: ${others.join(", ")}` };
}

/** What one command calls --user is --as with another. */
const namesOfUser = ["--user", "--as"];

/** An option that other commands have. */
function optionOfOthers(command: Command, option: string, commands: readonly Command[]): UsageHint | null {
  const name = command.name();
  const synonym = namesOfUser.includes(option) ? namesOfUser.find((flag) => hasOption(command, flag)) : undefined;
  if (synonym !== undefined) return { hint: `${name} has ${synonym} for it: a role, such as manager, or a login name` };
  if (option === "--module" && name === "post-import")
    return { hint: "files alone are named: the manifest says which modules take them, by their signaturePatterns" };
  const language = /^--(lang(uage)?|locale)(=|$)/.test(option) ? languageHint(command) : null;
  if (language !== null) return { hint: language };
  const others = commands.filter((other) => hasOption(other, option)).map((other) => other.name());
  if (others.length === 0) return null;
  return { hint: `it is an option of ${firstOf(others)}; \`app-sim ${name} --help\` shows those of ${name}` };
}

/** Where a command gets the languages from that it is about; null: it is about none. */
function languageHint(command: Command): string | null {
  if (command.name() === "fixture")
    return "--source names the language of the texts, --translations LANGUAGE=FILE that of a translation";
  if (command.name() === "post-import") return "the fixture names its languages: sourceLanguage, targetLanguages";
  if (hasOption(command, "--set")) return "the language of an event is a field of it: --set targetLanguage.id=uk";
  return command.name() === "guard" ? "a login has no language; --explain takes one of programming" : null;
}

function firstOf(names: readonly string[]): string {
  return `${names.slice(0, NAMED_COMMANDS).join(", ")}${names.length > NAMED_COMMANDS ? " and others" : ""}`;
}

/** A command line that has what is missing. */
function exampleHint(command: Command): UsageHint | null {
  const name = command.name();
  const [example] = actionOfCommand(name)?.command?.examples ?? [];
  const values = command.registeredArguments[0]?.argChoices;
  if (example === undefined) return values === undefined ? null : { hint: `it is one of ${values.join(", ")}` };
  return { hint: `for example ${withOwnFiles(example)}; \`app-sim ${name} --help\` shows what is allowed` };
}

/** An example whose fixtures are those that come with app-sim, where the working directory has none of this name. */
function withOwnFiles(example: string): string {
  return example
    .split(" ")
    .map((word) => (existsSync(word) ? word : shellWord(shippedInstead(word) ?? word)))
    .join(" ");
}

/** The first word that the command takes no argument for: most often what a flag takes. */
function superfluous(command: Command, program: Command): UsageHint | null {
  const words = wordsAfter(command, program);
  if (words[0] === "help") return { hint: `app-sim ${command.name()} --help` };
  const given = words[command.registeredArguments.length];
  const [, number = "", unit = ""] = /^advance (\d+) ([dhms])/.exec(words.join(" ")) ?? [];
  if (command.name() === "clock" && number !== "")
    return { hint: `a duration is one word: app-sim clock advance ${number}${unit}` };
  if (command.name() === "env" && !formatsOf("env").includes(given ?? ""))
    return { hint: `env takes no argument: --format is ${formatsOf("env").join(", ")}; --profile names a profile` };
  const flag = given === undefined ? null : flagFor(command.name(), given);
  return flag === null ? null : { hint: `it is given by a flag: ${flag}` };
}

/** The words behind the name of a command that are no options, and no values of options. */
function wordsAfter(command: Command, { args, options }: Command): string[] {
  const known = [...command.options, ...options];
  const takesNext = (arg = "") => known.some(({ long, short, required }) => required && [long, short].includes(arg));
  return args
    .slice(args.indexOf(command.name()) + 1)
    .filter((arg, index, after) => !arg.startsWith("-") && !takesNext(after[index - 1]));
}

/** An option of a command that stands before its name: `app-sim --module network guard`. */
function beforeCommand(command: Command, option: string, args: readonly string[]): UsageHint | null {
  const at = args.indexOf(command.name());
  const [name = ""] = option.split("=", 1);
  const isBefore = args.slice(0, at).some((arg) => arg.split("=", 1)[0] === name);
  const meant = hasOption(command, name)
    ? name
    : command.options.find(({ long }) => long && isSlipOf(name, long))?.long;
  if (!isBefore || meant == null) return null;
  const words = [command.name(), ...args.slice(0, at), ...args.slice(at + 1)];
  const line = words
    .map((arg) => shellWord(arg.split("=", 1)[0] === name ? meant + arg.slice(name.length) : arg))
    .join(" ");
  return {
    message:
      meant === name
        ? `${name} is an option of ${command.name()}, and stands before it`
        : `unknown option '${name}'. Did you mean ${meant}?`,
    hint: `options of a command follow its name: app-sim ${line}`,
  };
}

/** Longer lists name nobody's command. */
const NAMED_COMMANDS = 4;

/** An option where no command is named. */
function commandNeeded(option: string, commands: readonly Command[]): UsageHint | null {
  const names = commands.filter((command) => hasOption(command, option)).map((command) => command.name());
  const [first] = names;
  if (first === undefined) return null;
  return {
    message: `${option} is an option of a command, and none was given`,
    hint: `it belongs to ${firstOf(names)}, after the name: app-sim ${first} ${option}`,
  };
}

function hasOption(command: Command, option: string): boolean {
  return command.options.some(({ long, short }) => [long, short].includes(option));
}

/** The flag that takes what was given as an argument. */
function flagFor(command: string, given: string): string | null {
  if (command === "guard" && roles.some((role) => role === given)) return `--user ${given}`;
  const isAddress = /[/:]/.test(given);
  if (command === "guard" || command === "token")
    return isAddress ? "--module KEY, the key of the module in the manifest, not its url" : `--module ${given}`;
  if (command === "oauth") return `--start ${given}`;
  if (command === "env") return `--format ${given}`;
  if (command === "manifest") return /\.json$/.test(given) ? `--manifest ${given}` : `--app ${given}`;
  if (/^https?:/.test(given)) return `--app ${given}`;
  if (command === "verify") return `--only ${given}`;
  return /^\d+$/.test(given) ? `--port ${given}` : null;
}

/**
 * Refuses an argument that is an option, or ends with one, whose hyphens a text editor made one long dash.
 * @throws UsageError
 */
export function requireHyphens(
  words: readonly string[],
  { name, options }: { name: string; options: readonly string[] },
) {
  for (const word of runners.includes(name) ? words.slice(0, 1) : words) {
    const [, before = "", bare = ""] = /^(.*?)[\u2012-\u2015\u2212]+([a-z][a-z-]*)(?:=.*)?$/.exec(word) ?? [];
    if (bare === "" || !options.includes(`--${bare}`) || existsSync(word)) continue;
    throw new UsageError(
      "usage",
      `${word} has a long dash, which no option has`,
      `write two hyphens: app-sim ${name} ${before === "" ? "" : `${before} `}--${bare}`,
    );
  }
}

/** Words for what a command takes as its argument, whatever its name. */
const wordsForArguments = ["file", "files", "path", "in", "input", "name", "event", "id", "url"];

/** An option such as --event, where the command takes that as an argument. */
function argumentHint(command: Command, option: string, args: readonly string[]): UsageHint | null {
  const [bare = ""] = option.replace(/^-+/, "").split("=");
  const [first] = command.registeredArguments;
  if (first === undefined) return null;
  if (valuesOf(command.name()).includes(bare)) {
    const rest = [...option.split("=").slice(1), ...args.slice(args.indexOf(option) + 1)];
    return { hint: `it is an argument, not an option: ${["app-sim", command.name(), bare, ...rest].join(" ")}` };
  }
  if (!(isSlipOf(bare, first.name()) || wordsForArguments.includes(bare))) return null;
  const value = option.split("=")[1] ?? args[args.indexOf(option) + 1] ?? first.name().toUpperCase();
  return { hint: `it is an argument, not an option: app-sim ${command.name()} ${value}` };
}

/** The values of a command's first argument, as far as they are listed. */
function valuesOf(command: string): readonly string[] {
  const [first] = actionOfCommand(command)?.command?.arguments ?? [];
  const suggested = typeof first?.suggested === "function" ? [] : first?.suggested;
  return first?.oneOf ?? suggested ?? [];
}

/** Commander speaks of a "command-argument value", and says nothing else. */
function notAllowed(message: string): UsageHint | null {
  const [, value, name, allowed] =
    /^error: command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/.exec(
      message,
    ) ?? [];
  if (allowed !== undefined) return { message: `${name} ${value} is not known`, hint: `allowed: ${allowed}` };
  const [, flag, given = "", choices] =
    /^error: option '(--[\w-]+).*' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/.exec(message) ?? [];
  const meant = choices === undefined ? "" : didYouMean(given, choices.split(", "));
  return meant === "" ? null : { message: `${flag} cannot be ${given}.${meant}`, hint: `allowed: ${choices}` };
}
