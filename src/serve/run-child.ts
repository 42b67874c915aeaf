import type { ChildProcess, StdioOptions } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
// On Windows, Node itself does not find `npm.cmd`, and does not quote arguments for it.
import spawn from "cross-spawn";
import type { Invocation } from "../action/invocation.ts";
import { hasGroups, signalProcess } from "../app-client/process-group.ts";
import { ExitError } from "../output/exit-error.ts";
import { shellWord } from "../output/shell-word.ts";

/** Exit codes of a POSIX shell. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const BY_SIGNAL = 128;

/** How long a command has to end after it was asked to. */
const GRACE_MS = 5000;

interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Default: those of this process. */
  readonly stdio?: StdioOptions;
  /** Runs when this process receives a signal. */
  readonly onSignal?: (signal: NodeJS.Signals) => void;
  /** Receives each line of its output; the command then has no keyboard, and a process group of its own. */
  readonly onLine?: (line: string) => void;
  /** Ends it, and everything it started, like Ctrl-C. */
  readonly ended?: AbortSignal;
}

/**
 * A command as it was typed. Commander removes the first `--`, which belongs to the command itself if it comes after
 * the command's first word, as in `npm run test -- --watch`.
 */
export function commandAsTyped(args: readonly string[], typed: readonly string[]): readonly string[] {
  if (!typed.includes("--")) return args;
  const behind = typed.length - typed.indexOf("--") - 1;
  const before = args.slice(0, Math.max(0, args.length - behind));
  return before.length === 0 ? args : [...before, "--", ...args.slice(before.length)];
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
  const cannotRun = (error: NodeJS.ErrnoException) => reasonOf(error, [name, ...args]);
  let child: ChildProcess;
  try {
    child =
      onLine === undefined
        ? spawn(name, args, { stdio, env })
        : spawn(name, args, { stdio: ["ignore", "pipe", "pipe"], env, detached: hasGroups });
  } catch (error) {
    // The system reports some errors with an event, others with an exception.
    throw cannotRun(error as NodeJS.ErrnoException);
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
      child.once("error", (error: NodeJS.ErrnoException) => reject(cannotRun(error)));
      child.once("exit", (code, signal) => resolve(code ?? BY_SIGNAL + constants.signals[signal ?? "SIGKILL"]));
    });
  } finally {
    ended?.removeEventListener("abort", end);
    clearTimeout(grace);
    release();
  }
}

/** Why a command cannot be run. */
function reasonOf({ code, message }: NodeJS.ErrnoException, [name = "", ...args]: readonly string[]): ExitError {
  if (code === "ENOENT" || code === "ENOTDIR") return notFound(name, hintFor(name, args));
  const hint =
    code === "EACCES" ? `is it executable? For your own script: chmod +x ${shellWord(name)}` : "is it executable?";
  return new ExitError(NOT_EXECUTABLE, "command-not-executable", `${name} cannot be run: ${message}`, hint);
}

/** A hint for a command that does not exist. */
function hintFor(name: string, args: readonly string[]): string | undefined {
  if (args.length === 0 && /\s/.test(name)) return `remove the quotes around it: -- ${name}`;
  if (!/^[A-Z_]\w*=/i.test(name)) return undefined;
  const line = ["env", name, ...args].map(shellWord).join(" ");
  return `it sets a variable, which only a shell can do: write it before app-sim, or use env: -- ${line}`;
}

function notFound(name: string, hint = "is it installed, and in the PATH?"): ExitError {
  return new ExitError(NOT_FOUND, "command-not-found", `there is no command ${name === "" ? '""' : name}`, hint);
}
