import { Writable } from "node:stream";

/**
 * The terminal as Ink sees it: as wide as it is, and higher than anything that is drawn. What is as high as the
 * terminal, Ink would draw by erasing what can be scrolled back to, which is the user's own.
 */
export class Canvas extends Writable {
  readonly isTTY = true;
  readonly rows = Number.POSITIVE_INFINITY;
  readonly #terminal: NodeJS.WriteStream;

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  get columns(): number {
    return sizeOf(this.#terminal).cols;
  }

  override _write(text: string, _encoding: string, done: () => void): void {
    this.#terminal.write(text);
    // The terminal keeps the order; what waited here would be lost where the process ends at once.
    done();
  }
}

/** What can be drawn on: the cursor stands in a row of its own, the last. */
export function sizeOf({ columns, rows }: NodeJS.WriteStream): { readonly cols: number; readonly rows: number } {
  // Some terminals say 0 until they know.
  return { cols: columns || 80, rows: (rows || 24) - 1 };
}
