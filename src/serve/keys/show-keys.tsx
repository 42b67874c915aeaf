import { render, Text, useInput, useStdout } from "ink";
import { useLayoutEffect, useReducer, useSyncExternalStore } from "react";
import type { Paint } from "../../output/paint.ts";
import { type FooterState, footerLines } from "./footer-lines.ts";

interface KeysParts {
  /** Both are terminals. */
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly paint: Paint;
  readonly start: FooterState;
  /** Runs for each key that is pressed, such as `g` or `ctrl-c`. */
  readonly onKey: (key: string) => void;
}

/** Lines at the bottom of the terminal that stay there while others are written above them. */
export interface KeysScreen {
  /** Writes whole lines above. */
  readonly write: (text: string) => void;
  readonly change: (changes: Partial<FooterState>) => void;
  /** Clears the terminal. */
  readonly clear: () => void;
  /** Removes the lines, and gives the keyboard back. */
  readonly end: () => Promise<void>;
}

/** Erases the screen and what can be scrolled back to. */
const ERASE = "\u001b[2J\u001b[3J\u001b[H";
/** Ink ends every picture with a new line, even an empty one. */
const UP = "\u001b[A";

/** Shows the footer, and takes keys. */
export function showKeys({ stdin, stdout, paint, start, onKey }: KeysParts): KeysScreen {
  const store = createStore(start);
  const sink: Sink = { write: (text) => stdout.write(text) };
  const app = render(<Footer store={store} stdout={stdout} paint={paint} sink={sink} onKey={onKey} />, {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return {
    write: (text) => sink.write(text),
    change: store.change,
    clear: () => {
      app.clear();
      sink.write(ERASE);
    },
    end: async () => {
      // Ink draws what it has not drawn yet before it ends, so that it must have nothing to draw.
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

function Footer({ store, stdout, paint, sink, onKey }: FooterProps) {
  const state = useSyncExternalStore(store.subscribe, store.state);
  const { write } = useStdout();
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    // Ink takes its lines away, writes, and draws them again.
    sink.write = write;
    stdout.on("resize", draw);
    return () => {
      stdout.off("resize", draw);
    };
  }, [sink, write, stdout]);
  useInput((input, key) => {
    if (key.ctrl) return onKey(`ctrl-${input}`);
    for (const character of input) onKey(character.toLowerCase());
  });
  return <Text>{footerLines(state, Math.max(1, (stdout.columns || 80) - 1), paint).join("\n")}</Text>;
}
