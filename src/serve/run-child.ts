import type { ChildProcess, StdioOptions } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
// On Windows Node itself finds no `npm.cmd`, and does not quote for it.
import spawn from "cross-spawn";
import type { Invocation } from "../action/invocation.ts";
import { hasGroups, signalProcess } from "../app-client/process-group.ts";
import { ExitError } from "../output/exit-error.ts";

/** Exit codes of a POSIX shell. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const BY_SIGNAL = 128;

/** What a command that is asked to end has time for. */
const GRACE_MS = 5000;

interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Default: those of this process. */
  readonly stdio?: StdioOptions;
  /** Runs when this process is given a signal. */
  readonly onSignal?: (signal: NodeJS.Signals) => void;
  /** Takes each line of its output; it then has no keyboard, and a group of processes of its own. */
  readonly onLine?: (line: string) => void;
  /** Ends it, and all that it started, as Ctrl-C does. */
  readonly ended?: AbortSignal;
}

/**
 * Runs a command with this terminal and our signals, and resolves with its exit code.
 * @throws ExitError for one that cannot be run
 */
export async function runChild(
  [name = "", ...args]: readonly string[],
  { takeSignals, isInTerminal }: Pick<Invocation, "takeSignals" | "isInTerminal">,
  { env, stdio = "inherit", onSignal, onLine, ended }: ChildOptions,
): Promise<number> {
  if (name === "") throw notFound(name);
  const isWhole = args.length === 0 && /\s/.test(name);
  let child: ChildProcess;
  try {
    child =
      onLine === undefined
        ? spawn(name, args, { stdio, env })
        : spawn(name, args, { stdio: ["ignore", "pipe", "pipe"], env, detached: hasGroups });
  } catch (error) {
    // The system reports some errors with an event, others with an exception.
    throw cannotRun(name, error as NodeJS.ErrnoException, isWhole);
  }
  const kill = (signal: NodeJS.Signals) => signalProcess(child, signal, onLine !== undefined && hasGroups);
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null && onLine !== undefined) createInterface(stream).on("line", onLine);
  }
  let grace: NodeJS.Timeout | undefined;
  const end = () => {
    kill("SIGINT");
    grace = setTimeout(() => kill("SIGKILL"), GRACE_MS);
  };
  ended?.addEventListener("abort", end, { once: true });
  const release = takeSignals((signal) => {
    onSignal?.(signal);
    // A terminal sends Ctrl-C to the child, too: passed on, it would arrive twice.
    if (signal !== "SIGINT" || !isInTerminal || onLine !== undefined) kill(signal);
  });
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (error: NodeJS.ErrnoException) => reject(cannotRun(name, error, isWhole)));
      child.once("exit", (code, signal) => resolve(code ?? BY_SIGNAL + constants.signals[signal ?? "SIGKILL"]));
    });
  } finally {
    ended?.removeEventListener("abort", end);
    clearTimeout(grace);
    release();
  }
}

/** @param isWhole whether the name is likely to be a whole command line */
function cannotRun(name: string, { code, message }: NodeJS.ErrnoException, isWhole: boolean): ExitError {
  if (code === "ENOENT" || code === "ENOTDIR")
    return notFound(name, isWhole ? `leave out the quotes around it: -- ${name}` : undefined);
  const reason = `${name} cannot be run: ${message}`;
  return new ExitError(NOT_EXECUTABLE, "command-not-executable", reason, "may you execute it?");
}

function notFound(name: string, hint = "is it installed, and in the PATH?"): ExitError {
  return new ExitError(NOT_FOUND, "command-not-found", `there is no command ${name === "" ? '""' : name}`, hint);
}
