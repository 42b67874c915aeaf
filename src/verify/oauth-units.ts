import type { Unit, Verification } from "./unit.ts";

/** The units of area `oauth`. */
export function oauthUnits(_verification: Verification): Unit[] {
  return [];
}
