import type { Unit, Verification } from "../checking/unit.ts";
import { fuzzUnits } from "../fuzz-checks/units.ts";
import { pageUnits } from "../guard-checks/pages/units.ts";
import { guardUnits } from "../guard-checks/units.ts";
import { importUnits } from "../import-checks/units.ts";
import { manifestUnits } from "../manifest-checks/units.ts";
import { oauthUnits } from "../oauth-checks/units.ts";
import { webhookUnits } from "../webhook-checks/units.ts";
import { unusableUnits } from "./unusable-units.ts";

/** Every part of the apps with a check to run, limited to the selected modules. */
export function allUnits(verification: Verification, modules: readonly string[] | null): Unit[] {
  return [manifestUnits, guardUnits, pageUnits, importUnits, webhookUnits, oauthUnits, fuzzUnits, unusableUnits]
    .flatMap((unitsOf) => unitsOf(verification))
    .filter(({ module, checks }) => checks.length > 0 && (modules === null || modules.includes(module ?? "")));
}
