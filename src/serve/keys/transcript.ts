import { fitLines } from "../../output/fit-lines.ts";
import { columnsOf } from "../../output/layout.ts";

/** A text for a terminal of so many columns; it ends with a line feed. */
export type Drawing = (width: number) => string;

/** More than this fits no screen. */
const MOST = 300;

/** What was written last on a terminal, so that it can be written again where the terminal has another width. */
export class Transcript {
  #drawings: Drawing[] = [];

  /** @param written a text is only folded where it is too wide */
  add(written: Drawing | string): void {
    const drawing =
      typeof written === "string" ? (width: number) => fitLines(written.split("\n"), width).join("\n") : written;
    this.#drawings = [...this.#drawings.slice(1 - MOST), drawing];
  }

  clear(): void {
    this.#drawings = [];
  }

  /** The end of it, in at most so many rows. */
  end(width: number, rows: number): string {
    const lines: string[] = [];
    let room = rows;
    const drawn = this.#drawings.map((drawing) => drawing(width)).join("");
    for (const line of drawn.split("\n").slice(0, -1).reverse()) {
      // An address stays whole, and the terminal breaks it.
      room -= Math.max(1, Math.ceil(columnsOf(line) / width));
      if (room < 0) break;
      lines.unshift(`${line}\n`);
    }
    return lines.join("");
  }
}
