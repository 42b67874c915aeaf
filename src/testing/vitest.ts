import { beforeAll, describe, test } from "vitest";
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
  /** Every job of `sim.postImport()` was imported, and the answers keep to the interface. */
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
  readonly tasks?: readonly TestTask[];
}

/**
 * Registers every check as a test of its own in a suite of Vitest, so that its reporters, filters and watch mode work:
 * only the checks of tests that Vitest runs are made.
 *
 * ```ts
 * import { describeContract } from "app-sim/vitest";
 *
 * describeContract({ app: { url: "http://127.0.0.1:3000" } });
 * ```
 * @throws UsageError for a name that selects no check
 */
export function describeContract(options: ContractOptions): void {
  const contract = planContract(options);
  const end = (ended: TestEnd, skip: (reason: string) => void) => {
    if (ended.result === "failed") throw new Error(ended.message);
    if (ended.result === "skipped") skip(ended.reason);
  };
  const register = (name: string, endOf: () => Promise<TestEnd>) =>
    test(name, { timeout: CONTRACT_TIMEOUT_MS }, async (context) => end(await endOf(), context.skip));
  describe("the contract of the app", () => {
    beforeAll((_, suite) => {
      const names = new Set(namesToRun(suite));
      const tests = contract.groups.flatMap((group) => group.tests);
      const ids = tests.filter(({ name }) => names.has(name)).map(({ id }) => id);
      if (ids.length > 0) contract.begin(ids);
    });
    register("the run comes to its end", contract.endOfRun);
    for (const { area, tests } of contract.groups) {
      describe(area, () => {
        for (const { id, name } of tests) register(name, () => contract.endOf(id));
      });
    }
  });
}

/** The names of the tests in a suite that no filter leaves out. */
function namesToRun(suite: TestTask): readonly string[] {
  if (suite.mode === "skip" || suite.mode === "todo") return [];
  return suite.tasks === undefined ? [suite.name] : suite.tasks.flatMap(namesToRun);
}
