import { render, Text, useInput, useStdout } from "ink";
import { useLayoutEffect, useReducer, useSyncExternalStore } from "react";
import type { Paint } from "../../output/paint.ts";
import { type FooterState, footerLines } from "./footer-lines.ts";
import type { Drawing, Transcript } from "./transcript.ts";

interface KeysParts {
  /** Both are terminals. */
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly paint: Paint;
  /** What is printed above the footer. */
  readonly transcript: Transcript;
  readonly start: FooterState;
  /** Runs for each key pressed, such as `g` or `ctrl-c`. */
  readonly onKey: (key: string) => void;
}

/** Lines at the bottom of the terminal that stay there while others are printed above them. */
export interface KeysScreen {
  /** Prints whole lines above. */
  readonly write: (written: Drawing | string) => void;
  readonly change: (changes: Partial<FooterState>) => void;
  /** Clears the terminal. */
  readonly clear: () => void;
  /** Removes the lines, and releases the keyboard. */
  readonly end: () => Promise<void>;
}

/** Erases the screen and the scrollback. */
const ERASE = "\u001b[2J\u001b[3J\u001b[H";
/** Erases only the screen. */
const ERASE_SCREEN = "\u001b[H\u001b[2J";
/** Ink ends every frame with a line feed, even an empty one. */
const UP = "\u001b[A";

/** Shows the footer, and reads keys. */
export function showKeys({ stdin, stdout, paint, transcript, start, onKey }: KeysParts): KeysScreen {
  const store = createStore(start);
  const sink: Sink = { write: (text) => stdout.write(text) };
  const footer = { store, stdout, paint, transcript, sink, onKey };
  const app = render(<Footer {...footer} />, { stdin, stdout, exitOnCtrlC: false, patchConsole: false });
  return {
    write: (written) => {
      transcript.add(written);
      sink.write(typeof written === "string" ? written : written(columnsAt(stdout)));
    },
    change: store.change,
    clear: () => {
      transcript.clear();
      app.clear();
      sink.write(ERASE);
    },
    end: async () => {
      // Ink draws the last pending frame before it ends, so that must be empty.
      app.rerender(null);
      app.unmount();
      stdout.write(UP);
      sink.write = (text) => stdout.write(text);
      await app.waitUntilExit();
    },
  };
}

interface Sink {
  write: (text: string) => void;
}

interface Store {
  readonly change: (changes: Partial<FooterState>) => void;
  readonly state: () => FooterState;
  readonly subscribe: (listener: () => void) => () => void;
}

function createStore(start: FooterState): Store {
  let state = start;
  const listeners = new Set<() => void>();
  return {
    change: (changes) => {
      const isNew = Object.entries(changes).some(([name, value]) => state[name as keyof FooterState] !== value);
      if (!isNew) return;
      state = { ...state, ...changes };
      for (const listener of listeners) listener();
    },
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

interface FooterProps extends Omit<KeysParts, "stdin" | "start"> {
  readonly store: Store;
  readonly sink: Sink;
}

function columnsAt({ columns }: NodeJS.WriteStream): number {
  return columns || 80;
}

/** A terminal may wrap to the next row when its last column is filled. */
function linesOf(state: FooterState, columns: number, paint: Paint): string[] {
  return footerLines(state, Math.max(1, columns - 1), paint);
}

function Footer({ store, stdout, paint, transcript, sink, onKey }: FooterProps) {
  const state = useSyncExternalStore(store.subscribe, store.state);
  const { write } = useStdout();
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    // Ink removes its lines, writes, and draws them again.
    sink.write = write;
    let columns = columnsAt(stdout);
    // Redraws what the terminal broke. Ink has already fitted its own lines to the new width.
    const resized = () => {
      const before = columns;
      columns = columnsAt(stdout);
      const below = linesOf(store.state(), columns, paint).length + 1;
      if (columns !== before) write(ERASE_SCREEN + transcript.end(columns, Math.max(0, stdout.rows - below)));
      draw();
    };
    stdout.on("resize", resized);
    return () => {
      stdout.off("resize", resized);
    };
  }, [sink, write, stdout, store, paint, transcript]);
  useInput((input, key) => {
    if (key.ctrl) return onKey(`ctrl-${input}`);
    for (const character of input) onKey(character.toLowerCase());
  });
  return <Text>{linesOf(state, columnsAt(stdout), paint).join("\n")}</Text>;
}
