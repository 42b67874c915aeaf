import type { CheckFacts } from "../checking/check.ts";
import type { Unit, Verification } from "../checking/unit.ts";
import { installedGuards } from "../guard-checks/units.ts";
import { installedImports } from "../import-checks/units.ts";
import { installedWebhooks } from "../webhook-checks/units.ts";
import { randomDeliveries, randomImports, randomLogins } from "./checks.ts";

/** The units of checks with random requests: one for each module. What makes the requests is loaded when one runs. */
export function fuzzUnits(verification: Verification): Unit[] {
  const wanted = (facts: Readonly<Record<string, CheckFacts>>) => Object.values(facts).filter(verification.wants);
  const load = async () => (await import("./run/modules.ts")).fuzzModules;
  return [
    ...installedImports(verification).map((imported) => ({
      module: imported.module.key,
      checks: wanted(randomImports),
      run: async () => (await load()).fuzzImport(verification, imported),
    })),
    ...installedWebhooks(verification).map((webhook) => ({
      module: webhook.module.key,
      checks: wanted(randomDeliveries),
      run: async () => (await load()).fuzzWebhook(verification, webhook),
    })),
    ...installedGuards(verification).map((guard) => ({
      module: guard.module.key,
      checks: wanted(randomLogins),
      run: async () => (await load()).fuzzGuard(verification, guard),
    })),
  ];
}
