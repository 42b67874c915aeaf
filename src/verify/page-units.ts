import type { Unit, Verification } from "./unit.ts";

/** The units of area `page`. */
export function pageUnits(_verification: Verification): Unit[] {
  return [];
}
