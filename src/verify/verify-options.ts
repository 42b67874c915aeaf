import type { OptionsOf } from "../action/define-action.ts";
import { InvalidFlagError, repeated } from "../action/flags.ts";

/** Options of `verify()`. */
export interface VerifyOptions {
  /** Ids, areas or patterns (`guard.token.*`) of the checks that run; default all. */
  readonly only?: readonly string[];
  /** Ids, areas or patterns of the checks that do not run. */
  readonly skip?: readonly string[];
  /** Decides in which order the checks run; default a new one for each run. */
  readonly seed?: number;
  /** Modules that are verified side by side; default 4. */
  readonly jobs?: number;
  /** Whether checks run that need a time limit to pass; default false. */
  readonly slow?: boolean;
}

/** Definitions of {@link VerifyOptions}. */
export const verifyOptions: OptionsOf<VerifyOptions> = {
  only: {
    flag: "--only <ids>",
    help: "only these checks: ids, areas or patterns such as guard.token.*, separated by commas",
    read: listed,
    schema: (z) => z.array(z.string()).readonly(),
  },
  skip: {
    flag: "--skip <ids>",
    help: "not these checks: ids, areas or patterns, separated by commas",
    read: listed,
    schema: (z) => z.array(z.string()).readonly(),
  },
  seed: {
    flag: "--seed <n>",
    help: "decides the order of the checks (default: a new one each time)",
    read: wholeNumber,
    schema: (z) => z.int().min(0),
  },
  jobs: {
    flag: "--jobs <n>",
    help: "modules verified side by side (default: 4)",
    read: wholeNumber,
    schema: (z) => z.int().min(1).max(64),
  },
  slow: {
    flag: "--slow",
    help: "run also the checks that need a time limit to pass",
    schema: (z) => z.boolean(),
  },
};

function listed(text: string, earlier: readonly string[] | undefined): string[] {
  return text.split(",").reduce<string[]>((list, name) => repeated(name.trim(), list), [...(earlier ?? [])]);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidFlagError("Expected a whole number, such as 7.");
  return Number(text);
}
