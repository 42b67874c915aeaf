import { readFileSync } from "node:fs";
import { Chalk } from "chalk";
import type { CommandCall } from "../../src/action/command-call.ts";
import type { Invocation } from "../../src/action/invocation.ts";
import type { CommandPlatform } from "../../src/command-line/remote-platform.ts";
import { runOnSimulator } from "../../src/command-line/session.ts";
import { paintWith } from "../../src/output/paint.ts";
import { type LazyPlatform, startPlatform } from "../../src/start-platform.ts";

const { version: VERSION } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** A command that runs in this process; disposing of it interrupts it and waits for its end. */
export interface RunningCommand extends AsyncDisposable {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Its exit code, or what it throws. */
  readonly done: Promise<number>;
  /** Resolves with the first match in stdout or else in stderr; rejects if the command ends without one. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Gives it a signal, which interrupts it unless it has taken the signals. */
  signal(name: NodeJS.Signals): void;
}

/** What a command is given besides its invocation. */
type Given = Partial<Pick<CommandCall<LazyPlatform>, "args" | "flags" | "options">>;

/** A command with these arguments and flags, for {@link startCommand}. */
export function withCall<Call extends CommandCall<never, never, never>>(
  command: (call: Call) => Promise<number>,
  { args = [], flags = {}, options = {} }: Given = {},
): (invocation: Invocation) => Promise<number> {
  return (invocation) => {
    const call: CommandCall<CommandPlatform, unknown, unknown, LazyPlatform> = {
      invocation,
      args,
      flags,
      options,
      onSimulator: (...parts) => runOnSimulator(invocation, ...parts),
      startSimulator: startPlatform,
    };
    return command(call as never);
  };
}

/** Runs a command as the command line does, in `cwd`, without a terminal and with an environment that is empty. */
export function startCommand(
  run: (invocation: Invocation) => Promise<number>,
  invocation: Pick<Invocation, "cwd"> & Partial<Invocation>,
): RunningCommand {
  const output = { stdout: "", stderr: "" };
  const interruption = new AbortController();
  let taker: ((signal: NodeJS.Signals) => void) | null = null;
  const looks = new Set<() => void>();
  const write = (name: keyof typeof output) => (text: string | Uint8Array) => {
    output[name] += typeof text === "string" ? text : Buffer.from(text).toString();
    for (const look of looks) look();
  };
  const done = run({
    version: VERSION,
    typed: [],
    evidence: [],
    report: { quiet: false, verbose: false, details: false },
    settings: {},
    format: "text",
    waitMs: 0,
    env: {},
    paint: paintWith(new Chalk({ level: 0 }), 80),
    readIn: async () => new Uint8Array(),
    out: write("stdout"),
    err: write("stderr"),
    errWidth: () => Number.POSITIVE_INFINITY,
    isInteractive: false,
    isInTerminal: false,
    terminal: null,
    signal: interruption.signal,
    ended: interruption.signal,
    expectInterrupt: () => {},
    takeSignals: (wanted) => {
      taker = wanted;
      return () => {
        taker = null;
      };
    },
    ...invocation,
  });
  done.catch(() => {});
  const signal = (name: NodeJS.Signals) => (taker === null ? interruption.abort() : taker(name));
  return {
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    done,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = output.stdout.match(pattern) ?? output.stderr.match(pattern);
          if (match === null) return;
          looks.delete(look);
          resolve(match);
        };
        looks.add(look);
        look();
        done.then(() => reject(new Error(`Ended without printing ${pattern}: ${JSON.stringify(output)}`)), reject);
      }),
    signal,
    async [Symbol.asyncDispose]() {
      signal("SIGTERM");
      await Promise.allSettled([done]);
    },
  };
}
