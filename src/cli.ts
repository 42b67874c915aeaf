import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { Chalk, supportsColor } from "chalk";
import { type Command, CommanderError } from "commander";
import type { Invocation } from "./action/invocation.ts";
import { buildProgram, type GlobalFlags, type ParsedCommand } from "./command-line/program.ts";
import { exitCodes } from "./output/exit-code.ts";
import { ExitError } from "./output/exit-error.ts";
import { jsonText } from "./output/json.ts";
import { paintWith } from "./output/paint.ts";
import { toldIn } from "./output/tell.ts";
import { harmless, harmlessLine } from "./protocol/harmless.ts";
import { didYouMean } from "./protocol/nearest.ts";
import { UsageError } from "./protocol/usage-error.ts";

/** The command line: reads the process, runs one command, and alone decides the exit code. */
async function main(): Promise<void> {
  const outClosed = quietOnClosedPipes();
  setUpEnvironment();
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  const program = buildProgram(version, (parsed) => runCommand(parsed, outClosed));
  const inJson = wantsJson();
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ outputError: () => {}, ...(inJson ? { writeErr: () => {} } : {}) });
  }
  try {
    await program.parseAsync();
  } catch (error) {
    report(error, program);
  }
}

async function runCommand({ globals, settings, formats, run }: ParsedCommand, outClosed: AbortSignal): Promise<void> {
  const format = globals.format ?? formats[0] ?? "text";
  if (!formats.includes(format)) {
    throw new UsageError(
      "format-invalid",
      `--format ${format} is not a format of this command.${didYouMean(format, formats)}`,
      `allowed: ${formats.join(", ")}`,
    );
  }
  const interruption = interruptible();
  const isInteractive = process.stderr.isTTY === true && process.env.TERM !== "dumb";
  const hasKeys = isInteractive && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const code = await run({
    settings,
    format,
    waitMs: (globals.wait ?? 0) * 1000,
    env: process.env,
    cwd: workingDirectory(),
    paint: paintWith(
      new Chalk({ level: colorLevel(globals.color ?? "auto") }),
      process.stdout.columns ?? Number.POSITIVE_INFINITY,
    ),
    readIn: () => buffer(process.stdin),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    errWidth,
    isInteractive,
    isInTerminal: [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY === true),
    terminal: hasKeys ? { stdin: process.stdin, stdout: process.stdout, onResume } : null,
    signal: interruption.signal,
    outClosed,
    takeSignals: interruption.takeSignals,
  });
  process.exitCode = interruption.exitCode() ?? code;
  // Output that nobody reads any more would hold the process for ever, although it was told to end.
  if (interruption.exitCode() !== undefined) setTimeout(() => process.exit(), FLUSH_MS).unref();
}

const FLUSH_MS = 500;

interface Interruption extends Pick<Invocation, "signal" | "takeSignals"> {
  readonly exitCode: () => number | undefined;
}

/** Ctrl-C, SIGTERM and SIGHUP end what is under way in good order; a second one ends the process at once. */
function interruptible(): Interruption {
  const controller = new AbortController();
  let code: number | undefined;
  let taker: ((signal: NodeJS.Signals) => void) | null = null;
  const stopWith = (exitCode: number) => (signal: NodeJS.Signals) => {
    if (taker !== null) return taker(signal);
    if (code !== undefined) process.exit(exitCode);
    code = exitCode;
    controller.abort();
  };
  // Listeners that stay: a package that restores the terminal takes a process without any for one that shall end now.
  process.on("SIGINT", stopWith(exitCodes.interrupted));
  process.on("SIGTERM", stopWith(exitCodes.terminated));
  process.on("SIGHUP", stopWith(exitCodes.hungUp));
  return {
    signal: controller.signal,
    exitCode: () => code,
    takeSignals: (wanted) => {
      taker = wanted;
      return () => {
        taker = null;
      };
    },
  };
}

function errWidth(): number {
  return process.stderr.columns ?? Number.POSITIVE_INFINITY;
}

function onResume(listener: () => void): () => void {
  process.on("SIGCONT", listener);
  return () => process.off("SIGCONT", listener);
}

/** What packages read of the environment by themselves. */
function setUpEnvironment(): void {
  // React's development build keeps what it draws in memory.
  process.env.NODE_ENV ??= "production";
  // Ink would look for the developer tools of React, and write on the screen that there are none.
  delete process.env.DEV;
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError(
      "no-directory",
      "the working directory does not exist any more",
      "change into one that exists",
    );
  }
}

function colorLevel(when: NonNullable<GlobalFlags["color"]>): 0 | 1 | 2 | 3 {
  if (when === "never") return 0;
  const supported = supportsColor === false ? 0 : (supportsColor.level as 0 | 1 | 2 | 3);
  if (when === "always") return supported === 0 ? 1 : supported;
  if (process.env.FORCE_COLOR !== undefined) return supported;
  // chalk takes our `--color auto` for a wish, and does not know https://no-color.org.
  const isPlain = process.stdout.isTTY !== true || process.env.TERM === "dumb" || Boolean(process.env.NO_COLOR);
  return isPlain ? 0 : supported;
}

/** Says what went wrong on stderr, in the asked format, and sets the exit code. */
function report(error: unknown, program: Command): void {
  if (error instanceof CommanderError && error.exitCode === 0) return;
  if (error instanceof CommanderError && error.code === "commander.help" && !wantsJson()) {
    process.exitCode = exitCodes.usage;
    return;
  }
  const told = error instanceof CommanderError ? fromCommander(error, program) : (tooManyFiles(error) ?? error);
  process.exitCode = exitCodeOfError(told);
  process.stderr.write(wantsJson() ? jsonText({ error: errorFacts(told) }) : errorText(told));
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

function errorText(error: unknown): string {
  if (!(error instanceof UsageError)) {
    const stack = error instanceof Error ? error.stack : String(error);
    return `app-sim: this is a bug of app-sim; please report it with the command that you ran\n${harmless(stack ?? "")}\n`;
  }
  const { message, summary, hint, problems } = error;
  const listed = problems.map((problem) => `  ${harmlessLine(`${problem.path} ${problem.message}`.trim())}\n`).join("");
  return problems.length === 0
    ? toldIn(errWidth(), `error: ${message} (${hint})`)
    : `error: ${harmlessLine(summary)}:\n${listed}hint: ${harmlessLine(hint)}\n`;
}

/** Before the options are parsed, or when they cannot be: as the user wrote it; what follows `--` is no option of ours. */
function wantsJson(): boolean {
  const all = process.argv.slice(2);
  const args = all.slice(0, all.includes("--") ? all.indexOf("--") : undefined);
  const at = args.lastIndexOf("--format");
  return args.includes("--format=json") || (at >= 0 && args[at + 1] === "json");
}

/**
 * `app-sim log | head` closes the pipe early: nothing is wrong with that, and it decides nothing (hardening R32).
 * Any other failure to write means that the result was not told. The signal is aborted when stdout is closed, for
 * what would go on for ever.
 */
function quietOnClosedPipes(): AbortSignal {
  const outClosed = new AbortController();
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") {
        if (stream === process.stdout) outClosed.abort();
        return;
      }
      if (stream === process.stdout) process.stderr.write(`error: stdout cannot be written: ${error.message}\n`);
      process.exit(exitCodes.failed);
    });
  }
  return outClosed.signal;
}

await main();
