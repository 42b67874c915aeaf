import { Chalk } from "chalk";
import { CommanderError } from "commander";
import { buildProgram } from "../../src/command-line/program.ts";
import { paintWith } from "../../src/output/paint.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";
import { type CliOptions, type CliResult, runCli } from "./cli.ts";
import { startCommand } from "./command.ts";
import { makeSurroundings } from "./program.ts";

/**
 * Runs a command line of `app-sim` to its end in this process, with `input` as its whole stdin: for what a command
 * does and says, without the half second of computing that a process takes to start. What only a process has is for
 * `runCli`: pipes, signals, colours, what other programs print, and that nothing keeps it from ending.
 *
 * What is refused here is run again as a process, because cli.ts alone tells the user of a mistake and decides the
 * exit code for it: a command that is refused has done nothing yet.
 */
export async function runLine(
  args: readonly string[],
  options: CliOptions & { readonly input?: string | Buffer } = {},
): Promise<CliResult> {
  try {
    return await runHere(args, options);
  } catch (error) {
    if (error instanceof UsageError || error instanceof CommanderError) return await runCli(args, options);
    throw error;
  }
}

async function runHere(args: readonly string[], options: Parameters<typeof runLine>[1] = {}): Promise<CliResult> {
  const { cwd, env, remove } = makeSurroundings(options);
  let result: CliResult | undefined;
  const program = buildProgram("0.0.0", async ({ globals, settings, formats, run }) => {
    const format = globals.format ?? formats[0] ?? "text";
    if (!formats.includes(format)) throw new UsageError("format-invalid", `no format of this command: ${format}`, "");
    await using command = startCommand(run, {
      cwd,
      env,
      settings,
      format,
      paint: paintWith(new Chalk({ level: 0 }), Number.POSITIVE_INFINITY),
      waitMs: (globals.wait ?? 0) * 1000,
      readIn: async () => Buffer.from(options.input ?? ""),
    });
    const code = await command.done;
    result = { code, signal: null, stdout: command.stdout(), stderr: command.stderr() };
  });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } finally {
    await remove();
  }
  if (result === undefined) throw new Error(`no command was run: ${args.join(" ")}`);
  return result;
}
