import { existsSync } from "node:fs";
import { isIP } from "node:net";
import type { Command, CommanderError } from "commander";
import type { CommandDefinition } from "../action/define-action.ts";
import { isLanguageOption } from "../action/flags.ts";
import { actionOfCommand, commandsWith, formatsOf } from "../actions.ts";
import { shippedInstead } from "../config/shipped-fixtures.ts";
import { shellWord } from "../output/shell-word.ts";
import { isSlipOf } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { commandOfOthers } from "./command-words.ts";
import { flagNear, flagSpelled } from "./meant-option.ts";
import { outputHint, wordOfOthers } from "./option-words.ts";
import { refusedByCommander } from "./refused-value.ts";
import { runners } from "./run-program.ts";

interface UsageHint {
  /** Replaces commander's own message if that mentions something the user did not write. */
  readonly message?: string;
  readonly hint: string;
}

/**
 * A hint if commander only knows that a word is wrong; null if its own message is best.
 * @param line the whole command line, of which `program` has nothing if an option is incomplete
 */
export function usageHint(
  { code, message }: CommanderError,
  program: Command,
  line: readonly string[],
): UsageHint | null {
  const { args, commands } = program;
  const [, word = ""] = /'([^']*)'/.exec(message) ?? [];
  const byName = new Map(commands.map((known) => [known.name(), known]));
  const command = byName.get(args.find((arg) => byName.has(arg)) ?? "");
  switch (code) {
    case "commander.unknownCommand": {
      const here = commandOfOthers(word);
      return here === null ? null : { hint: here };
    }
    case "commander.missingArgument":
    case "commander.missingMandatoryOptionValue":
      return command === undefined ? null : exampleHint(command);
    case "commander.optionMissingArgument":
      return missingValue(word, program, line);
    case "commander.excessArguments":
      return command === undefined ? null : superfluous(command, program);
    case "commander.unknownOption":
      return unknownOption(word, message, { program, command });
    case "commander.conflictingOption":
      return { hint: "leave out one of them" };
    case "commander.invalidArgument":
      return refusedByCommander(message);
    default:
      return null;
  }
}

/** What the user may have meant by an option that the command does not have. */
function unknownOption(
  option: string,
  message: string,
  { program, command }: { readonly program: Command; readonly command: Command | undefined },
): UsageHint | null {
  const { args, commands, options } = program;
  if (/^-v$/i.test(option)) return { hint: "`app-sim --version` prints the version" };
  if (/^--no-colou?rs?$/.test(option)) return { hint: "`--color never` turns colours off" };
  const known = [...(command?.options ?? []), ...options];
  if (known.some(({ long }) => long === `-${option}`)) return { hint: `it begins with two hyphens: -${option}` };
  if (command === undefined) return commandNeeded(option, commands);
  const own = definitionOf(command)?.optionHint?.(option) ?? null;
  if (own !== null) return { hint: own };
  const spelled = flagSpelled(command.name(), option);
  const here =
    beforeCommand(command, option, args) ??
    (spelled === null ? null : otherOption(option, spelled, command)) ??
    argumentHint(command, option, args) ??
    formatHint(command, option, args) ??
    elsewhereHint(command, option, args);
  if (here !== null) return here;
  const [only, ...others] = known.flatMap(({ long }) =>
    /^-[a-z]$/.test(option) && long?.startsWith(`-${option}`) ? long : [],
  );
  if (only !== undefined && others.length === 0) return { hint: `write options in full: did you mean ${only}?` };
  // Commander suggests a similarly spelled one itself.
  if (/Did you mean/.test(message)) return null;
  const near = flagNear(
    command.name(),
    command.options.flatMap(({ long }) => long ?? []),
    option,
  );
  return optionOfOthers(command, option, commands) ?? (near === null ? null : otherOption(option, near, command));
}

function otherOption(option: string, meant: string, command: Command): UsageHint {
  return {
    message: `unknown option '${option}'. Did you mean ${meant}?`,
    hint: `\`app-sim ${command.name()} --help\` shows what is allowed`,
  };
}

/** An option that other programs have. */
function elsewhereHint(command: Command, option: string, args: readonly string[]): UsageHint | null {
  const word = wordOfOthers(command.name(), option);
  // Commander may suggest an option with a similar name.
  if (word !== null) return { message: `unknown option '${option}'`, hint: word };
  const hint = hasOption(command, "--out") ? null : outputHint(option, args[args.indexOf(option) + 1]);
  return hint === null ? null : { hint };
}

/** A format as other programs write it: --json, -o json, --reporter junit. */
function formatHint(command: Command, option: string, args: readonly string[]): UsageHint | null {
  const [name = "", value = args[args.indexOf(option) + 1]] = option.split("=");
  const isNamed = /^(-o|-f|--output|--output-format|--reporter)$/.test(name);
  const format = isNamed ? value : name.replace(/^--/, "");
  if (format === undefined) return null;
  if (formatsOf(command.name()).includes(format)) return { hint: `--format ${format}` };
  const others = isNamed ? commandsWith(format) : [];
  return others.length === 0 ? null : { hint: `${format} is a format of: ${others.join(", ")}` };
}

/** Some commands use --user, and others --as, for the same. */
const namesOfUser = ["--user", "--as"];

/** An option that other commands have. */
function optionOfOthers(command: Command, option: string, commands: readonly Command[]): UsageHint | null {
  const name = command.name();
  const synonym = namesOfUser.includes(option) ? namesOfUser.find((flag) => hasOption(command, flag)) : undefined;
  if (synonym !== undefined) return { hint: `${name} uses ${synonym}: a role, such as manager, or a login name` };
  if (isLanguageOption(option) && hasOption(command, "--set"))
    return { hint: "the language of an event is one of its fields: --set targetLanguage.id=uk" };
  const others = commands.filter((other) => hasOption(other, option)).map((other) => other.name());
  if (others.length === 0) return null;
  return { hint: `it is an option of ${firstOf(others)}; \`app-sim ${name} --help\` shows those of ${name}` };
}

function firstOf(names: readonly string[]): string {
  return `${names.slice(0, NAMED_COMMANDS).join(", ")}${names.length > NAMED_COMMANDS ? " and others" : ""}`;
}

/** What to do about an option without its value: the values that it accepts. */
function missingValue(flags: string, { commands, options }: Command, line: readonly string[]): UsageHint | null {
  const name = line.find((arg) => commands.some((known) => known.name() === arg));
  const command = commands.find((known) => known.name() === name);
  const option = [...(command?.options ?? []), ...options].find((known) => known.flags === flags);
  if (option === undefined) return null;
  const formats = option.long === "--format" && command !== undefined ? formatsOf(command.name()) : [];
  const values = option.argChoices ?? formats;
  const allowed = values.length > 0 ? `allowed: ${values.join(", ")}` : option.description;
  return { message: `${option.long} needs a value: ${flags}`, hint: allowed };
}

/** An example command line that has what is missing. */
function exampleHint(command: Command): UsageHint | null {
  const name = command.name();
  const [example] = actionOfCommand(name)?.command?.examples ?? [];
  const values = command.registeredArguments[0]?.argChoices;
  if (example === undefined) return values === undefined ? null : { hint: `it is one of ${values.join(", ")}` };
  return { hint: `for example ${withOwnFiles(example)}; \`app-sim ${name} --help\` shows what is allowed` };
}

/** An example with shipped fixtures, if the working directory has none of this name. */
function withOwnFiles(example: string): string {
  return example
    .split(" ")
    .map((word) => (existsSync(word) ? word : shellWord(shippedInstead(word) ?? word)))
    .join(" ");
}

/** The first superfluous argument: most often the value of a flag. */
function superfluous(command: Command, program: Command): UsageHint | null {
  const words = wordsAfter(command, program);
  if (words[0] === "help") return { hint: `app-sim ${command.name()} --help` };
  const given = words.slice(command.registeredArguments.length);
  const own = definitionOf(command)?.argumentsHint?.(words) ?? null;
  if (own !== null) return { hint: own };
  const [flag, ...others] = joinedFlags(
    command,
    given.map((word) => flagFor(command, word)),
  );
  // Such flags take any word; others were chosen because they list this one.
  const second = program.commands.find((known) => known.name() === given[0])?.name();
  if (second !== undefined && (flag === undefined || /^--(module|start) /.test(flag)))
    return { hint: `one command at a time: app-sim ${second}` };
  if (flag === undefined) return null;
  return { hint: others.length === 0 ? `use a flag: ${flag}` : `use flags: ${[flag, ...others].join(" ")}` };
}

/** Flags with values, in which one that takes several values comes only once; empty if the first word has no flag. */
function joinedFlags(command: Command, flags: readonly (string | null)[]): string[] {
  const joined: string[] = [];
  for (const flag of flags[0] === null ? [] : flags) {
    const [name = "", value = ""] = flag?.split(/ (.*)/s) ?? [];
    const earlier = joined.findIndex((other) => other.startsWith(`${name} `));
    const isVariadic = command.options.some(({ long, variadic }) => long === name && variadic);
    if (flag === null || joined.includes(flag)) continue;
    if (isVariadic && earlier >= 0) joined[earlier] += ` ${value}`;
    else joined.push(flag);
  }
  return joined;
}

/** The words after the name of a command that are neither options nor their values. */
function wordsAfter(command: Command, { args, options }: Command): string[] {
  const known = [...command.options, ...options];
  const takesNext = (arg = "") => known.some(({ long, short, required }) => required && [long, short].includes(arg));
  return args
    .slice(args.indexOf(command.name()) + 1)
    .filter((arg, index, after) => !arg.startsWith("-") && !takesNext(after[index - 1]));
}

/** An option of a command that comes before the command's name: `app-sim --module network guard`. */
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
        ? `${name} is an option of ${command.name()}, but comes before it`
        : `unknown option '${name}'. Did you mean ${meant}?`,
    hint: `options of a command follow its name: app-sim ${line}`,
  };
}

/** Longer lists help nobody. */
const NAMED_COMMANDS = 4;

/** An option without a command. */
function commandNeeded(option: string, commands: readonly Command[]): UsageHint | null {
  const names = commands.filter((command) => hasOption(command, option)).map((command) => command.name());
  const [first] = names;
  if (first === undefined) return null;
  return {
    message: `${option} is an option of a command, but no command was given`,
    hint: `it belongs to ${firstOf(names)}, after the name: app-sim ${first} ${option}`,
  };
}

function hasOption(command: Command, option: string): boolean {
  return command.options.some(({ long, short }) => [long, short].includes(option));
}

/** The flag for a value that was given as an argument. */
function flagFor(command: Command, given: string): string | null {
  if (isIP(given) > 0) return hasOption(command, "--ip") ? `--ip ${given}` : null;
  const own = definitionOf(command)?.flagFor?.(given) ?? null;
  if (own !== null) return own;
  if (/^https?:/.test(given)) return `--app ${given}`;
  return /^\d+$/.test(given) ? `--port ${given}` : null;
}

function definitionOf(command: Command): CommandDefinition | undefined {
  return actionOfCommand(command.name())?.command;
}

/**
 * Refuses an argument that is an option, or ends with one, whose hyphens an editor turned into a long dash.
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
      `${word} contains a long dash; options begin with hyphens`,
      `write two hyphens: app-sim ${name} ${before === "" ? "" : `${before} `}--${bare}`,
    );
  }
}

/** Words for a command's argument, whatever its actual name. */
const wordsForArguments = ["file", "files", "path", "in", "input", "name", "event", "id", "url"];

/** A hint for an option such as --event if the command takes that as an argument. */
function argumentHint(command: Command, option: string, args: readonly string[]): UsageHint | null {
  const [bare = ""] = option.replace(/^-+/, "").split("=");
  const [first] = command.registeredArguments;
  if (first === undefined) return null;
  if (valuesOf(command.name()).includes(bare)) {
    const rest = [...option.split("=").slice(1), ...args.slice(args.indexOf(option) + 1)];
    return { hint: `it is an argument, not an option: ${["app-sim", command.name(), bare, ...rest].join(" ")}` };
  }
  const isJob = first.name() === "file" && /^(fixture|job)s?$/.test(bare);
  if (!(isJob || isSlipOf(bare, first.name()) || wordsForArguments.includes(bare))) return null;
  const value = option.split("=")[1] ?? args[args.indexOf(option) + 1] ?? first.name().toUpperCase();
  return { hint: `it is an argument, not an option: app-sim ${command.name()} ${value}` };
}

/** The values of a command's first argument, if they are listed. */
function valuesOf(command: string): readonly string[] {
  const [first] = actionOfCommand(command)?.command?.arguments ?? [];
  const suggested = typeof first?.suggested === "function" ? [] : first?.suggested;
  return first?.oneOf ?? suggested ?? [];
}
