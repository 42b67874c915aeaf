import { type Command, CommanderError } from "commander";
import { exitCodes } from "../output/exit-code.ts";
import { ExitError } from "../output/exit-error.ts";
import { jsonText } from "../output/json.ts";
import { toldIn } from "../output/tell.ts";
import { harmless, harmlessLine } from "../protocol/harmless.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { type Problem, UsageError } from "../protocol/usage-error.ts";
import type { ParsedCommand } from "./program.ts";

/** How a command line ends that ran no command to its end. */
interface Refusal {
  readonly exitCode: number;
  /** For stderr; empty where commander has said everything. */
  readonly text: string;
}

/** Decides what the user is told of an error, and the exit code. Text is broken at `width` columns. */
export function refusalOf(
  error: unknown,
  program: Command,
  { inJson, width }: { readonly inJson: boolean; readonly width: number },
): Refusal {
  if (error instanceof CommanderError && error.exitCode === 0) return { exitCode: exitCodes.asExpected, text: "" };
  if (error instanceof CommanderError && error.code === "commander.help" && !inJson) {
    return { exitCode: exitCodes.usage, text: "" };
  }
  const told = error instanceof CommanderError ? fromCommander(error, program) : (tooManyFiles(error) ?? error);
  return {
    exitCode: exitCodeOfError(told),
    text: inJson ? jsonText({ error: errorFacts(told) }) : errorText(told, width),
  };
}

/** The output format of a command: what --format says, or the command's default. */
export function formatOf({ globals, formats }: ParsedCommand): string {
  const format = globals.format ?? formats[0] ?? "text";
  if (!formats.includes(format)) {
    throw new UsageError(
      "format-invalid",
      `--format ${format} is not a format of this command.${didYouMean(format, formats)}`,
      `allowed: ${formats.join(", ")}`,
    );
  }
  return format;
}

/**
 * Whether errors are wanted as JSON. Reads the arguments as the user wrote them, because the error may be that they
 * cannot be parsed; what follows `--` is not an option of app-sim.
 */
export function wantsJson(all: readonly string[]): boolean {
  const args = all.slice(0, all.includes("--") ? all.indexOf("--") : undefined);
  const at = args.lastIndexOf("--format");
  return args.includes("--format=json") || (at >= 0 && args[at + 1] === "json");
}

/** The loader opens many modules at once. */
function tooManyFiles(error: unknown): UsageError | null {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "EMFILE" && code !== "ENFILE") return null;
  return new UsageError("too-many-files", "this process may not open more files", "raise the limit: ulimit -n 1024");
}

function exitCodeOfError(error: unknown): number {
  if (error instanceof ExitError) return error.exitCode;
  return error instanceof UsageError ? exitCodes.usage : exitCodes.bug;
}

function fromCommander(error: CommanderError, program: Command): UsageError {
  const name = program.args.find((arg) => program.commands.some((command) => command.name() === arg));
  if (error.code === "commander.help")
    return new UsageError("usage", "no command was given", "`app-sim --help` lists them");
  const [message = "", ...suggestion] = error.message
    .replace(/^error: /, "")
    .replace(/\((Did you mean .*?)\)/, "$1")
    .split("\n");
  const hint = `\`app-sim ${name === undefined ? "" : `${name} `}--help\` shows what is allowed`;
  return new UsageError("usage", [message, ...suggestion].join(" "), hint);
}

function errorFacts(error: unknown) {
  if (error instanceof UsageError) {
    const { code, message, hint, problems } = error;
    return { code, message, hint, ...(problems.length === 0 ? {} : { problems }) };
  }
  return {
    code: "bug",
    message: String(error),
    hint: "this is a bug of app-sim: please report it with the command that you ran",
  };
}

function problemText({ path, message, severity }: Problem): string {
  return `${path} ${message}${severity === "warning" ? " (a warning)" : ""}`.trim();
}

function errorText(error: unknown, width: number): string {
  if (!(error instanceof UsageError)) {
    const stack = error instanceof Error ? error.stack : String(error);
    return `app-sim: this is a bug of app-sim; please report it with the command that you ran\n${harmless(stack ?? "")}\n`;
  }
  const { message, summary, hint, problems } = error;
  const listed = problems.map((problem) => `  ${harmlessLine(problemText(problem))}\n`).join("");
  return problems.length === 0
    ? toldIn(width, `error: ${message} (${hint})`)
    : `error: ${harmlessLine(summary)}:\n${listed}hint: ${harmlessLine(hint)}\n`;
}
