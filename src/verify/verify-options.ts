import type { OptionsOf } from "../action/define-action.ts";
import { InvalidFlagError, milliseconds, repeated, wholeNumberBetween } from "../action/flags.ts";
import type { CheckEvent } from "./check-event.ts";

/** Options of `verify()`. */
export interface VerifyOptions {
  /** Ids, areas or patterns (`guard.token.*`) of the checks to run; default all. */
  readonly only?: readonly string[] | undefined;
  /** Ids, areas or patterns of the checks to skip. */
  readonly skip?: readonly string[] | undefined;
  /** Keys of the modules to verify; default all, and what belongs to no module. */
  readonly modules?: readonly string[] | undefined;
  /** Seed of the order of the checks, and of everything random; default a new one for each run. */
  readonly seed?: number | undefined;
  /** Modules verified in parallel; default 4. With more than 1, a slow app gets several requests for a module at once. */
  readonly jobs?: number | undefined;
  /** Whether to run checks that wait for a time limit or may lock users out; default false. */
  readonly slow?: boolean | undefined;
  /** How many cases each random check tries; default: random checks do not run. */
  readonly fuzz?: number | undefined;
  /** Folder for the smallest random case of each failed check; default: they are not saved. */
  readonly found?: string | undefined;
  /** Whether to end the run at the first check that fails; default false. */
  readonly bail?: boolean | undefined;
  /** The mildest result that fails the run; default `fail`. */
  readonly failOn?: "fail" | "warn" | undefined;
  /** Whether a run passes despite inconclusive checks; default false. */
  readonly allowInconclusive?: boolean | undefined;
  /** Time limit for the whole run in milliseconds, after which it fails; default none. */
  readonly timeout?: number | undefined;
  /** How often to run every check; one with different results is flaky. Default once. */
  readonly repeat?: number | undefined;
  /** File with known findings, which do not fail the run until their last day. */
  readonly baseline?: string | undefined;
  /** Whether to write the findings to that file; default false. */
  readonly updateBaseline?: boolean | undefined;
  /** Milliseconds to wait for an app that a check brought down to be started again; default 5000. */
  readonly wait?: number | undefined;
  /** Whether to verify apps at public addresses; default false. */
  readonly allowPublic?: boolean | undefined;
  /** Called when checks start and end. */
  readonly onCheck?: ((event: CheckEvent) => void) | undefined;
}

const levels = ["fail", "warn"] as const;

/** Definitions of {@link VerifyOptions}. */
export const verifyOptions: OptionsOf<VerifyOptions> = {
  only: {
    flag: "--only <ids>",
    help: "run only these checks: ids, areas or patterns such as guard.token.*, separated by commas",
    read: listed,
    schema: (z) => z.array(z.string()).readonly(),
  },
  skip: {
    flag: "--skip <ids>",
    help: "skip these checks: ids, areas or patterns, separated by commas",
    read: listed,
    schema: (z) => z.array(z.string()).readonly(),
  },
  modules: {
    flag: "--module <key...>",
    help: "verify only these modules, by key (default: all modules, and checks that belong to no module)",
    schema: (z) => z.array(z.string()).readonly(),
  },
  seed: {
    flag: "--seed <n>",
    help: "seed for the order of the checks and for random cases (default: a new one)",
    read: wholeNumberBetween(0, 2 ** 31 - 1),
    schema: (z) => z.int().min(0),
  },
  jobs: {
    flag: "--jobs <n>",
    help: "number of modules to verify at the same time (default: 4); with 1, one request after another",
    read: wholeNumberBetween(1, 64),
    schema: (z) => z.int().min(1).max(64),
  },
  slow: {
    flag: "--slow",
    help: "also run the checks that wait for a time limit or may lock users out",
    schema: (z) => z.boolean(),
  },
  fuzz: {
    flag: "--fuzz <n>",
    help: "also run the checks with random jobs, deliveries and logins, n cases each; a failing case is shrunk, shown and saved in app-sim-found",
    read: wholeNumberBetween(1, 100_000),
    schema: (z) => z.int().min(1).max(100_000),
  },
  found: {
    help: "folder for the smallest random case of each failed check",
    schema: (z) => z.string().min(1),
  },
  bail: { flag: "--bail", help: "end the run at the first check that fails", schema: (z) => z.boolean() },
  failOn: {
    flag: "--fail-on <result>",
    help: "lowest severity that fails the run (default: fail)",
    oneOf: levels,
    schema: (z) => z.enum(levels),
  },
  allowInconclusive: {
    flag: "--allow-inconclusive",
    help: "do not fail on inconclusive checks, for which the app did not accept the correct request",
    schema: (z) => z.boolean(),
  },
  timeout: {
    flag: "--timeout <duration>",
    help: "fail if the whole run takes longer than this, such as 2m; a plain number means seconds",
    read: milliseconds,
    schema: (z) => z.number("expected a number of milliseconds").positive(),
  },
  repeat: {
    flag: "--repeat <n>",
    help: "run every check n times, and list those whose results differ",
    read: wholeNumberBetween(1, 1000),
    schema: (z) => z.int().min(1).max(1000),
  },
  baseline: {
    flag: "--baseline <file>",
    help: "file with known findings, which do not fail the run until their last day",
    schema: (z) => z.string().min(1),
  },
  updateBaseline: {
    flag: "--update-baseline",
    help: "write the current findings to that file",
    schema: (z) => z.boolean(),
  },
  wait: {
    help: "milliseconds to wait for an app that went down",
    schema: (z) => z.number().min(0),
  },
  allowPublic: {
    flag: "--allow-public",
    help: "also verify an app at a public address, which must be yours",
    schema: (z) => z.boolean(),
  },
  onCheck: {
    help: "called when a check starts or ends",
    schema: (z) => z.custom<(event: CheckEvent) => void>((value) => typeof value === "function", "expected a function"),
  },
};

function listed(text: string, earlier: readonly string[] | undefined): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes(""))
    throw new InvalidFlagError("Expected ids separated by commas, such as guard,webhook.signature.");
  return names.reduce<string[]>((list, name) => repeated(name, list), [...(earlier ?? [])]);
}
