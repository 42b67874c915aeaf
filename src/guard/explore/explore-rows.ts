import { type LoginRow, loginTable } from "../rules/login-table.ts";
import { type GuardExploration, rowsOf } from "./explore-guard.ts";
import type { ExploredRow, RowEvidence } from "./explore-result.ts";

/** The row that an app breaks which lets somebody in for a code that it never issued. */
const refusal = loginTable.find(
  ({ state, next }) => state === "awaiting final verification" && next === "access denied",
);

export const ACCEPTED_MADE_UP_CODE =
  "it let somebody in for a code that it never issued: the final call must be denied unless its code is the app's own";

/**
 * Every row of the table of interface 3.1, with what the explorations of all guards showed of it.
 * @param none why there is no guard of a type, for example "the manifest declares no redirect guard"
 */
export function exploredRows(
  explorations: readonly GuardExploration[],
  none: (types: string) => string,
): ExploredRow[] {
  return loginTable.map((row) => {
    const able = explorations.filter(({ guard }) => rowsOf(guard.type).includes(row));
    if (able.length === 0)
      return { ...row, status: "not-possible", why: none(row.type ?? "redirect or frame"), evidence: [] };
    const status = statusOf(row, able);
    const evidence = able.flatMap((exploration) => evidenceOf(row, status, exploration) ?? []);
    return { ...row, status, why: whyOf(row, able), evidence };
  });
}

function statusOf(row: LoginRow, able: readonly GuardExploration[]): ExploredRow["status"] {
  if (able.some((exploration) => isBroken(row, exploration))) return "failed";
  if (able.some(({ seen }) => seen.has(row.row))) return "seen";
  return able.some(({ missing }) => missing.get(row.row)?.failed) ? "failed" : "not-seen";
}

function isBroken(row: LoginRow, { acceptedMadeUpCode }: GuardExploration): boolean {
  return row === refusal && acceptedMadeUpCode !== null;
}

/** The login by which a guard took the row, or by which the row failed. */
function evidenceOf(
  row: LoginRow,
  status: ExploredRow["status"],
  exploration: GuardExploration,
): RowEvidence | null | undefined {
  const { acceptedMadeUpCode, seen, missing, failed } = exploration;
  if (isBroken(row, exploration)) return acceptedMadeUpCode;
  return seen.get(row.row) ?? (status === "failed" && missing.get(row.row)?.failed ? failed : null);
}

/** Guards that share a reason are named together. */
function whyOf(row: LoginRow, able: readonly GuardExploration[]): string | null {
  const guards = new Map<string, string[]>();
  for (const exploration of able) {
    const why = isBroken(row, exploration) ? ACCEPTED_MADE_UP_CODE : exploration.missing.get(row.row)?.why;
    if (why !== undefined) guards.set(why, [...(guards.get(why) ?? []), exploration.guard.module]);
  }
  const texts = [...guards].map(([why, modules]) => `${modules.join(", ")}: ${why}`);
  return texts.length === 0 ? null : texts.join("; ");
}
