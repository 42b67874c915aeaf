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

/** The command line: reads the process, runs one command, and is the only place that sets the exit code. */
async function main(): Promise<void> {
  const outClosed = quietOnClosedPipes();
  const args = process.argv.slice(2);
  const inJson = wantsJson(args);
  const tell = (error: unknown, program: Command) => {
    const refusal = refusalOf(error, program, { inJson, width: errWidth(), args });
    process.exitCode = refusal.exitCode;
    process.stderr.write(refusal.text);
  };
  let isOver = false;
  // Left to Node, the process would exit with 1, which means that access was denied.
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
    // Signals, and a stdout that cannot be written, have higher exit codes of their own.
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

/** If nothing is left to wait for, Node exits with 0 even though the command has not finished. */
const unfinished = new UsageError(
  "config-unreadable",
  "the command never finished: it is waiting for something that will never happen",
  "does a config module await something that never settles?",
);

/** Its exit code would look like the command's: 1 means that access was denied. */
const endedByModule = new UsageError(
  "config-unreadable",
  "the command did not finish: a config module ended the process (process.exit)",
  "throw an error in the module instead",
);

async function runCommand(command: ParsedCommand, version: string, outClosed: AbortSignal): Promise<void> {
  const { globals, settings, run } = command;
  if (Number.parseInt(process.versions.node, 10) < 22) putOffCompiling();
  const format = formatOf(command);
  const interruption = interruptible();
  const isInteractive = process.stderr.isTTY === true && process.env.TERM !== "dumb";
  // Reading the property process.stdin opens it.
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
      () => process.stdout.columns ?? Number.POSITIVE_INFINITY,
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
    // Commands that only compute have nothing to clean up.
    if (error === interruption.signal.reason) return exitCodes.asExpected;
    throw error;
  });
  process.exitCode = interruption.exitCode() ?? code;
  // Pending output that nobody reads would keep the process alive for ever.
  if (interruption.signal.aborted) setTimeout(() => process.exit(), FLUSH_MS).unref();
}

/** Of Node; its types come with those of browsers. */
declare const WebAssembly: { Module: new (bytes: Uint8Array) => object };

/**
 * Makes Node 20 delay the optimizing compilation of its HTTP parser, as newer versions do. By default it starts after
 * the first answer, and a short command would wait for it before exiting. V8 reads the flag when the parser is loaded;
 * while it is set, Node loads its own modules without its code cache, so it is reset right away.
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
 * Ctrl-C, SIGTERM and SIGHUP end what is in flight cleanly, or abruptly if that takes longer than two seconds; a second
 * one ends the process at once.
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
    // Anything still pending by then, such as a pipe without a writer, will never finish.
    setTimeout(() => process.exit(exitCode), LONGEST_END_MS).unref();
  };
  // These listeners stay: when no other is left, a package that restores the terminal ends the process itself.
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
    throw new UsageError("no-directory", "the working directory no longer exists", "change to one that exists");
  }
}

function colorLevel(when: NonNullable<GlobalFlags["color"]>): 0 | 1 | 2 | 3 {
  if (when === "never") return 0;
  const supported = supportsColor === false ? 0 : (supportsColor.level as 0 | 1 | 2 | 3);
  if (when === "always") return supported === 0 ? 1 : supported;
  if (process.env.FORCE_COLOR !== undefined) return supported;
  // chalk treats our `--color auto` as a request for colours, and does not know https://no-color.org.
  const isPlain = process.stdout.isTTY !== true || process.env.TERM === "dumb" || Boolean(process.env.NO_COLOR);
  return isPlain ? 0 : supported;
}

/**
 * `app-sim log | head` closes the pipe early: that is no error and does not change the exit code (hardening R32). Any
 * other write error means that the result was lost. The signal is aborted when stdout is closed, for commands that
 * would otherwise run for ever.
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
