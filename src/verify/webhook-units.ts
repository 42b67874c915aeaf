import type { Unit, Verification } from "./unit.ts";

/** The units of area `webhook`. */
export function webhookUnits(_verification: Verification): Unit[] {
  return [];
}
