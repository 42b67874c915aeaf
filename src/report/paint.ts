import type { ChalkInstance } from "chalk";

/** Colours for the parts of a report; meaning never hangs on them alone. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly caution: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly strong: (text: string) => string;
}

export function paintWith(chalk: ChalkInstance): Paint {
  return { good: chalk.green, bad: chalk.red, caution: chalk.yellow, quiet: chalk.dim, strong: chalk.bold };
}
