import { withHintShown } from "../protocol/hint-shown.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { type ContractOptions, planContract, type TestEnd } from "./contract.ts";

type Register = (name: string, run: () => void | Promise<void>, timeoutMs?: number) => unknown;

/** The test runner of the app: `describe` and `test` of node:test, or of Jest. */
export interface TestRunner {
  /** Groups the tests that are registered in its function. */
  readonly describe: (name: string, register: () => void) => unknown;
  /** Registers one test. */
  readonly test: Register;
}

/** The whole run has to be over before the first test can end. */
export const CONTRACT_TIMEOUT_MS = 600_000;

/**
 * Registers every check as a test of its own. Checks that cannot be run are skipped if the runner lets a running test
 * do that (node:test); elsewhere (Jest) they pass.
 *
 * ```js
 * import { describe, test } from "node:test";
 * import { describeContract } from "app-sim/testing";
 *
 * describeContract({ describe, test }, { app: { url: "http://127.0.0.1:3000" } });
 * ```
 * @throws UsageError for a name that selects no check
 */
export function describeContractWith(runner: TestRunner, options: ContractOptions): void {
  const { describe, test, contract } = withHintShown(describeContractWith, () => ({
    ...checkedRunner(runner),
    contract: planContract(options),
  }));
  // Without a declared parameter, which Jest would take for a callback.
  const register = (name: string, endOf: () => Promise<TestEnd>) =>
    test(
      name,
      async (...given: readonly unknown[]) => {
        const end = await endOf();
        if (end.result === "failed") throw new Error(end.message);
        if (end.result === "skipped") (given[0] as { skip?: (reason: string) => void } | undefined)?.skip?.(end.reason);
      },
      CONTRACT_TIMEOUT_MS,
    );
  describe("the contract of the app", () => {
    register("the run is completed", contract.endOfRun);
    for (const { area, tests } of contract.groups) {
      describe(area, () => {
        for (const { id, name } of tests) register(name, () => contract.endOf(id));
      });
    }
  });
}

/** @throws UsageError if the options come first: with Vitest they do, because `app-sim/vitest` has its own function */
function checkedRunner(runner: Partial<TestRunner> | undefined): TestRunner {
  const { describe, test } = runner ?? {};
  if (typeof describe === "function" && typeof test === "function") return { describe, test };
  throw new UsageError(
    "input-invalid",
    "describeContract(): the first argument has to be { describe, test } of your test runner",
    'describeContract({ describe, test }, { app: { url: "http://127.0.0.1:3000" } }); with Vitest, import it from app-sim/vitest',
  );
}
