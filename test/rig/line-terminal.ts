import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { Chalk } from "chalk";
import { buildProgram } from "../../src/command-line/program.ts";
import { formatOf } from "../../src/command-line/refusal.ts";
import { runProgram } from "../../src/command-line/run-program.ts";
import { paintWith } from "../../src/output/paint.ts";
import { type RunningCommand, startCommand } from "./command.ts";
import { createDisplay, type Display } from "./display.ts";
import { makeSurroundings } from "./program.ts";
import type { TerminalOptions, TerminalSession } from "./terminal.ts";

/** A command line of `app-sim` in a terminal that only this process knows. */
export interface LineInTerminal extends Omit<TerminalSession, "kill"> {
  /** As SIGTERM does: ends it in good order. */
  interrupt(): void;
  /** As SIGCONT does. */
  resume(): void;
  /** Writes on the screen, as another program would. */
  scribble(text: string): void;
  /** Whether keys come one by one. */
  isRaw(): boolean;
}

/**
 * Starts a command line of `app-sim` in this process, in a terminal: for what a screen shows and its keys do, without
 * the second of computing that a process in a pseudo-terminal takes. Signals, exit codes of signals and mistakes on
 * the command line are for `startTerminal`.
 */
export function startLineInTerminal(args: readonly string[], options: TerminalOptions = {}): LineInTerminal {
  const { cols = 80, rows = 24, patienceMs } = options;
  const { cwd, env, remove } = makeSurroundings(options);
  const display = createDisplay({ cols, rows, patienceMs });
  const { stdin, stdout } = streamsOf(display);
  const resumed = new EventEmitter();
  let command: RunningCommand | undefined;
  const program = buildProgram("0.0.0", async (parsed) => {
    command = startCommand(parsed.run, {
      cwd,
      env,
      settings: parsed.settings,
      format: formatOf(parsed),
      paint: paintWith(new Chalk({ level: 0 }), () => stdout.columns),
      out: (text) => stdout.write(text),
      err: (text) => stdout.write(text),
      errWidth: () => stdout.columns,
      isInteractive: true,
      isInTerminal: true,
      terminal: {
        stdin,
        stdout,
        onResume: (listener) => {
          resumed.on("resume", listener);
          return () => resumed.off("resume", listener);
        },
      },
    });
    await command.done;
  });
  const run = async () => {
    try {
      await runProgram(program, args);
      await display.settled();
      return { code: (await command?.done) ?? null, signal: null, raw: display.raw() };
    } finally {
      await remove();
    }
  };
  const ended = run();
  ended.catch(() => {});
  return {
    ended,
    screen: display.screen,
    raw: display.raw,
    shows: (wanted) => display.shows(wanted, ended),
    press: (key) => stdin.push(key),
    type(text) {
      for (const character of text) stdin.push(character);
    },
    resize(newCols, newRows) {
      display.resize(newCols, newRows);
      Object.assign(stdout, { columns: newCols, rows: newRows }).emit("resize");
    },
    interrupt: () => command?.signal("SIGTERM"),
    resume: () => resumed.emit("resume"),
    scribble: (text) => display.write(text),
    isRaw: () => stdin.isRaw,
    leftChanged: () => [...display.leftChanged(), ...(stdin.isRaw ? ["keys come one by one"] : [])],
    async [Symbol.asyncDispose]() {
      command?.signal("SIGTERM");
      await Promise.allSettled([ended]);
      display.terminal.dispose();
    },
  };
}

/** What a process has of its terminal. */
export function streamsOf(display: Display): { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream } {
  const { cols: columns, rows } = display.terminal;
  const stdout = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      // A terminal goes to the first column with each new line.
      display.write(text.replaceAll(/\r?\n/g, "\r\n"));
      done();
    },
  });
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(isRaw: boolean) {
      stdin.isRaw = isRaw;
      return stdin;
    },
    ref: () => stdin,
    unref: () => stdin,
  });
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: Object.assign(stdout, { isTTY: true, columns, rows }) as unknown as NodeJS.WriteStream,
  };
}
