import { readFileSync } from "node:fs";
import { isatty } from "node:tty";
import { setFlagsFromString } from "node:v8";
import { Chalk, supportsColor } from "chalk";
import { Command } from "commander";
import type { Invocation } from "./action/invocation.ts";
import { buildProgram, type GlobalFlags, type ParsedCommand } from "./command-line/program.ts";
import { formatOf, refusalOf, wantsJson } from "./command-line/refusal.ts";
import { runProgram } from "./command-line/run-program.ts";
import { exitCodes } from "./output/exit-code.ts";
import { paintWith } from "./output/paint.ts";
import { UsageError } from "./protocol/usage-error.ts";

/** The command line: reads the process, runs one command, and alone decides the exit code. */
async function main(): Promise<void> {
  const outClosed = quietOnClosedPipes();
  const inJson = wantsJson(process.argv.slice(2));
  const tell = (error: unknown, program: Command) => {
    const refusal = refusalOf(error, program, { inJson, width: errWidth() });
    process.exitCode = refusal.exitCode;
    process.stderr.write(refusal.text);
  };
  let isOver = false;
  // Node itself would end with 1, which means that access was denied.
  process.on("uncaughtException", (error) => {
    isOver = true;
    tell(error, new Command());
    process.exit();
  });
  let isDrained = false;
  process.once("beforeExit", () => {
    isDrained = true;
  });
  process.once("exit", (code) => {
    if (isOver) return;
    // Signals end the process with higher ones, and so does a stdout that cannot be written.
    if (!isDrained && code < exitCodes.bug) tell(endedByModule, new Command());
    else if (code === exitCodes.asExpected) tell(unfinished, new Command());
  });
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  const program = buildProgram(version, (parsed) => runCommand(parsed, version, outClosed));
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ outputError: () => {}, ...(inJson ? { writeErr: () => {} } : {}) });
  }
  try {
    await runProgram(program, process.argv.slice(2));
  } catch (error) {
    tell(error, program);
  }
  isOver = true;
}

/** Node ends a process in which nothing is left to wait for, with 0, although its command is not done. */
const unfinished = new UsageError(
  "config-unreadable",
  "the command did not come to its end: it waits for what never comes",
  "does a config module await something that never settles?",
);

/** Its exit code would be taken for that of the command: 1 means that access was denied. */
const endedByModule = new UsageError(
  "config-unreadable",
  "the command did not come to its end: a config module ended the process (process.exit)",
  "let the module throw an error instead",
);

async function runCommand(command: ParsedCommand, version: string, outClosed: AbortSignal): Promise<void> {
  const { globals, settings, run } = command;
  if (Number.parseInt(process.versions.node, 10) < 22) putOffCompiling();
  const format = formatOf(command);
  const interruption = interruptible();
  const isInteractive = process.stderr.isTTY === true && process.env.TERM !== "dumb";
  // To ask process.stdin opens it.
  const hasKeys = isInteractive && isatty(0) && process.stdout.isTTY === true;
  const ended = run({
    version,
    typed: process.argv.slice(2),
    settings,
    format,
    waitMs: globals.wait ?? 0,
    env: process.env,
    cwd: workingDirectory(),
    paint: paintWith(
      new Chalk({ level: colorLevel(globals.color ?? "auto") }),
      process.stdout.columns ?? Number.POSITIVE_INFINITY,
    ),
    readIn: async () => (await import("node:stream/consumers")).buffer(process.stdin),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    errWidth,
    isInteractive,
    isInTerminal: [0, 1, 2].some(isatty),
    terminal: hasKeys ? { stdin: process.stdin, stdout: process.stdout, onResume } : null,
    signal: interruption.signal,
    ended: AbortSignal.any([interruption.signal, outClosed]),
    takeSignals: interruption.takeSignals,
    expectInterrupt: interruption.expectInterrupt,
  });
  const code = await ended.catch((error) => {
    // What only computes has nothing to end in good order.
    if (error === interruption.signal.reason) return exitCodes.asExpected;
    throw error;
  });
  process.exitCode = interruption.exitCode() ?? code;
  // Output that nobody reads any more would hold the process for ever, although it was told to end.
  if (interruption.signal.aborted) setTimeout(() => process.exit(), FLUSH_MS).unref();
}

/** Of Node; its types come with those of browsers. */
declare const WebAssembly: { Module: new (bytes: Uint8Array) => object };

/**
 * Makes Node 20 compile the parser of HTTP for speed as late as newer versions do. By itself it does so after the first
 * answer, and the process of a short command waits for that at its end. The flag counts when the parser is read. For as
 * long as it is set, Node reads its own modules without the code that it keeps ready for them.
 */
function putOffCompiling(): void {
  const { Module } = WebAssembly;
  WebAssembly.Module = class extends Module {
    constructor(bytes: Uint8Array) {
      setFlagsFromString("--wasm-tiering-budget=13000000");
      try {
        super(bytes);
      } finally {
        setFlagsFromString("--wasm-tiering-budget=1800000");
      }
    }
  };
}

const FLUSH_MS = 500;
/** From the first signal to the end of the process. */
const LONGEST_END_MS = 1800;

interface Interruption extends Pick<Invocation, "signal" | "takeSignals" | "expectInterrupt"> {
  readonly exitCode: () => number | undefined;
}

/**
 * Ctrl-C, SIGTERM and SIGHUP end what is under way in good order, or without it if that takes longer than two seconds; a
 * second one ends the process at once.
 */
function interruptible(): Interruption {
  const controller = new AbortController();
  let code: number | undefined;
  let isExpected = false;
  let taker: ((signal: NodeJS.Signals) => void) | null = null;
  const stopWith = (exitCode: number) => (signal: NodeJS.Signals) => {
    if (taker !== null) return taker(signal);
    if (controller.signal.aborted) process.exit(exitCode);
    if (!isExpected || signal !== "SIGINT") code = exitCode;
    controller.abort();
    // Whatever still waits then, be it a pipe without a writer, waits in vain.
    setTimeout(() => process.exit(exitCode), LONGEST_END_MS).unref();
  };
  // Listeners that stay: a package that restores the terminal takes a process without any for one that shall end now.
  process.on("SIGINT", stopWith(exitCodes.interrupted));
  process.on("SIGTERM", stopWith(exitCodes.terminated));
  process.on("SIGHUP", stopWith(exitCodes.hungUp));
  return {
    signal: controller.signal,
    exitCode: () => code,
    expectInterrupt: () => {
      isExpected = true;
    },
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
      process.exit(exitCodes.unwritable);
    });
  }
  return outClosed.signal;
}

await main();
