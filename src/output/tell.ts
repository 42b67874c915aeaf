import { harmlessLine } from "../protocol/harmless.ts";
import { fold, indent } from "./layout.ts";

const FURTHER_LINES = 2;

/** Where messages go. */
interface Stderr {
  readonly err: (text: string) => void;
  /** Columns of the terminal; Infinity where there is none. */
  readonly errWidth: () => number;
}

/** Says something on stderr; on a terminal broken between words, its further lines indented. */
export function tell({ err, errWidth }: Stderr, text: string): void {
  err(toldIn(errWidth(), text));
}

/** Where warnings go, and who else is told of them. */
interface WarnedStderr extends Stderr {
  readonly onWarning?: (warning: string) => void;
}

/** Says on stderr what the user should know beside the result. */
export function tellWarning(to: WarnedStderr, warning: string): void {
  to.onWarning?.(warning);
  tell(to, `warning: ${warning}`);
}

/** The same as text, which ends with a line feed. */
export function toldIn(width: number, text: string): string {
  const [first = "", ...rest] = fold(harmlessLine(text), width - FURTHER_LINES);
  return `${[first, ...indent(rest, FURTHER_LINES)].join("\n")}\n`;
}
