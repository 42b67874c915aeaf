import { Chalk } from "chalk";
import type { Invocation } from "../../src/action/invocation.ts";
import { buildProgram, type ParsedCommand } from "../../src/command-line/program.ts";
import { formatOf, refusalOf, wantsJson } from "../../src/command-line/refusal.ts";
import { runProgram } from "../../src/command-line/run-program.ts";
import { paintWith } from "../../src/output/paint.ts";
import type { CliOptions, CliResult } from "./cli.ts";
import { type RunningCommand, startCommand } from "./command.ts";
import { makeSurroundings } from "./program.ts";
import { withoutProgress } from "./stderr.ts";

export interface LineOptions extends CliOptions {
  readonly input?: string | Buffer;
  /** Columns of the terminal; default: there is none. */
  readonly width?: number;
}

/** A command line that runs in this process; disposing of it interrupts it and waits for its end. */
export interface RunningLine extends AsyncDisposable, Pick<RunningCommand, "stdout" | "stderr" | "printed" | "signal"> {
  /** Resolves once the command has ended, whatever the exit code. */
  readonly done: Promise<CliResult>;
}

/**
 * Runs a command line of `app-sim` to its end in this process, with `input` as its whole stdin: for what a command
 * does and says, without the half second of computing that a process takes to start. What only a process has is for
 * `runCli`: pipes, signals, colours, what other programs print, and that nothing keeps it from ending.
 */
export async function runLine(args: readonly string[], options: LineOptions = {}): Promise<CliResult> {
  await using line = startLine(args, options);
  return await line.done;
}

/** Starts a command line in this process, for tests that talk to it or give it a signal. */
export function startLine(args: readonly string[], options: LineOptions = {}): RunningLine {
  const { cwd, env, remove } = makeSurroundings(options);
  const command = startCommand((invocation) => run(args, invocation), {
    cwd,
    env,
    paint: paintWith(new Chalk({ level: 0 }), options.width ?? Number.POSITIVE_INFINITY),
    errWidth: () => options.width ?? Number.POSITIVE_INFINITY,
    readIn: async () => Buffer.from(options.input ?? ""),
  });
  const end = async (): Promise<CliResult> => {
    try {
      const code = await command.done;
      return { code, signal: null, stdout: command.stdout(), stderr: withoutProgress(command.stderr()) };
    } finally {
      await remove();
    }
  };
  const done = end();
  done.catch(() => {});
  return {
    stdout: command.stdout,
    stderr: command.stderr,
    printed: command.printed,
    signal: command.signal,
    done,
    async [Symbol.asyncDispose]() {
      await command[Symbol.asyncDispose]();
      await Promise.allSettled([done]);
    },
  };
}

/** What cli.ts does with the arguments of its process. */
async function run(args: readonly string[], surroundings: Invocation): Promise<number> {
  const { out, err, errWidth } = surroundings;
  const inJson = wantsJson(args);
  const helpWidth = () => (Number.isFinite(errWidth()) ? errWidth() : 80);
  let code = 0;
  const runCommand = async (command: ParsedCommand) => {
    const { settings, globals } = command;
    const waitMs = globals.wait ?? 0;
    code = await command.run({ ...surroundings, typed: args, settings, format: formatOf(command), waitMs });
  };
  const program = buildProgram(surroundings.version, runCommand);
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
      writeOut: out,
      writeErr: inJson ? () => {} : err,
      outputError: () => {},
    });
  }
  try {
    await runProgram(program, args);
    return code;
  } catch (error) {
    const refusal = refusalOf(error, program, { inJson, width: errWidth(), args });
    err(refusal.text);
    return refusal.exitCode;
  }
}
