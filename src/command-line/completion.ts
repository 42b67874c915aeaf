import { script } from "@bomb.sh/tab";
import type { Argument, Command, Option } from "commander";
import type { FlagDefinition, Suggestions } from "../action/define-action.ts";
import { actionOfCommand, formatsOf } from "../actions.ts";

/** What a shell's completion script understands: whether it may also offer file names. */
const directives = { files: ":0", noFiles: ":4" } as const;

/** Prints the script that makes a shell call `app-sim complete` for completions. */
export function printCompletionScript(shell: string, out: (text: string) => void): void {
  const isBash = shell === "bash";
  // The library's script sets read-only variables, so a shell can run it only once.
  if (isBash) out("declare -F __app_sim_complete > /dev/null || {\n");
  script(shell, "app-sim", "app-sim");
  // The library's script offers no file names if there is nothing else to offer.
  if (isBash) out(`}\ncomplete -o default -F __app_sim_complete app-sim\n${wordsInBash}`);
}

/** The library's script calls a function of the package bash-completion, which may not be installed. */
const wordsInBash = `declare -F _get_comp_words_by_ref > /dev/null || _get_comp_words_by_ref() {
    words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
    cur=\${words[cword]} prev=\${words[cword - 1]}
}
`;

interface Candidate {
  readonly value: string;
  readonly help: string;
}

interface Completion {
  readonly candidates: readonly Candidate[];
  readonly takesFiles?: boolean;
}

/**
 * Completions of the last of the words that follow `app-sim`, as the lines that the scripts read: a value and its help
 * on each, and a directive on the last.
 */
export async function completionLines(program: Command, words: readonly string[]): Promise<string[]> {
  const { candidates, takesFiles = false } = await completionOf(program, words);
  const last = words.at(-1) ?? "";
  // The scripts themselves prepend `--flag=` to the candidates.
  const beginning = last.startsWith("-") && last.includes("=") ? last.slice(last.indexOf("=") + 1) : last;
  const fitting = candidates.filter(({ value }) => value.startsWith(beginning));
  return [
    // zsh would show an empty help, too.
    ...fitting.map(({ value, help }) => (help === "" ? value : `${value}\t${help}`)),
    takesFiles ? directives.files : directives.noFiles,
  ];
}

async function completionOf(program: Command, words: readonly string[]): Promise<Completion> {
  const before = words.slice(0, -1);
  // After it comes the command line of another program.
  if (before.includes("--")) return { candidates: [], takesFiles: true };
  const word = words.at(-1) ?? "";
  const { command, operands } = commandIn(program, before);
  const options = command === null ? visibleOptions(program) : optionsWithin(program, command);
  const flag = optionNamed(options, before.at(-1));
  if (flag !== undefined && takesValue(flag)) return valuesOf(flag, command);
  const assigned = word.startsWith("-") && word.includes("=") ? optionNamed(options, word.split("=", 1)[0]) : undefined;
  if (assigned !== undefined) return valuesOf(assigned, command);
  if (word.startsWith("-")) return { candidates: options.flatMap(candidateOf) };
  if (command === null) return { candidates: commandsOf(program) };
  if (command.name() === "help") return { candidates: operands === 0 ? commandsOf(program) : [] };
  return operandsOf(command, operands);
}

/** The named command, and how many operands follow it. */
function commandIn(
  program: Command,
  words: readonly string[],
): { readonly command: Command | null; readonly operands: number } {
  let command: Command | null = null;
  let operands = 0;
  let isValue = false;
  for (const word of words) {
    if (isValue) {
      isValue = false;
    } else if (word.startsWith("-")) {
      const options = [...program.options, ...(command?.options ?? [])];
      const option = optionNamed(options, word);
      isValue = option?.required === true && !word.includes("=");
    } else if (command === null) {
      command =
        program
          .createHelp()
          .visibleCommands(program)
          .find((one) => one.name() === word) ?? null;
      if (command === null) return { command: null, operands };
    } else {
      operands++;
    }
  }
  return { command, operands };
}

function visibleOptions(command: Command): Option[] {
  return command.createHelp().visibleOptions(command);
}

/** The options of a command, and those of the program, except the ones that the command redefines, such as --help. */
function optionsWithin(program: Command, command: Command): Option[] {
  const own = visibleOptions(command);
  return [...own, ...visibleOptions(program).filter(({ long }) => !own.some((option) => option.long === long))];
}

function commandsOf(program: Command): Candidate[] {
  const help = program.createHelp();
  return help
    .visibleCommands(program)
    .map((command) => ({ value: command.name(), help: command.summary() || command.description() }));
}

function optionNamed(options: readonly Option[], word: string | undefined): Option | undefined {
  return word === undefined ? undefined : options.find(({ long, short }) => word === long || word === short);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function candidateOf({ long, description }: Option): Candidate[] {
  return long == null ? [] : [{ value: long, help: firstPart(description) }];
}

/** There is little room in a line of a list. */
function firstPart(help: string): string {
  return help.split(/[:;(]/, 1)[0]?.trim() ?? "";
}

async function valuesOf({ argChoices, flags, long }: Option, command: Command | null): Promise<Completion> {
  const definition = flagsOf(command).find(({ flag }) => flag === flags);
  const formats = long === "--format" && definition === undefined ? formatsOf(command?.name() ?? "") : undefined;
  const values = argChoices ?? formats ?? (await loaded(definition?.suggested));
  return { candidates: values.map(withoutHelp), takesFiles: !argChoices && namesFiles(flags) };
}

async function loaded(suggested: Suggestions = []): Promise<readonly string[]> {
  return typeof suggested === "function" ? suggested() : suggested;
}

async function operandsOf(command: Command, index: number): Promise<Completion> {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument: Argument | undefined = registeredArguments[index] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) return { candidates: [] };
  const { argChoices } = argument;
  const definition = actionOfCommand(command.name())?.command?.arguments?.[registeredArguments.indexOf(argument)];
  const values = argChoices ?? (await loaded(definition?.suggested));
  return { candidates: values.map(withoutHelp), takesFiles: !argChoices && namesFiles(argument.name()) };
}

function withoutHelp(value: string): Candidate {
  return { value, help: "" };
}

/** The flag definitions behind the options of a command. */
function flagsOf(command: Command | null): Partial<FlagDefinition>[] {
  const { options = {}, command: definition } = (command === null ? null : actionOfCommand(command.name())) ?? {};
  return [options, definition?.flags ?? {}].flatMap((flags) => Object.values<Partial<FlagDefinition>>(flags));
}

/** Whether the name of a value indicates that it may be a file or a folder. */
function namesFiles(name: string): boolean {
  return /file|dir|path|journal|scenario|fixture|folder|command/.test(name.replace(/^--[\w-]+/, ""));
}
