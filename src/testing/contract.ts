import type { Area, CheckFacts } from "../checking/check.ts";
import type { CheckResult, VerifyResult } from "../checking/verify-result.ts";
import { Redactor } from "../journal/redact.ts";
import type { SimulatorFace, SimulatorOptions } from "../platform/simulator-options.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { withHintShown } from "../protocol/hint-shown.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { RunningPlatform } from "../start-platform.ts";
import { allChecks } from "../verify/checks.ts";
import { IF_KEPT, plainFinding } from "../verify/report/plain-finding.ts";
import { flagNeeded, isSelected, requireKnown } from "../verify/rules/select.ts";
import type { VerifyOptions } from "../verify/verify-options.ts";
import { startAppBy } from "./start-app.ts";

/** Stops the app again. */
export type StopApp = () => void | Promise<void>;

/** The app to verify, and how: the options of `startSimulator()`, and those of `verify()` as `checks`. */
export interface ContractOptions extends SimulatorOptions {
  /** Which checks become tests, and how they run; default all. */
  readonly checks?: VerifyOptions;
  /**
   * Starts the app, which has to listen at `app.url`; default: it is running already. A string is a shell command line,
   * such as `npm start`: it gets the variables of `app-sim env`, has a minute to listen, and is ended after the last
   * check.
   * @param platform with its address, the variables that the app needs, and its secrets in the configuration
   * @returns a function that stops the app after the last check
   */
  readonly start?:
    | string
    | ((
        platform: Pick<SimulatorFace, "url" | "config" | "env" | "waitForApp">,
      ) => StopApp | Promise<StopApp | undefined> | undefined);
}

/** A check as a test in the app's own suite. */
interface ContractTest {
  readonly id: string;
  /** Id and title: what a correct app does. */
  readonly name: string;
}

/** The tests of an area. */
export interface ContractGroup {
  readonly area: Area;
  readonly tests: readonly ContractTest[];
}

/** How a check ended, for a test. */
export type TestEnd =
  | { readonly result: "passed" }
  | { readonly result: "skipped"; readonly reason: string }
  | { readonly result: "failed"; readonly message: string };

/** The contract of an app: one run of `verify`, from which each test takes its own result. */
export interface Contract {
  readonly groups: readonly ContractGroup[];
  /** Begins the run with only these checks; later calls change nothing. */
  begin(ids: readonly string[]): void;
  /**
   * How a check ended across all modules, once the run is over. If there is no run, because the app or the platform did
   * not start, only the first test that asks reports it; all others are skipped.
   */
  endOf(id: string): Promise<TestEnd>;
  /** Whether the run itself was completed. */
  endOfRun(): Promise<TestEnd>;
}

/**
 * Plans the tests of an app's contract. Nothing is started before the first of them asks for its result.
 * @throws UsageError for a name that selects no check
 */
export function planContract(options: ContractOptions): Contract {
  if (typeof options !== "object" || options === null) throw noOptions(options);
  const { only = [], skip = [] } = options.checks ?? {};
  requireKnown(allChecks, { only, skip });
  const wanted = (check: CheckFacts) =>
    isSelected({ only, skip }, check.id) && flagNeeded(check, options.checks ?? {}) === null;
  const checks = allChecks.filter(wanted);
  const areas = [...new Set(checks.map(({ area }) => area))];
  const run: { result: Promise<JudgedRun> | null } = { result: null };
  const begin = (ids: readonly string[]): Promise<JudgedRun> => {
    run.result ??= withHintShown(begin, () => runContract(options, ids));
    // The first test that asks reports why the run failed.
    run.result.catch(() => {});
    return run.result;
  };
  const ended = () => begin(checks.map(({ id }) => id));
  // If the runner retries a test, the same one fails again.
  const failing: { test: string | null } = { test: null };
  const endOf = (test: string, judge: (made: JudgedRun) => TestEnd): Promise<TestEnd> =>
    ended().then(judge, (error: unknown) => {
      failing.test ??= test;
      if (failing.test === test) throw error;
      return { result: "skipped", reason: "no check was run: the first failed test says why" };
    });
  return {
    groups: areas.map((area) => ({
      area,
      tests: checks.filter((check) => check.area === area).map(({ id, title }) => ({ id, name: `${id}: ${title}` })),
    })),
    begin: (ids) => void begin(ids),
    endOf: (id) => endOf(id, (made) => endOfCheck(made, id, options.checks?.failOn === "warn")),
    endOfRun: () => endOf("", ({ result }) => endOfAll(result)),
  };
}

function noOptions(options: unknown): UsageError {
  return new UsageError(
    "options-invalid",
    `describeContract(): ${valueText(options)} was given instead of the options`,
    'for example { app: { url: "http://127.0.0.1:3000" } }',
  );
}

interface JudgedRun {
  readonly result: VerifyResult;
  /** The findings as lines, created while the exchanges can still be looked up. */
  readonly messages: ReadonlyMap<CheckResult, string>;
}

async function runContract(options: ContractOptions, ids: readonly string[]): Promise<JudgedRun> {
  const { checks = {}, start, ...simulatorOptions } = options;
  const { startPlatform } = await import("../start-platform.ts");
  await using sim = await startPlatform(simulatorOptions);
  const stop = typeof start === "string" ? await startAppBy(start, sim) : await start?.(sim);
  try {
    const result = await sim.verify({ ...checks, only: ids });
    return { result, messages: messagesOf(sim, result, simulatorOptions.journal === undefined ? IF_KEPT : undefined) };
  } finally {
    await stop?.();
  }
}

function messagesOf(
  sim: RunningPlatform,
  result: VerifyResult,
  shownBy: string | undefined,
): ReadonlyMap<CheckResult, string> {
  const { apps } = sim.config;
  const redactor = new Redactor(apps.flatMap(({ clientSecret, appSecret }) => [clientSecret, appSecret]));
  const find = (id: string) => {
    const record = sim.journal.find(id);
    return record?.type === "exchange" ? record : null;
  };
  const entries = result.checks.map((check) => {
    // The first line is what test runners list: what was found comes first, and is not repeated below.
    const found = `${harmlessLine(check.reason ?? check.title)} (${check.subject})`;
    const facts = plainFinding({ ...check, reason: null }, { find, redactor }, shownBy);
    return [check, [found, ...facts].join("\n")] as const;
  });
  return new Map(entries);
}

function endOfCheck({ result, messages }: JudgedRun, id: string, failsOnWarning: boolean): TestEnd {
  const ofCheck = result.checks.filter((check) => check.id === id);
  const failing = ofCheck.filter(
    ({ result: end, known }) =>
      known === null && (end === "fail" || end === "inconclusive" || (end === "warn" && failsOnWarning)),
  );
  if (failing.length > 0) {
    return { result: "failed", message: failing.map((check) => messages.get(check) ?? check.id).join("\n\n") };
  }
  if (ofCheck.some(({ result: end }) => end !== "skip")) return { result: "passed" };
  const [reason = result.reason ?? "the app has nothing that this check applies to"] = ofCheck.flatMap(
    (check) => check.reason ?? [],
  );
  return { result: "skipped", reason };
}

function endOfAll({ reason, hint }: VerifyResult): TestEnd {
  if (reason === null) return { result: "passed" };
  return { result: "failed", message: hint === null ? reason : `${reason} (${hint})` };
}
