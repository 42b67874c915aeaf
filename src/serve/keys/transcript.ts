import { fitLines } from "../../output/fit-lines.ts";
import { columnsOf } from "../../output/layout.ts";

/** A text for a terminal of a given width; it ends with a line feed. */
export type Drawing = (width: number) => string;

/** No screen has more lines than this. */
const MOST = 300;

/** The latest terminal output, so that it can be drawn again if the terminal's width changes. */
export class Transcript {
  #drawings: Drawing[] = [];

  /** @param written a plain text is only folded if it is too wide */
  add(written: Drawing | string): void {
    const drawing =
      typeof written === "string" ? (width: number) => fitLines(written.split("\n"), width).join("\n") : written;
    this.#drawings = [...this.#drawings.slice(1 - MOST), drawing];
  }

  clear(): void {
    this.#drawings = [];
  }

  /** The end of it, in at most this many rows. */
  end(width: number, rows: number): string {
    const lines: string[] = [];
    let room = rows;
    const drawn = this.#drawings.map((drawing) => drawing(width)).join("");
    for (const line of drawn.split("\n").slice(0, -1).reverse()) {
      // An address is not folded, so the terminal breaks it.
      room -= Math.max(1, Math.ceil(columnsOf(line) / width));
      if (room < 0) break;
      lines.unshift(`${line}\n`);
    }
    return lines.join("");
  }
}
