import { NO_PLAYWRIGHT } from "../../browser/chromium.ts";
import { broughtDown } from "../../checking/verdict.ts";
import type { CheckResult, VerifyResult } from "../../checking/verify-result.ts";
import { isOpenGuard } from "../../guard-checks/let-in-checks.ts";
import { fold } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { plural, reasonText } from "../../output/text.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { waitsForFlag } from "../rules/select.ts";
import { MARGIN } from "./finding-text.ts";
import { skippedGroups } from "./groups.ts";

/** The outcome, what it says nothing about, and the numbers in one line. */
export function closingText(result: VerifyResult, paint: Paint): string[] {
  const { outcome, reason, hint, summary, checks } = result;
  const colour = outcome === "passed" ? paint.good : outcome === "failed" ? paint.bad : paint.caution;
  const { warned } = summary;
  const passed = warned === 0 ? "Passed" : `Passed, with ${plural(warned, "warning")}`;
  const word = { passed, failed: "Failed", inconclusive: "Inconclusive" }[outcome];
  const why = reason === null ? "" : `: ${reasonText(reason)}`;
  return [
    ...fold([{ text: `${word}${why}`, paint: colour }], paint.width),
    ...(hint === null ? [] : fold(`hint: ${harmlessLine(hint)}`, paint.width, MARGIN)),
    ...unbrowsedText(checks, paint),
    ...(outcome === "passed" ? [...withoutPageText(checks, paint), ...withoutLoginText(checks, paint)] : []),
    ...goneText(checks, paint),
    ...(checks.length === 0 ? [] : fold(endLine(result), paint.width, MARGIN)),
  ];
}

/** The last line of a report: `62 passed, 1 failed; 18.8 s, seed 7`. */
export function endLine(result: Pick<VerifyResult, "summary" | "checks" | "seed">): string {
  const { checks, summary, seed } = result;
  // The seed decides the order of requests; reading a manifest sends none in random order.
  const isByChance = checks.some(({ area, result: end }) => area !== "manifest" && end !== "skip");
  return `${summaryLine(result)}; ${timeText(summary.ms)}${isByChance ? `, seed ${seed}` : ""}`;
}

/** Such as `62 passed, 1 failed, 9 skipped (the guard lets nobody in at the first call); not known whether terms denies anybody`. */
export function summaryLine({ summary, checks }: Pick<VerifyResult, "summary" | "checks">): string {
  const { passed, failed, warned, inconclusive, skipped, known, flaky } = summary;
  const reasons = skippedGroups(checks).map(({ key }) => harmlessLine(key));
  const [only] = reasons;
  const why = only === undefined ? "" : reasons.length === 1 ? ` (${only})` : ` (${reasons.length} reasons)`;
  const counted: readonly (readonly [number, string])[] = [
    [passed, "passed"],
    [failed, "failed"],
    [warned, warned === 1 ? "warning" : "warnings"],
    [inconclusive, "inconclusive"],
    [known, "known"],
    [skipped, `skipped${why}`],
  ];
  const parts = counted.filter(([count, word]) => count > 0 || word === "passed" || word === "failed");
  const flakyPart = flaky === 0 ? "" : ` (${flaky} flaky)`;
  return parts.map(([count, word]) => `${count} ${word}`).join(", ") + flakyPart + openPart(checks);
}

/** The guards whose pages were not tried, which a green run would otherwise hide. */
function unbrowsedText(checks: readonly CheckResult[], paint: Paint): string[] {
  const unseen = checks.filter(({ result, reason }) => result === "skip" && reason?.includes(NO_PLAYWRIGHT) === true);
  if (unseen.length === 0) return [];
  const modules = [...new Set(unseen.map(({ module }) => harmlessLine(module ?? "")))].join(", ");
  const text = `The page of ${modules} was not tried (${plural(unseen.length, "check")}): it needs a browser, and Playwright is not installed`;
  return fold([{ text, paint: paint.caution }], paint.width, MARGIN);
}

/** The pages of which nothing at all was tried, for another reason than a missing browser. */
function withoutPageText(checks: readonly CheckResult[], paint: Paint): string[] {
  const ofPages = checks.filter(({ area }) => area === "page");
  return [...new Set(ofPages.map(({ module }) => module))].flatMap((module) => {
    const own = ofPages.filter((check) => check.module === module);
    const cause = soleCause(own);
    if (cause === null || cause.includes(NO_PLAYWRIGHT)) return [];
    const text = `The page of ${harmlessLine(module ?? "")} was not tried (${plural(own.length, "check")}): ${cause}`;
    return fold([{ text, paint: paint.caution }], paint.width, MARGIN);
  });
}

/** Why none of these checks was tried, apart from a flag that some need; null: some were, or for different reasons. */
function soleCause(checks: readonly CheckResult[]): string | null {
  const wanted = checks.filter((check) => !waitsForFlag(check));
  const [reason = null, ...others] = new Set(wanted.map((check) => (check.result === "skip" ? check.reason : null)));
  return reason === null || others.length > 0 ? null : (reasonText(reason).split("; ")[0] ?? null);
}

/** Why the login by OAuth was not tried at all, which a green run would otherwise hide. */
function withoutLoginText(checks: readonly CheckResult[], paint: Paint): string[] {
  const ofLogin = checks.filter(({ area }) => area === "oauth");
  const cause = soleCause(ofLogin);
  if (cause === null || checks.length === ofLogin.length) return [];
  const text = `The login by OAuth was not tried (${plural(ofLogin.length, "check")}): ${cause}`;
  return fold([{ text, paint: paint.quiet }], paint.width, MARGIN);
}

/** An app that went down has one cause for many findings, which only its own output shows. */
function goneText(checks: readonly CheckResult[], paint: Paint): string[] {
  const gone = checks.filter(broughtDown);
  if (gone.length === 0) return [];
  const text = `Your app went down during ${plural(gone.length, "check")}: its own output says why`;
  return fold([{ text, paint: paint.caution }], paint.width, MARGIN);
}

/** `18.8 s`, `8 min 12 s` */
function timeText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The guards for which a green run does not prove that they guard anything. */
function openPart(checks: readonly CheckResult[]): string {
  const open = [...new Set(checks.filter(isOpenGuard).map(({ module }) => harmlessLine(module ?? "")))];
  if (open.length === 0) return "";
  return `; not known whether ${open.join(", ")} ${open.length === 1 ? "denies" : "deny"} anybody`;
}
