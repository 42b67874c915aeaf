import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { killWithThisProcess, makeSurroundings, PROGRAM, type ProgramOptions } from "./program.ts";
import { withoutProgress } from "./stderr.ts";

export type CliOptions = ProgramOptions;

/** How a run ended; of `code` and `signal` one is null. */
export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run that is under way; disposing of it kills what still runs. */
export interface RunningCli extends AsyncDisposable {
  /** Its stdin stays open until the test ends it. */
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves once the process and its output have ended, whatever the exit code. */
  readonly done: Promise<CliResult>;
  /** Resolves with the first match in stdout or else in stderr; rejects if the run ends without one. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>;
}

/** Runs the built `app-sim` to its end, with `input` as its whole stdin. */
export async function runCli(
  args: readonly string[],
  options: CliOptions & { readonly input?: string | Buffer } = {},
): Promise<CliResult> {
  await using cli = startCli(args, options);
  cli.child.stdin.end(options.input);
  return await cli.done;
}

/**
 * Starts the built `app-sim`, for tests that talk to it or send it signals.
 *
 * @example
 * await using cli = startCli(["serve"]);
 * await cli.printed(/http:\S+/);
 * cli.child.kill("SIGINT");
 * expect((await cli.done).code).toBe(130);
 */
export function startCli(args: readonly string[], options: CliOptions = {}): RunningCli {
  const { cwd, env, remove } = makeSurroundings(options);
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env });
  child.once(
    "close",
    killWithThisProcess(() => child.kill("SIGKILL")),
  );
  // A program that ends without reading its stdin breaks the pipe: no fault of the test.
  child.stdin.on("error", () => {});

  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      output[name] += chunk;
    });
  }

  const end = async (): Promise<CliResult> => {
    try {
      const [code, signal] = await once(child, "close");
      return { code, signal, ...output, stderr: withoutProgress(output.stderr) };
    } finally {
      await remove();
    }
  };
  const done = end();
  return {
    child,
    done,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = output.stdout.match(pattern) ?? output.stderr.match(pattern);
          if (match) resolve(match);
        };
        look();
        child.stdout.on("data", look);
        child.stderr.on("data", look);
        done.then(() => reject(new Error(`Ended without printing ${pattern}: ${JSON.stringify(output)}`)), reject);
      }),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      // What went wrong with the run is for those who wait for `done`.
      await Promise.allSettled([done]);
    },
  };
}
