import { type Command, Help, Option } from "commander";
import type { CommandGroup } from "../action/define-action.ts";
import { formatsOf } from "../actions.ts";
import { fold, indent } from "../output/layout.ts";
import { USUAL_WIDTH } from "./help-after.ts";

/** Headings of the command groups, in the order of the help. */
export const groupHeadings: Readonly<Record<CommandGroup, string>> = {
  begin: "Get started:",
  play: "Call the app as the platform would:",
  check: "Check the app:",
  keep: "Run the platform:",
  show: "See what happened:",
  prepare: "Settings and tools:",
};

/** An option's description goes next to it if there are this many columns for it, otherwise below it. */
const MIN_BESIDE = 20;
const BELOW = 6;

/** The help format of every command. */
export const helpFormat = {
  showGlobalOptions: true,
  minWidthToWrap: MIN_BESIDE,
  formatHelp,
  formatItem,
  visibleGlobalOptions: globalOptionsOf,
};

/** The help of a command; for the program itself one screen, because each command's own help explains all options. */
function formatHelp(command: Command, helper: Help): string {
  const text =
    command.parent === null ? overview(command, helper) : Help.prototype.formatHelp.call(helper, command, helper);
  const [usage = "", ...lines] = text.split("\n");
  return [...fold(usage, widthOf(helper), BELOW), ...lines].join("\n");
}

/** The options of every command; --format with this command's formats. */
function globalOptionsOf(this: Help, command: Command): Option[] {
  const formats = formatsOf(command.name());
  return Help.prototype.visibleGlobalOptions.call(this, command).map((option) => {
    if (option.long !== "--format" || formats.length === 0) return option;
    const listed = `${formats.slice(0, -1).join(", ")} or ${formats.at(-1)}`;
    return new Option(option.flags, `format of the result on stdout: ${listed}`);
  });
}

/** An argument, an option or a command, and what it means. */
function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  const width = widthOf(helper);
  const room = width - termWidth - 4;
  if (room >= MIN_BESIDE || description === "")
    return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
  return [`  ${term}`, ...indent(fold(description, width - BELOW), BELOW)].join("\n");
}

function widthOf({ helpWidth = USUAL_WIDTH }: Help): number {
  return helpWidth;
}

/** Every command on a line, in groups, followed by short lists of the options and exit codes that they share. */
function overview(program: Command, helper: Help): string {
  const width = widthOf(helper);
  const commands = helper.visibleCommands(program);
  const termWidth = Math.max(...commands.map((command) => command.name().length));
  const lineOf = (command: Command) =>
    helper.formatItem(command.name(), termWidth, command.summary() || command.description(), helper);
  return [
    `Usage: ${helper.commandUsage(program)}`,
    "",
    helper.boxWrap(program.description(), width),
    "",
    ...Object.values(groupHeadings).flatMap((heading) => [
      heading,
      ...commands.filter((command) => command.helpGroup() === heading).map(lineOf),
    ]),
    "",
    ...fold("Options of every command (app-sim COMMAND --help explains them):", width),
    ...linesOf(
      helper.visibleOptions(program).map(({ flags }) => flags),
      "  ",
      width,
    ),
    "",
    "Exit codes:",
    ...linesOf(exitCodeWords, "; ", width),
    "",
  ].join("\n");
}

/** Joins texts to lines of at most this width, without breaking any of them. */
function linesOf(texts: readonly string[], between: string, width: number): string[] {
  const lines: string[] = [];
  for (const [index, text] of texts.entries()) {
    const whole = index < texts.length - 1 ? text + between : text;
    const last = lines.at(-1) ?? "";
    if (last === "" || `${last}${whole}`.trimEnd().length > width) lines.push(`  ${whole}`);
    else lines[lines.length - 1] = last + whole;
  }
  return lines.map((line) => line.trimEnd());
}

const exitCodeWords = [
  "0 as expected",
  "1 denied, failed or nothing sent",
  "2 wrong usage or configuration",
  "3 the app cannot be reached",
  "4 the app took too long",
  "70 a bug in app-sim",
  "71 too few open files, or no memory",
  "74 the result cannot be written",
  "129 the terminal was closed",
  "130 interrupted",
  "143 terminated",
];

/** The commands that install the script in each shell. */
export const completionExamples = [
  "app-sim completion bash >> ~/.bashrc",
  "app-sim completion zsh >> ~/.zshrc       # after compinit",
  "app-sim completion fish > ~/.config/fish/completions/app-sim.fish",
  "app-sim completion powershell >> $PROFILE",
];

/** The script calls `app-sim`. */
export const completionHelp = `
The script runs app-sim, which must be on the PATH: PATH=$PWD/node_modules/.bin:$PATH.
In bash, completing --flag=VALUE needs the package bash-completion; --flag VALUE always works.`;
