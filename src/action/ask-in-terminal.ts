import { createInterface } from "node:readline/promises";
import type { Invocation } from "./invocation.ts";

/** Asks a person at a terminal. */
export interface Questions extends Disposable {
  /** The answer in lower case, without surrounding spaces; null for Ctrl-C or Ctrl-D, now or before. */
  ask(question: string): Promise<string | null>;
}

/** Reads lines from a terminal until it is disposed of. */
export function askInTerminal(terminal: NonNullable<Invocation["terminal"]>, signal: AbortSignal): Questions {
  // The terminal itself edits the line, so that Ctrl-C stays a signal.
  const lines = createInterface({ input: terminal.stdin, output: terminal.stdout, terminal: false });
  const closed = new AbortController();
  lines.once("close", () => closed.abort());
  return {
    ask: async (question) => {
      const text = await lines
        .question(question, { signal: AbortSignal.any([signal, closed.signal]) })
        .catch(() => null);
      return text === null ? null : text.trim().toLowerCase();
    },
    [Symbol.dispose]: () => lines.close(),
  };
}
