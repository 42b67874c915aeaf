import type { Unit, Verification } from "./unit.ts";

/** The units of area `manifest`. */
export function manifestUnits(_verification: Verification): Unit[] {
  return [];
}
