import { harmlessLine } from "../protocol/harmless.ts";
import { fold, indent } from "./layout.ts";

const FURTHER_LINES = 2;

/** Where messages go. */
interface Stderr {
  readonly err: (text: string) => void;
  /** Columns of the terminal; Infinity if there is none. */
  readonly errWidth: () => number;
}

/** Prints a message to stderr; on a terminal folded between words, with further lines indented. */
export function tell({ err, errWidth }: Stderr, text: string): void {
  err(messageText(errWidth(), text));
}

/** Where warnings go, and who else receives them. */
interface WarnedStderr extends Stderr {
  readonly onWarning?: (warning: string) => void;
}

/** Prints a warning to stderr, in addition to the result. */
export function tellWarning(to: WarnedStderr, warning: string): void {
  to.onWarning?.(warning);
  tell(to, `warning: ${warning}`);
}

/** The message as text, ending with a line feed. */
export function messageText(width: number, text: string): string {
  const [first = "", ...rest] = fold(harmlessLine(text), width - FURTHER_LINES);
  return `${[first, ...indent(rest, FURTHER_LINES)].join("\n")}\n`;
}
