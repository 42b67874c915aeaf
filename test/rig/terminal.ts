import { readSync } from "node:fs";
import { constants } from "node:os";
import { StringDecoder } from "node:string_decoder";
import { type IPty, spawn } from "@lydell/node-pty";
import { createDisplay } from "./display.ts";
import { killWithThisProcess, makeSurroundings, PROGRAM, type ProgramOptions } from "./program.ts";

/** What the special keys of a keyboard send. */
export const keys = {
  enter: "\r",
  escape: "\x1b",
  tab: "\t",
  backspace: "\x7f",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  ctrlC: "\x03",
  ctrlD: "\x04",
} as const;

export interface TerminalOptions extends ProgramOptions {
  /** Width in characters; 80 if not given. */
  readonly cols?: number;
  /** Height in lines; 24 if not given. */
  readonly rows?: number;
  /** How long `shows` waits, so that a test that would hang says what was on the screen; 60 s if not given. */
  readonly patienceMs?: number;
}

/** How a program ended; of `code` and `signal` one is null. */
interface TerminalEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** All that it wrote, with the escape sequences. */
  readonly raw: string;
}

/** A program in a terminal, as a person has it before them; disposing of it kills what still runs. */
export interface TerminalSession extends AsyncDisposable {
  /** Resolves once the program has ended and its last output is on the screen, whatever the exit code. */
  readonly ended: Promise<TerminalEnd>;
  /** The visible rows from top to bottom, without the spaces at their ends; those below the output are "". */
  screen(): readonly string[];
  /** All that the program has written so far, with the escape sequences. */
  raw(): string;
  /**
   * Resolves with the first screen, from the present one on, in which the text or pattern is found, rows being
   * joined by "\n". Rejects, with the last screen, if the program ends without or the patience does.
   */
  shows(wanted: string | RegExp): Promise<readonly string[]>;
  /** Sends a key in one piece: a character or one of `keys`. */
  press(key: string): void;
  /** Sends a text character by character; the program may still read some of them together. */
  type(text: string): void;
  resize(cols: number, rows: number): void;
  kill(signal: NodeJS.Signals): void;
  /** What a person's next program would suffer from: modes of the terminal that are not as they were at the start. */
  leftChanged(): string[];
}

/**
 * Starts the built `app-sim` in a terminal of its own.
 *
 * @example
 * await using term = startTerminal(["guard", "--app", app.url]);
 * await term.shows("Password");
 * term.press(keys.ctrlC);
 * expect(await term.ended).toMatchObject({ code: 130 });
 * expect(term.leftChanged()).toEqual([]);
 */
export function startTerminal(args: readonly string[], options: TerminalOptions = {}): TerminalSession {
  return startInTerminal(process.execPath, [PROGRAM, ...args], options);
}

/** Starts any program in a terminal of its own, with TERM as xterm-256color unless `env` says otherwise. */
export function startInTerminal(file: string, args: readonly string[], options: TerminalOptions = {}): TerminalSession {
  const { cols = 80, rows = 24, patienceMs } = options;
  const { cwd, env, remove } = makeSurroundings(options);
  const display = createDisplay({ cols, rows, patienceMs });
  const pty = spawn(file, [...args], { cwd, env: { TERM: "xterm-256color", ...env }, cols, rows, encoding: null });
  const forget = killWithThisProcess(() => pty.kill("SIGKILL"));
  const decoder = new StringDecoder();
  onOutput(pty, (bytes) => display.write(decoder.write(bytes)));
  // The terminal's answers to what the program asks it.
  display.terminal.onData((data) => pty.write(data));

  let isOver = false;
  const ended = new Promise<TerminalEnd>((resolve, reject) => {
    pty.onExit(({ exitCode, signal: number }) => {
      isOver = true;
      forget();
      const signal = signalName(number);
      const end = { code: signal === null ? exitCode : null, signal, raw: display.raw() };
      display
        .settled()
        .then(remove)
        .then(() => resolve(end), reject);
    });
  });

  const kill = (signal: NodeJS.Signals): void => {
    if (!isOver) pty.kill(signal);
  };
  return {
    ended,
    screen: display.screen,
    raw: display.raw,
    shows: (wanted) => display.shows(wanted, ended),
    press: (key) => pty.write(key),
    type(text) {
      for (const character of text) pty.write(character);
    },
    resize(newCols, newRows) {
      display.resize(newCols, newRows);
      pty.resize(newCols, newRows);
    },
    kill,
    leftChanged: display.leftChanged,
    async [Symbol.asyncDispose]() {
      kill("SIGKILL");
      // What went wrong with the run is for those who wait for `ended`.
      await Promise.allSettled([ended]);
      display.terminal.dispose();
    },
  };
}

/** What a pseudo-terminal opened without an encoding has on Unix, beside what its types tell. */
interface PtyOfBytes {
  readonly fd: number;
  on(event: "data", listener: (bytes: Buffer) => void): void;
  on(event: "end", listener: () => void): void;
}

/**
 * Gives all output of the program. When it ends, Node takes a read that is shorter than asked for as the last, which
 * it is not for a pseudo-terminal: the rest is read here, before Node closes it.
 */
function onOutput(pty: IPty, take: (bytes: Buffer) => void): void {
  const source = pty as unknown as PtyOfBytes;
  source.on("data", take);
  source.on("end", () => {
    for (let bytes = readRest(source.fd); bytes.length > 0; bytes = readRest(source.fd)) take(bytes);
  });
}

/** The next bytes of a pseudo-terminal whose program has ended; none at the end. */
function readRest(fd: number): Buffer {
  const buffer = Buffer.alloc(65_536);
  try {
    return buffer.subarray(0, readSync(fd, buffer));
  } catch (error) {
    // The way in which Linux says that a pseudo-terminal has been read to its end.
    if ((error as NodeJS.ErrnoException).code === "EIO") return buffer.subarray(0, 0);
    throw error;
  }
}

function signalName(number: number | undefined): NodeJS.Signals | null {
  const names = Object.keys(constants.signals) as NodeJS.Signals[];
  return names.find((name) => constants.signals[name] === number) ?? null;
}
