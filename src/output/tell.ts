import { harmlessLine } from "../protocol/harmless.ts";
import type { Invocation } from "./invocation.ts";
import { fold, indent } from "./layout.ts";

const FURTHER_LINES = 2;

/** Says something on stderr; on a terminal broken between words, its further lines indented. */
export function tell({ err, errWidth }: Pick<Invocation, "err" | "errWidth">, text: string): void {
  err(toldIn(errWidth(), text));
}

/** The same as text, which ends with a line feed. */
export function toldIn(width: number, text: string): string {
  const [first = "", ...rest] = fold(harmlessLine(text), width - FURTHER_LINES);
  return `${[first, ...indent(rest, FURTHER_LINES)].join("\n")}\n`;
}
