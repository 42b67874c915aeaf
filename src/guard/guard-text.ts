import { fold, indent } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { choicesLine, type ExchangeLines, markOf, plural, reasonText } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { hasGuards, type LoginExpectation } from "./exit-code.ts";
import type { ExploredRow, ExploreResult, RowEvidence } from "./explore/explore-result.ts";
import type { GuardResult, GuardStage } from "./guard-result.ts";

/** A login as lines: each stage, and for each guard what was sent and what came back. */
export function guardText(result: GuardResult, exchanges: ExchangeLines, paint: Paint): string[] {
  const { user, ipAddress } = result;
  const width = Math.max(...result.stages.map((stage) => nameOf(stage).length));
  return [
    `Login as ${paint.strong(user.role)} (user ${user.id}) from ${ipAddress}`,
    "",
    ...result.stages.flatMap((stage) => stageLines(stage, width, exchanges, paint)),
    "",
    verdict(result, paint),
    ...choicesLine(result.choices, paint),
  ];
}

function stageLines(stage: GuardStage, width: number, exchanges: ExchangeLines, paint: Paint): string[] {
  // Why a login did not go on is the last word of the report.
  const isLast = stage.result === "denied" || stage.result === "needs-user";
  const reason = stage.reason === undefined || isLast ? "" : `: ${reasonText(stage.reason)}`;
  const tries = stage.attempts === undefined ? "" : ` at try ${stage.attempts}`;
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

/** Whether the login ended as it was expected to. */
export function expectationText({ outcome, deniedBy }: LoginExpectation, isMet: boolean, paint: Paint): string[] {
  const what = `${outcome}${deniedBy === undefined ? "" : ` by ${deniedBy}`}`;
  return [
    isMet
      ? paint.good(`as expected: ${what}`)
      : paint.bad(`not as expected: ${what} was expected${outcome === "denied" ? ", by a guard itself" : ""}`),
  ];
}

function nameOf({ stage, module, type }: GuardStage): string {
  return module === undefined ? stage : `guard ${harmlessLine(module)} (${type})`;
}

function verdict(result: GuardResult, paint: Paint): string {
  const { outcome, deniedBy, reason, stages, failure } = result;
  const why = reason === null ? "" : `: ${reasonText(reason)}`;
  if (failure === "interrupted") return paint.bad("Interrupted: access was not granted");
  if (outcome === "needs-user") return paint.caution(`Not granted${why}`) + hintLine(result);
  if (outcome === "granted")
    return hasGuards(result)
      ? paint.good("Access granted")
      : paint.caution("Access granted, but there was no auth guard to ask");
  const apps = new Set(stages.flatMap(({ app }) => app ?? []));
  const of = apps.size > 1 ? ` of ${stages.find(({ result }) => result === "denied")?.app}` : "";
  const by = deniedBy === null ? "" : ` by ${harmlessLine(deniedBy)}${of}`;
  return paint.bad(`Access denied${by}${why}`) + hintLine(result);
}

/** The hint of the whole login, where no stage has it already. */
function hintLine({ hint, stages }: GuardResult): string {
  return hint === null || stages.some((stage) => stage.hint === hint) ? "" : `\nhint: ${harmlessLine(hint)}`;
}

/** Columns before the last one: indentation, mark, number, and then type and what happens, each with two spaces. */
const TYPE = "redirect".length;
const WHAT = "AP.verifyAuth({ error })".length;
const BEFORE = "  ✓ 11  ".length + TYPE + 2 + WHAT + 2;
const LEAST_ROOM = 20;

/** An exploration as lines: the table of interface 3.1 with what was seen of it. */
export function exploreText(result: ExploreResult, paint: Paint): string[] {
  const { rows, logins, tried, choices } = result;
  const seen = rows.filter(({ status }) => status === "seen").length;
  const impossible = rows.filter(({ status }) => status === "not-possible").length;
  const which = impossible === 0 ? "" : `, ${impossible} not possible`;
  return [
    paint.strong("The table of interface 3.1"),
    ...rowLines(rows, paint),
    `${seen} of ${plural(rows.length, "row")} seen${which}, in ${plural(logins, "login")}`,
    ...(rows.some(({ status }) => status === "not-seen") ? triedLines(tried, paint) : []),
    "",
    ...exploreVerdict(result, paint),
    ...choicesLine(choices, paint),
  ];
}

function rowLines(rows: readonly ExploredRow[], paint: Paint): string[] {
  const room = Math.max(LEAST_ROOM, paint.width - BEFORE);
  const apps = new Set(rows.flatMap(({ evidence }) => evidence.map(({ app }) => app)));
  const shownAt = new Map<string, number>();
  return rows.flatMap((row) => {
    const [first = "", ...others] = detailsOf(row, apps.size > 1, shownAt).flatMap((text) => fold(text, room));
    const number = String(row.row).padStart(2);
    const type = (row.type ?? "either").padEnd(TYPE);
    const what = row.state === "awaiting final verification" ? `final: ${row.trigger}` : row.trigger;
    const start = `  ${markOf(marks[row.status], paint)} ${number}  ${type}  ${what.padEnd(WHAT)}  `;
    return [`${start}${first}`.trimEnd(), ...indent(others, BEFORE)];
  });
}

/** What is said of a row. A reason that was given already is not given again. */
function detailsOf(
  { row, status, why, evidence }: ExploredRow,
  hasApps: boolean,
  shownAt: Map<string, number>,
): string[] {
  const before = why === null ? undefined : shownAt.get(why);
  if (status === "failed" && before !== undefined) return [`as row ${before}`];
  const shown = evidence.map((each) => evidenceText(each, hasApps) + (status === "failed" ? lastExchange(each) : ""));
  if (why === null) return shown;
  if (before === undefined) shownAt.set(why, row);
  const words = { seen: "but not through ", "not-seen": "not seen: ", "not-possible": "not possible: ", failed: "" };
  return [...shown, words[status] + (before === undefined ? reasonText(why) : `as row ${before}`)];
}

function evidenceText({ module, app, user, ipAddress }: RowEvidence, hasApps: boolean): string {
  return harmlessLine(`${module} ${user} ${ipAddress}${hasApps ? ` of ${app}` : ""}`);
}

function lastExchange({ exchanges }: RowEvidence): string {
  const id = exchanges.at(-1);
  return id === undefined ? "" : `, exchange ${id}`;
}

/** What a reader need not give with --user and --ip any more. */
function triedLines({ users, ipAddresses }: ExploreResult["tried"], paint: Paint): string[] {
  if (users.length === 0) return [];
  return fold(`Tried: ${users.join(", ")} from ${ipAddresses.join(", ")}`, Math.max(LEAST_ROOM, paint.width));
}

const marks = { seen: "passed", "not-seen": "needs-user", "not-possible": "skipped", failed: "denied" } as const;

function exploreVerdict({ outcome, reason, hint, failure }: ExploreResult, paint: Paint): string[] {
  const why = reasonText(reason ?? "");
  const hints = hint === null ? [] : [`hint: ${harmlessLine(hint)}`];
  if (failure === "interrupted") return [paint.bad("Interrupted: not everything was explored")];
  if (outcome === "failed") return [paint.bad(`Failed: ${why}`), ...hints];
  if (outcome === "incomplete") return [paint.caution(`Not complete: ${why}`), ...hints];
  return [paint.good("Complete: every row that these guards can take was seen")];
}
