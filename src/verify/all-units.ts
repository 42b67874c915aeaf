import { guardUnits } from "./guard-units.ts";
import { importUnits } from "./import-units.ts";
import { manifestUnits } from "./manifest-units.ts";
import { oauthUnits } from "./oauth-units.ts";
import { pageUnits } from "./page-units.ts";
import type { Unit, Verification } from "./unit.ts";
import { webhookUnits } from "./webhook-units.ts";

/** Everything of the apps that has a check to run, of the modules that are wanted. */
export function allUnits(verification: Verification, modules: readonly string[] | null): Unit[] {
  return [manifestUnits, guardUnits, pageUnits, importUnits, webhookUnits, oauthUnits]
    .flatMap((unitsOf) => unitsOf(verification))
    .filter(({ module, checks }) => checks.length > 0 && (modules === null || modules.includes(module ?? "")));
}
