import { EventEmitter } from "node:events";
import { Terminal } from "@xterm/headless";

const SYNCHRONIZED_OUTPUT = 2026;

interface DisplayOptions {
  readonly cols: number;
  readonly rows: number;
  readonly patienceMs?: number | undefined;
}

/** The screen of a terminal, without a program that writes on it. */
export interface Display {
  readonly terminal: Terminal;
  screen(): readonly string[];
  raw(): string;
  write(text: string): void;
  /** Resolves when all that was written is on the screen. */
  settled(): Promise<void>;
  /** Like that of a `TerminalSession`; `ended`: the end of the program. */
  shows(wanted: string | RegExp, ended: Promise<unknown>): Promise<readonly string[]>;
  resize(cols: number, rows: number): void;
  leftChanged(): string[];
}

/** Creates the screen of a terminal that is as good as xterm. */
export function createDisplay({ cols, rows, patienceMs = 60_000 }: DisplayOptions): Display {
  const terminal = new Terminal({ cols, rows, allowProposedApi: true });
  let raw = "";
  let screen = visibleRows(terminal);
  const screens = new EventEmitter().setMaxListeners(0);
  const show = (): void => {
    screen = visibleRows(terminal);
    screens.emit("screen");
  };
  // A frame in synchronized output is seen when it is whole, as in a terminal that knows that mode: the screen is
  // looked at where the mode begins and ends, and not in between.
  for (const final of ["h", "l"]) {
    terminal.parser.registerCsiHandler({ prefix: "?", final }, (modes) => {
      if (modes.includes(SYNCHRONIZED_OUTPUT)) show();
      return false;
    });
  }
  return {
    terminal,
    screen: () => screen,
    raw: () => raw,
    write(text) {
      raw += text;
      terminal.write(text, () => {
        if (!terminal.modes.synchronizedOutputMode) show();
      });
    },
    settled: () =>
      new Promise((resolve) => {
        terminal.write("", () => {
          show();
          resolve();
        });
      }),
    shows: (wanted, ended) =>
      new Promise((resolve, reject) => {
        const settle = (): void => {
          clearTimeout(timer);
          screens.off("screen", look);
        };
        const look = (): void => {
          if (!isIn(screen, wanted)) return;
          settle();
          resolve(screen);
        };
        const giveUp = (why: string): void => {
          settle();
          reject(new Error(`${why} ${wanted}; the last screen was:\n${screen.join("\n").trimEnd()}`));
        };
        const timer = setTimeout(() => giveUp(`Within ${patienceMs} ms the terminal did not show`), patienceMs);
        screens.on("screen", look);
        look();
        ended.then(() => giveUp("The program ended without showing"), reject);
      }),
    resize(newCols, newRows) {
      terminal.resize(newCols, newRows);
      show();
    },
    leftChanged: () => changedModes(terminal, raw),
  };
}

function visibleRows({ buffer: { active }, cols, rows }: Terminal): readonly string[] {
  const lines = Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row));
  return lines.map((line) => line?.translateToString(false, 0, cols).trimEnd() ?? "");
}

function isIn(screen: readonly string[], wanted: string | RegExp): boolean {
  const text = screen.join("\n");
  return typeof wanted === "string" ? text.includes(wanted) : text.search(wanted) >= 0;
}

function changedModes({ buffer, modes }: Terminal, raw: string): string[] {
  const isChanged = {
    "the cursor is hidden": raw.lastIndexOf("\x1b[?25l") > raw.lastIndexOf("\x1b[?25h"),
    "the alternate screen is on": buffer.active.type === "alternate",
    "bracketed paste is on": modes.bracketedPasteMode,
    "synchronized output is on": modes.synchronizedOutputMode,
    "the mouse is reported": modes.mouseTrackingMode !== "none",
    "the focus is reported": modes.sendFocusMode,
    "the cursor keys are in application mode": modes.applicationCursorKeysMode,
    "lines do not wrap": !modes.wraparoundMode,
  };
  return Object.entries(isChanged).flatMap(([what, is]) => (is ? [what] : []));
}
