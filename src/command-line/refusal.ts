import { type Command, CommanderError } from "commander";
import { commandsWith } from "../actions.ts";
import { exitCodes } from "../output/exit-code.ts";
import { ExitError } from "../output/exit-error.ts";
import { fitLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { messageText } from "../output/tell.ts";
import { harmless, harmlessLine } from "../protocol/harmless.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { type Problem, UsageError } from "../protocol/usage-error.ts";
import { withCommas } from "../protocol/with-commas.ts";
import type { ParsedCommand } from "./program.ts";
import { refusedBySchema } from "./refused-value.ts";
import { usageHint } from "./usage-hint.ts";

/** How the process ends if no command was completed. */
interface Refusal {
  readonly exitCode: number;
  /** For stderr; empty if commander has already printed everything. */
  readonly text: string;
}

/** How an error is reported. */
interface RefusalForm {
  readonly inJson: boolean;
  /** Columns at which text is folded. */
  readonly width: number;
  /** The command line, if the error may be about it. */
  readonly args?: readonly string[];
}

/** Decides what to tell the user about an error, and the exit code. */
export function refusalOf(error: unknown, program: Command, { inJson, width, args = [] }: RefusalForm): Refusal {
  if (error instanceof CommanderError && error.exitCode === 0) return { exitCode: exitCodes.asExpected, text: "" };
  if (error instanceof CommanderError && error.code === "commander.help" && !inJson) {
    return { exitCode: exitCodes.usage, text: "" };
  }
  const refused = error instanceof CommanderError ? fromCommander(error, program, args) : (lackOf(error) ?? error);
  return {
    exitCode: exitCodeOfError(refused),
    text: inJson ? jsonText({ error: errorFacts(refused) }) : errorText(refused, width),
  };
}

/** The output format of a command: the value of --format, or the command's default. */
export function formatOf({ globals, formats }: ParsedCommand): string {
  const format = globals.format ?? formats[0] ?? "text";
  if (!formats.includes(format)) {
    const others = commandsWith(format);
    throw new UsageError(
      "format-invalid",
      `this command has no format ${format}.${didYouMean(format, formats)}`,
      `allowed: ${formats.join(", ")}${others.length === 0 ? "" : `; ${format} is a format of: ${others.join(", ")}`}`,
    );
  }
  return format;
}

/**
 * Whether errors are wanted as JSON. Reads the raw arguments, because the error may be that they cannot be parsed; what
 * follows `--` is not an option of app-sim.
 */
export function wantsJson(all: readonly string[]): boolean {
  const args = all.slice(0, all.includes("--") ? all.indexOf("--") : undefined);
  const at = args.lastIndexOf("--format");
  return args.includes("--format=json") || (at >= 0 && args[at + 1] === "json");
}

/** The error if the machine, or the way in which Node was started, lacks something; null for any other error. */
function lackOf(error: unknown): UsageError | null {
  const { code, message = "" } = (error ?? {}) as NodeJS.ErrnoException;
  // The module loader opens many files at once.
  if (code === "EMFILE" || code === "ENFILE")
    return new UsageError("too-many-files", "this process may not open more files", "raise the limit: ulimit -n 1024");
  const isMemory = error instanceof RangeError && /out of memory|allocation failed|cannot allocate/i.test(message);
  if (isMemory || code === "ENOMEM") {
    const hint = "raise the memory limit of this process (ulimit -v, or its container's), or let it do less at a time";
    return new UsageError("out-of-memory", "the system gives this process no more memory", hint);
  }
  if (!(error instanceof EvalError)) return null;
  return new UsageError(
    "no-code-generation",
    "Node is not allowed to generate code from strings here, but the platform's web server has to",
    "start it without --disallow-code-generation-from-strings (NODE_OPTIONS)",
  );
}

const exhausted: readonly string[] = ["too-many-files", "out-of-memory"];

function exitCodeOfError(error: unknown): number {
  if (error instanceof ExitError) return error.exitCode;
  if (!(error instanceof UsageError)) return exitCodes.bug;
  return exhausted.includes(error.code) ? exitCodes.exhausted : exitCodes.usage;
}

function fromCommander(error: CommanderError, program: Command, args: readonly string[]): UsageError {
  const name = program.args.find((arg) => program.commands.some((command) => command.name() === arg));
  if (error.code === "commander.help")
    return new UsageError("usage", "no command was given", "`app-sim --help` lists them");
  const [message = "", ...suggestion] = error.message
    .replace(/^error: /, "")
    .replace(/\((Did you mean .*?)\)/, "$1")
    .split("\n");
  const known = usageHint(error, program, args);
  if (known !== null) return new UsageError("usage", known.message ?? message, known.hint);
  const command = name === undefined || error.code === "commander.unknownCommand" ? "" : `${name} `;
  const hint = `\`app-sim ${command}--help\` shows what is allowed`;
  return new UsageError("usage", [message, ...suggestion].join(". "), hint);
}

function errorFacts(error: unknown) {
  if (error instanceof UsageError) {
    const { code, message, hint, problems } = error;
    return { code, message, hint, ...(problems.length === 0 ? {} : { problems }) };
  }
  return {
    code: "bug",
    message: String(error),
    hint: "this is a bug in app-sim: please report it with the command that you ran",
  };
}

function problemText({ path, message, severity }: Problem): string {
  return `${path} ${message}${severity === "warning" ? " (a warning)" : ""}`.trim();
}

/** More lines than anybody reads would hide what is wrong. */
const MOST_PROBLEMS = 50;

function errorText(error: unknown, width: number): string {
  if (!(error instanceof UsageError)) {
    const stack = error instanceof Error ? error.stack : String(error);
    return `app-sim: this is a bug in app-sim; please report it with the command that you ran\n${harmless(stack ?? "")}\n`;
  }
  const { summary, problems } = error;
  const { message, hint } = refusedBySchema(problems) ?? error;
  const shown = problems.slice(0, MOST_PROBLEMS).map(problemText);
  const more = problems.length - shown.length;
  const lines = more === 0 ? shown : [...shown, `and ${withCommas(more)} more; --format json has all`];
  const listed = lines.map((line) => `  ${harmlessLine(line)}`);
  return problems.length === 0 || message !== error.message
    ? messageText(width, `error: ${message}`) + messageText(width, `hint: ${hint}`)
    : `${fitLines([`error: ${harmlessLine(summary)}:`, ...listed, `hint: ${harmlessLine(hint)}`], width).join("\n")}\n`;
}
