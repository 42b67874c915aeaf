import type { GuardType } from "../../platform/manifest.ts";
import type { LoginEvent, LoginState } from "./login.ts";

/** One row of the table of interface 3.1. */
export interface LoginRow {
  /** Its row number in the table, from 1. */
  readonly row: number;
  /** The guard type of the row; null: either of those with an interaction. */
  readonly type: GuardType | null;
  readonly state: "pending" | "awaiting user" | "awaiting final verification";
  readonly trigger: string;
  readonly next: "module passed" | "access denied" | "awaiting user" | "awaiting final verification";
}

const rows = [
  ["direct", "pending", "success true", "module passed"],
  ["direct", "pending", "success false", "access denied"],
  ["redirect", "pending", "success false", "awaiting user"],
  ["redirect", "pending", "success true", "module passed"],
  ["redirect", "awaiting user", "callback with code", "awaiting final verification"],
  ["redirect", "awaiting user", "callback with error", "access denied"],
  ["frame", "pending", "success false", "awaiting user"],
  ["frame", "awaiting user", "AP.verifyAuth({ code })", "awaiting final verification"],
  ["frame", "awaiting user", "AP.verifyAuth({ error })", "access denied"],
  [null, "awaiting final verification", "success true", "module passed"],
  [null, "awaiting final verification", "success false", "access denied"],
] as const;

/** The row in which the final call is answered with `success: true`. */
export const ACCEPTED_CODE = 10;
/** The row in which the final call is answered with `success: false`. */
export const REFUSED_CODE = 11;

/** The table of interface 3.1, row by row. */
export const loginTable: readonly LoginRow[] = rows.map(([type, state, trigger, next], index) => {
  return { row: index + 1, type, state, trigger, next };
});

const stateNames: Partial<Record<LoginState["at"], LoginRow["state"]>> = {
  verifying: "pending",
  "awaiting-user": "awaiting user",
  "verifying-final": "awaiting final verification",
};

/**
 * The row of interface 3.1 for an event in a state; null: the table has none for the plain stages, for a call that
 * failed, or for a frame guard that is passed immediately.
 */
export function rowOf(state: LoginState, event: LoginEvent): number | null {
  if (!("guard" in event) || !("guard" in state) || event.guard !== state.guard) return null;
  const type = state.plan.guards[event.guard]?.type;
  const stateName = stateNames[state.at];
  const trigger = triggerOf(event, type);
  const isTaken = (row: LoginRow) =>
    row.state === stateName && row.trigger === trigger && (row.type === null || row.type === type);
  return loginTable.find(isTaken)?.row ?? null;
}

function triggerOf(event: LoginEvent, type: GuardType | undefined): string | null {
  if (event.type === "guard-answered") return `success ${event.success}`;
  if (event.type !== "user-returned" && event.type !== "user-failed") return null;
  const part = event.type === "user-returned" ? "code" : "error";
  return type === "frame" ? `AP.verifyAuth({ ${part} })` : `callback with ${part}`;
}
