import { indent } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { choicesLine, type ExchangeLines, markOf, reasonText, restLine, shownParts } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { hasGuards, wasCalled, wasDoubted } from "./exit-code.ts";
import type { GuardResult, GuardStage } from "./guard-result.ts";
import { ACCEPTED_CODE } from "./rules/login-table.ts";

/** A login as lines: each stage, and for each guard the request and the answer. */
export function guardText(result: GuardResult, exchanges: ExchangeLines, paint: Paint): string[] {
  const { user, ipAddress } = result;
  const left = result.stages.filter(isLeftOut);
  const reached = result.stages.filter((stage) => !isLeftOut(stage));
  const shown = shownParts(reached, isTelling);
  const width = Math.max(...shown.map((stage) => nameOf(stage).length));
  return [
    `Login as ${paint.strong(user.role)} (user ${user.id}) from ${ipAddress}`,
    "",
    ...shown.flatMap((stage) => stageLines(withoutRepeated(stage, result), width, exchanges, paint)),
    ...indent(restLine(reached.length - shown.length, "stage"), 2),
    ...(left.length === 0 ? [] : [`  ${markOf("skipped", paint)} ${paint.quiet(leftText(left))}`]),
    "",
    verdict(result, paint),
    ...choicesLine(result.choices, paint),
  ];
}

/** A stage that the organization has not enabled says nothing about the app. */
function isLeftOut({ stage, result }: GuardStage): boolean {
  return stage !== "guard" && result === "skipped";
}

/** A stage that ended the login, or has a warning. */
function isTelling({ result, warnings }: GuardStage): boolean {
  return (result !== "passed" && result !== "skipped") || warnings !== undefined;
}

function leftText(left: readonly GuardStage[]): string {
  return `${left.map(nameOf).join(", ")}: not enabled in this organization`;
}

function stageLines(stage: GuardStage, width: number, exchanges: ExchangeLines, paint: Paint): string[] {
  // The end of the report says why a login stopped.
  const isLast = stage.result === "denied" || stage.result === "failed" || stage.result === "needs-user";
  const reason = stage.reason === undefined || isLast ? "" : `: ${reasonText(stage.reason)}`;
  const tries = stage.attempts === undefined ? "" : ` on try ${stage.attempts}`;
  const text = `${stage.result === "needs-user" ? "not completed" : stage.result}${tries}${reason}`;
  // Rows 6 and 9 of the table of interface 3.1: no call follows, so nothing else would show it.
  const isBackWithError = stage.rows?.some((row) => row === 6 || row === 9);
  const details = [
    ...stage.exchanges.flatMap(exchanges),
    ...(isBackWithError ? ["← the user came back from the app's page with an error"] : []),
    ...(stage.warnings ?? []).map((warning) => paint.caution(`warning: ${harmlessLine(warning)}`)),
    ...(stage.hint === undefined ? [] : [`hint: ${harmlessLine(stage.hint)}`]),
  ];
  return [
    `  ${markOf(stage.result, paint)} ${nameOf(stage).padEnd(width)} ${stage.result === "skipped" ? paint.quiet(text) : text}`,
    ...indent(details, 6),
  ];
}

type Ending = Pick<GuardResult, "reason" | "hint">;

/** The stage without the warnings that the end of the report repeats. */
function withoutRepeated(stage: GuardStage, end: Ending): GuardStage {
  const { warnings } = stage;
  return warnings === undefined ? stage : { ...stage, warnings: warnings.filter((each) => !isSaidAtEnd(each, end)) };
}

/** What comes before and after a warning's own words. */
const aroundWarning =
  /^(?:the page's console: (?:app-sim host\.js: )?|a callback was not accepted: )|(?:; use AP\.verifyAuth| \().*$/gs;

/** Whether the end of the report says what a warning says, or names the same address that could not be loaded. */
function isSaidAtEnd(warning: string, { reason, hint }: Ending): boolean {
  const [, address] = /^the page could not load (\S+): /.exec(warning) ?? [];
  const words = address ?? warning.replaceAll(aroundWarning, "");
  return words !== "" && `${reason}; ${hint}`.includes(words);
}

/** An app that judges the connection's address denies nobody here. */
const BY_THE_BODY =
  "; does the guard judge by userId and ipAddress of the body? The address of the connection, such as req.ip, is the platform's own";

/** What to look at if a login was granted but should have been denied by one guard, or by any. */
function whyGranted({ stages, expectation }: GuardResult): string {
  const expected = expectation?.deniedBy ?? null;
  const meant = stages.filter(({ module }) => module !== undefined && (expected === null || module === expected));
  const byCode = meant.find(({ rows }) => rows?.includes(ACCEPTED_CODE));
  return byCode?.module === undefined
    ? BY_THE_BODY
    : `; ${harmlessLine(byCode.module)} accepted the code: does it accept only codes that its page issued, and does the page issue them only to users who may get in?`;
}

/** What is wrong with the end of a login that should have been denied. */
function whyNotDenied(result: GuardResult): string {
  if (result.outcome === "granted") return whyGranted(result);
  return wasDoubted(result)
    ? " (because of the user, not with a message about the token: does the guard let anybody in?)"
    : " (by a guard, not because of an error)";
}

/** Whether the login ended as expected; empty without an expectation. */
export function expectationText(result: GuardResult, paint: Paint): string[] {
  const { expectation } = result;
  if (expectation === null) return [];
  const { outcome, deniedBy, isMet } = expectation;
  const what = `${outcome}${deniedBy === null ? "" : ` by ${deniedBy}`}`;
  if (isMet) return [paint.good(`as expected: ${what}`)];
  const byWhat = outcome === "denied" ? whyNotDenied(result) : "";
  return [paint.bad(`not as expected: ${what} was expected${byWhat}`)];
}

function nameOf({ stage, module, type }: GuardStage): string {
  return module === undefined ? stage : `guard ${harmlessLine(module)} (${type})`;
}

function verdict(result: GuardResult, paint: Paint): string {
  const { outcome, deniedBy, reason, stages, failure } = result;
  const why = reason === null ? "" : `: ${reasonText(reason)}`;
  if (failure === "interrupted") return paint.bad("Interrupted: access was not granted");
  if (outcome === "needs-user") return paint.caution(`Not granted${why}`) + hintLine(result);
  if (outcome === "granted" && !hasGuards(result))
    return paint.caution("Access granted, but there was no auth guard to ask");
  if (outcome === "granted")
    return paint.good(wasCalled(result) ? "Access granted" : "Access granted: the user is exempt from every guard");
  const apps = new Set(stages.flatMap(({ app }) => app ?? []));
  const of = apps.size > 1 ? ` of ${stages.find(({ result }) => result === "denied" || result === "failed")?.app}` : "";
  if (outcome === "failed") {
    const failed = stages.find(({ result }) => result === "failed")?.module;
    const at = failed === undefined ? "" : ` at ${harmlessLine(failed)}${of}`;
    return paint.bad(`Login failed${at}${why}`) + hintLine(result);
  }
  const by = deniedBy === null ? "" : ` by ${harmlessLine(deniedBy)}${of}`;
  return paint.bad(`Access denied${by}${why}`) + hintLine(result);
}

/** The hint for the whole login, unless a stage has it already. */
function hintLine({ hint, stages }: GuardResult): string {
  return hint === null || stages.some((stage) => stage.hint === hint) ? "" : `\nhint: ${harmlessLine(hint)}`;
}
