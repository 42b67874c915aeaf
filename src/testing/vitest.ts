import { describe, test } from "vitest";
import { withHintShown } from "../protocol/hint-shown.ts";
import type { VerifyOptions } from "../verify/verify-options.ts";
import { type ContractOptions, planContract, type TestEnd } from "./contract.ts";
import { CONTRACT_TIMEOUT_MS } from "./describe-contract.ts";

export type { ContractOptions, StopApp } from "./contract.ts";
export { contractMatchers, type MatcherEnd } from "./matchers.ts";

/** The matchers of `contractMatchers`, as `expect()` has them. */
export interface ContractMatchers<R = unknown> {
  /** The login of `sim.guard()` ended with access. */
  toBeGranted(): R;
  /** The guard with this key denied the login of `sim.guard()`. */
  toBeDeniedBy(module: string): R;
  /** Every delivery of `sim.webhook()` was answered with 2XX. */
  toBeAcknowledged(): R;
  /** Every job of `sim.postImport()` was imported, and the answers conform to the interface. */
  toHaveImported(): R;
  /** The app checks what it must (`sim.verify()`). */
  toHonourTheContract(options?: VerifyOptions): Promise<R>;
}

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of a merged interface have to be the same
  interface Matchers<T = any> extends ContractMatchers<T> {}
}

interface TestTask {
  readonly name: string;
  readonly mode: string;
  readonly suite?: TestTask | undefined;
  readonly tasks?: readonly TestTask[];
}

/**
 * Registers every check as a test of its own in a Vitest suite, so that its reporters, filters and watch mode work:
 * only the checks of tests that Vitest runs are run.
 *
 * ```ts
 * import { describeContract } from "app-sim/vitest";
 *
 * describeContract({ app: { url: "http://127.0.0.1:3000" } });
 * ```
 * @throws UsageError for a name that selects no check
 */
export function describeContract(options: ContractOptions): void {
  const contract = withHintShown(describeContract, () => planContract(options));
  const tests = contract.groups.flatMap((group) => group.tests);
  const register = (testName: string, endOf: () => Promise<TestEnd>) =>
    test(testName, { timeout: CONTRACT_TIMEOUT_MS }, async ({ task, skip }) => {
      const names = new Set(namesToRun(outermost(task)));
      const ids = tests.filter(({ name }) => names.has(name)).map(({ id }) => id);
      if (ids.length > 0) contract.begin(ids);
      const end = await endOf();
      if (end.result === "failed") throw new Error(end.message);
      if (end.result === "skipped") skip(end.reason);
    });
  describe("the contract of the app", () => {
    register("the run is completed", contract.endOfRun);
    for (const group of contract.groups) {
      describe(group.area, () => {
        for (const { id, name } of group.tests) register(name, () => contract.endOf(id));
      });
    }
  });
}

function outermost(task: TestTask): TestTask {
  return task.suite === undefined ? task : outermost(task.suite);
}

/** The names of the tests in a suite that no filter excludes. */
function namesToRun(suite: TestTask): readonly string[] {
  if (suite.mode === "skip" || suite.mode === "todo") return [];
  return suite.tasks === undefined ? [suite.name] : suite.tasks.flatMap(namesToRun);
}
