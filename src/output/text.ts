import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { Paint } from "./paint.ts";

/** An app may give a reason of any length; JSON keeps all of it. */
export const REASON_CHARACTERS = 500;

/** A reason, which may be the app's own words, on one line of a bearable length. */
export function reasonText(reason: string): string {
  return clip(harmlessLine(reason), REASON_CHARACTERS);
}

/** The lines that show the exchange with this id; none where it is not at hand. */
export type ExchangeLines = (id: string) => string[];

/** A sign before a line; the word beside it says the same. */
export function markOf(result: "passed" | "denied" | "skipped" | "needs-user" | "warned", paint: Paint): string {
  switch (result) {
    case "passed":
      return paint.good("✓");
    case "denied":
      return paint.bad("✗");
    case "skipped":
      return paint.quiet("-");
    case "needs-user":
    case "warned":
      return paint.caution("!");
  }
}

export function indent(lines: readonly string[], by: number): string[] {
  return lines.map((line) => (line === "" ? "" : " ".repeat(by) + line));
}

/** What a caller may indent a line by. */
const INDENTED = 4;

/** The choices that a result relied on. */
export function choicesLine(choices: readonly string[], paint: Paint): string[] {
  if (choices.length === 0) return [];
  return wrap(`relied on the choices ${choices.join(", ")} (see app-sim choices)`, paint.width - INDENTED).map((line) =>
    paint.quiet(line),
  );
}

/** Lines of at most so many columns, broken between words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A count and what is counted; `nouns` where that takes more than an s. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : nouns}`;
}

/**
 * Columns as wide as their widest cell, two spaces apart; the last one is not padded, and is cut where it would
 * leave the width.
 */
export function table(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const room = Math.max(20, width - widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? clip(cell, room) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
