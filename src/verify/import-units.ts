import type { Unit, Verification } from "./unit.ts";

/** The units of area `import`. */
export function importUnits(_verification: Verification): Unit[] {
  return [];
}
