import type { GuardType } from "../../platform/manifest.ts";
import type { LoginEvent, LoginState } from "./login.ts";

/** One row of the table of interface 3.1. */
export interface LoginRow {
  /** Its place in the table, from 1. */
  readonly row: number;
  /** The guard type that the row is about; null: either of those with an interaction. */
  readonly type: GuardType | null;
  readonly state: "pending" | "awaiting user" | "awaiting final verification";
  readonly trigger: string;
  readonly next: "module passed" | "access denied" | "awaiting user" | "awaiting final verification";
}

/** The table of interface 3.1, row by row. */
export const loginTable: readonly LoginRow[] = [
  { row: 1, type: "direct", state: "pending", trigger: "success true", next: "module passed" },
  { row: 2, type: "direct", state: "pending", trigger: "success false", next: "access denied" },
  { row: 3, type: "redirect", state: "pending", trigger: "success false", next: "awaiting user" },
  { row: 4, type: "redirect", state: "pending", trigger: "success true", next: "module passed" },
  {
    row: 5,
    type: "redirect",
    state: "awaiting user",
    trigger: "callback with code",
    next: "awaiting final verification",
  },
  { row: 6, type: "redirect", state: "awaiting user", trigger: "callback with error", next: "access denied" },
  { row: 7, type: "frame", state: "pending", trigger: "success false", next: "awaiting user" },
  {
    row: 8,
    type: "frame",
    state: "awaiting user",
    trigger: "AP.verifyAuth({ code })",
    next: "awaiting final verification",
  },
  { row: 9, type: "frame", state: "awaiting user", trigger: "AP.verifyAuth({ error })", next: "access denied" },
  { row: 10, type: null, state: "awaiting final verification", trigger: "success true", next: "module passed" },
  { row: 11, type: null, state: "awaiting final verification", trigger: "success false", next: "access denied" },
];

/**
 * The row of interface 3.1 that an event takes in a state, or null: the table has none for the plain stages, for
 * a call that failed, and for a frame guard that is passed at once.
 */
export function rowOf(state: LoginState, event: LoginEvent): number | null {
  if (state.at !== "verifying" && state.at !== "awaiting-user" && state.at !== "verifying-final") return null;
  if (!("guard" in event) || event.guard !== state.guard) return null;
  const type = state.plan.guards[state.guard]?.type;
  const stateName = {
    verifying: "pending",
    "awaiting-user": "awaiting user",
    "verifying-final": "awaiting final verification",
  }[state.at];
  const trigger = triggerOf(event, type);
  return (
    loginTable.find(
      (row) => row.state === stateName && row.trigger === trigger && (row.type === null || row.type === type),
    )?.row ?? null
  );
}

function triggerOf(event: LoginEvent, type: GuardType | undefined): string | null {
  switch (event.type) {
    case "guard-answered":
      return `success ${event.success}`;
    case "user-returned":
      return type === "frame" ? "AP.verifyAuth({ code })" : "callback with code";
    case "user-failed":
      return type === "frame" ? "AP.verifyAuth({ error })" : "callback with error";
    default:
      return null;
  }
}
