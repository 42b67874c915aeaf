import type { ChalkInstance } from "chalk";

/** How a report is drawn: colours, which never carry meaning alone, and how wide a line may be. */
export interface Paint {
  /** Columns of the terminal; Infinity if there is none. */
  readonly width: number;
  readonly hasColor: boolean;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly caution: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly underline: (text: string) => string;
}

/** @param width of a terminal, which may be resized before a report is drawn: a function */
export function paintWith(chalk: ChalkInstance, width: number | (() => number)): Paint {
  return {
    get width() {
      return typeof width === "number" ? width : width();
    },
    hasColor: chalk.level > 0,
    good: chalk.green,
    bad: chalk.red,
    caution: chalk.yellow,
    quiet: chalk.dim,
    strong: chalk.bold,
    underline: chalk.underline,
  };
}

const asItIs = (text: string): string => text;

/** For reports outside a terminal: no colours, no width. */
export const plainPaint: Paint = {
  width: Number.POSITIVE_INFINITY,
  hasColor: false,
  good: asItIs,
  bad: asItIs,
  caution: asItIs,
  quiet: asItIs,
  strong: asItIs,
  underline: asItIs,
};
