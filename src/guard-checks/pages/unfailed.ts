import { checkResult } from "../../checking/check-result.ts";
import type { Verification } from "../../checking/unit.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import type { InstalledGuard } from "../call.ts";
import { howToFail } from "../config-lines.ts";
import { returnedCheck } from "./return/error-checks.ts";
import type { PageWays } from "./walk/ways.ts";

const UNFAILED = "nobody fails the page as configured";

/** The result of the check of a user who fails the page, if nobody can do so as configured; empty: somebody can. */
export function judgeUnfailed(
  { wants }: Verification,
  { module: { key } }: InstalledGuard,
  { failTrouble = null }: PageWays,
): CheckResult[] {
  if (failTrouble === null || !wants(returnedCheck)) return [];
  const verdict = {
    result: "inconclusive",
    reason: `${UNFAILED}: ${failTrouble}`,
    hint: `Fix verify.guards.${key}.fail, or the page. A browser sends no form with an empty required field, unless the button that was pressed has formnovalidate.`,
  } as const;
  return [checkResult({ title: `form of ${key}`, module: key }, returnedCheck, verdict, [])];
}

/** Why no check tries how a user fails the page. */
export function whyNotFailed({ context }: Verification, key: string, { failTrouble = null }: PageWays): string {
  if (failTrouble !== null) return `${UNFAILED}: see ${returnedCheck.id}`;
  if (context.config.verify.guards[key]?.fail === undefined) return `to enable this, ${howToFail(key)}`;
  return `the page has no button that verify.guards.${key}.fail names: choose a radio button or an option with fill`;
}
