import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import type { JournalRecord } from "../journal/record.ts";
import { ExitError } from "../output/exit-error.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import { tell } from "../output/tell.ts";
import { plural } from "../output/text.ts";
import { checkPrefix } from "../settings/env-command.ts";
import type { ExecFlags } from "./action.ts";
import { type ServedSimulator, servePlatform } from "./serve-platform.ts";

/** Exit codes of a POSIX shell. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const BY_SIGNAL = 128;

/** `app-sim exec` */
export async function execCommand({
  invocation,
  args: command,
  flags: { prefix = "PLATFORM_", ...flags },
  startSimulator,
}: CommandCall<ServedSimulator, ExecFlags>): Promise<number> {
  checkPrefix(prefix);
  // Only the flag counts: the variable may name the port of an exec around this one.
  const settings = { ...invocation.settings, port: invocation.settings.port ?? "0" };
  await using platform = await servePlatform(
    "exec",
    { invocation: { ...invocation, settings }, startSimulator },
    flags,
  );
  const { config, simulator } = platform;
  if (invocation.signal.aborted) return 0;
  if (flags.open === true) openInBrowser(platform.inspector);
  let unanswered = 0;
  simulator.journal.subscribe((record) => {
    unanswered += consentPagesOpened(record);
  });
  const code = await run(command, invocation, {
    ...invocation.env,
    ...simulator.env(prefix),
    APP_SIM_PORT: String(config.port),
    APP_SIM_JOURNAL: config.journal,
  });
  if (unanswered > 0) {
    tell(invocation, `${plural(unanswered, "unanswered consent page")}: app-sim exec --consent approve answers them`);
  }
  return code;
}

/** 1 for a page that asks, -1 for a decision, which names the app; a refused form decides nothing. */
function consentPagesOpened(record: JournalRecord): number {
  if (record.type !== "oauth") return 0;
  if (record.outcome === "asked") return 1;
  return record.step === "consent" && record.client !== null ? -1 : 0;
}

/** Runs a command with this terminal and our signals, and resolves with its exit code. */
async function run(
  [name = "", ...args]: readonly string[],
  { takeSignals, isInTerminal }: Invocation,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  if (name === "") throw notFound(name);
  let child: ChildProcess;
  try {
    child = spawn(name, args, { stdio: "inherit", env });
  } catch (error) {
    // The system reports some errors with an event, others with an exception.
    throw cannotRun(name, error as NodeJS.ErrnoException);
  }
  const release = takeSignals((signal) => {
    // A terminal sends Ctrl-C to the child, too: passed on, it would arrive twice.
    if (signal !== "SIGINT" || !isInTerminal) child.kill(signal);
  });
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (error: NodeJS.ErrnoException) => reject(cannotRun(name, error)));
      child.once("exit", (code, signal) => resolve(code ?? BY_SIGNAL + constants.signals[signal ?? "SIGKILL"]));
    });
  } finally {
    release();
  }
}

function cannotRun(name: string, { code, message }: NodeJS.ErrnoException): ExitError {
  if (code === "ENOENT" || code === "ENOTDIR") return notFound(name);
  const reason = `${name} cannot be run: ${message}`;
  return new ExitError(NOT_EXECUTABLE, "command-not-executable", reason, "may you execute it?");
}

function notFound(name: string): ExitError {
  const hint = "is it installed, and in the PATH?";
  return new ExitError(NOT_FOUND, "command-not-found", `there is no command ${name === "" ? '""' : name}`, hint);
}
