import type { Paint } from "./paint.ts";

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
  return lines.map((line) => " ".repeat(by) + line);
}

/** The choices that a result relied on. */
export function choicesLine(choices: readonly string[], paint: Paint): string[] {
  return choices.length === 0 ? [] : [paint.quiet(`relied on the choices ${choices.join(", ")} (see app-sim choices)`)];
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Columns as wide as their widest cell, two spaces apart; the last one is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
