import type { CheckResult, CoverageRow } from "../../checking/verify-result.ts";
import type { LoginRow } from "../../guard/rules/login-table.ts";
import type { GuardType } from "../../platform/manifest.ts";
import { interfaceRows } from "./coverage-rows.ts";
import { isSelected } from "./select.ts";

/** What a run saw of logins (interface 3.1). */
export interface SeenLogins {
  /** Types of the guards that the manifests declare. */
  readonly types: ReadonlySet<GuardType>;
  /** Rows of the table that were taken. */
  readonly rows: ReadonlySet<LoginRow>;
}

/**
 * Which rows of the interface's tables a run exercised: a row is exercised if one of its checks reached a verdict, a
 * login row if the app took it.
 */
export function coverageOf(checks: readonly CheckResult[], logins: SeenLogins): CoverageRow[] {
  return interfaceRows.map(({ section, row, checks: only, login }) => {
    const about = checks.filter(({ id }) => isSelected({ only, skip: [] }, id));
    const judged = about.filter(({ result }) => result !== "skip" && result !== "inconclusive");
    const ids = [...new Set(judged.map(({ id }) => id))];
    if (login === undefined ? ids.length > 0 : logins.rows.has(login))
      return { section, row, result: "exercised", checks: ids, reason: null };
    const other = about.find((check) => check.reason !== null)?.reason ?? "no check for it was selected";
    const reason = login === undefined ? other : (whyNotTaken(login, logins.types) ?? other);
    return { section, row, result: "not-exercised", checks: [], reason };
  });
}

/** Why no login took a row; null: the reasons of its checks explain it. */
function whyNotTaken({ type, state, trigger }: LoginRow, types: SeenLogins["types"]): string | null {
  const isDeclared = type === null ? types.has("redirect") || types.has("frame") : types.has(type);
  if (!isDeclared) return `the manifest declares no ${type ?? "redirect or frame"} guard`;
  if (state !== "pending") return null;
  return trigger === "success true"
    ? `no ${type} guard let anybody in on the first call: name somebody in verify.guards.KEY.lets`
    : `no ${type} guard denied anybody on the first call: name somebody in verify.guards.KEY.denies`;
}
