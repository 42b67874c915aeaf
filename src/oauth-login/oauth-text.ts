import type { Exchange, ExchangePurpose } from "../journal/exchange.ts";
import { issuedSecrets } from "../journal/issued-secrets.ts";
import type { Journal } from "../journal/journal.ts";
import { isOfBrowser } from "../journal/purposes.ts";
import type { Redactor } from "../journal/redact.ts";
import { exchangeLines, outcomeText } from "../output/exchange-text.ts";
import { columnsOf, fold, indent, type Piece, truncate } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { choicesLine, type ExchangeLines, markOf, plural, reasonText } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { OAuthLoginResult } from "./login-result.ts";

type Step = OAuthLoginResult["steps"][number];
type Finding = OAuthLoginResult["findings"][number];

const STEP_INDENT = 6;
/** An exchange fits on one line if this many columns are left for method and path; else they get a second line. */
const MIN_ROOM = 24;
const BELOW = 2;
/** Columns of method and path without a terminal. */
const LONGEST = 200;

/** An OAuth login as lines: each step with its exchanges, then the findings and what to do about them. */
export function oauthText(result: OAuthLoginResult, exchanges: ExchangeLines, paint: Paint): string[] {
  const { user, start, steps } = result;
  const width = Math.max(...steps.map(({ step }) => step.length));
  const cause = steps.find((step) => step.result === "failed");
  return [
    ...fold(`OAuth login as ${paint.strong(user.role)} (user ${user.id}) from ${harmlessLine(start)}`, paint.width),
    "",
    ...steps.flatMap((step) => stepLines(step, step === cause, { width, exchanges, paint })),
    ...findingLines(result, paint),
    "",
    ...verdict(result, paint),
    ...choicesLine(result.choices, paint),
  ];
}

const marks = { passed: "passed", warned: "warned", failed: "denied", skipped: "skipped" } as const;

/** How the steps of a login are shown. */
interface StepDisplay {
  /** Columns of the longest name of a step. */
  readonly width: number;
  readonly exchanges: ExchangeLines;
  readonly paint: Paint;
}

/** @param isCause whether this step ended the login: then its reason is shown only in the last line of the report */
function stepLines(step: Step, isCause: boolean, { width, exchanges, paint }: StepDisplay): string[] {
  const { result, text, hint, details } = step;
  const shown = isCause ? result : `${result}: ${reasonText(text)}`;
  return [
    ...marked(`${markOf(marks[result], paint)} ${step.step.padEnd(width)} ${shown}`, paint),
    ...(details.length === 0 ? [] : folded(harmlessLine(details.join(", ")), paint)),
    ...indent(step.exchanges.flatMap(exchanges), STEP_INDENT),
    ...(isCause || hint === null ? [] : folded(`hint: ${harmlessLine(hint)}`, paint)),
  ];
}

/** Warnings, and faults other than those that made a step fail. */
function findingLines({ findings, steps }: OAuthLoginResult, paint: Paint): string[] {
  const shown = new Set(steps.map(({ text }) => text));
  const left = findings.filter(
    ({ result, message }) => result === "warn" || (result === "fail" && !shown.has(message)),
  );
  if (left.length === 0) return [];
  return [
    "",
    ...left.flatMap(({ check, section, result, message, hint }) => {
      const [mark, kind, colour] =
        result === "fail" ? (["denied", "fault", "bad"] as const) : (["warned", "warning", "caution"] as const);
      const text = `${kind}: ${reasonText(message)} [${check}, interface ${section}]`;
      return [
        ...marked([{ text: `${markOf(mark, paint)} ` }, { text, paint: paint[colour] }], paint),
        ...(hint === null ? [] : folded(`hint: ${harmlessLine(hint)}`, paint)),
      ];
    }),
  ];
}

function verdict(
  { outcome, decision, reason, hint, failure, steps, findings }: OAuthLoginResult,
  paint: Paint,
): string[] {
  const lines = (text: string, colour: "good" | "bad" | "caution") =>
    fold([{ text, paint: paint[colour] }], paint.width);
  const count = (result: Finding["result"]) => findings.filter((finding) => finding.result === result).length;
  const warnings = count("warn") === 0 ? "" : `, ${plural(count("warn"), "warning")}`;
  const counted = `${plural(count("pass"), "check")} passed${warnings}`;
  const isUsed = steps.some(({ step, result }) => step === "api" && result !== "skipped");
  if (outcome === "ok") {
    const use = isUsed ? "and uses its tokens" : "(it is not known whether it uses its tokens)";
    return lines(`The app logs its user in ${use}: ${counted}`, "good");
  }
  if (outcome === "denied") {
    return decision === "deny"
      ? lines(`The app handles the user's refusal correctly: ${counted}`, "good")
      : lines("Not logged in: the platform declined without asking the user", "caution");
  }
  if (failure === "interrupted") return lines("Interrupted: the login was not finished", "bad");
  const failed = steps.find(({ result }) => result === "failed")?.step;
  const warned = findings.find(({ result }) => result === "warn")?.step;
  const place = failed ?? (warned === undefined ? "start" : `${warned} by a warning (strict)`);
  return [
    ...lines(`Failed at ${place}: ${reasonText(reason ?? "")}`, "bad"),
    ...(hint === null ? [] : fold(`hint: ${harmlessLine(hint)}`, paint.width)),
    ...(steps.some(({ exchanges }) => exchanges.length > 0)
      ? [paint.quiet("`app-sim log ID` shows one of these exchanges in full")]
      : []),
  ];
}

/** A line that starts with a mark. */
function marked(content: string | readonly Piece[], paint: Paint): string[] {
  return indent(fold(content, paint.width - 2, STEP_INDENT - 2), 2);
}

/** Text below such a line. */
function folded(text: string, paint: Paint): string[] {
  return indent(fold(text, paint.width - STEP_INDENT), STEP_INDENT);
}

function directionOf(purpose: ExchangePurpose): string {
  if (purpose === "visit") return "user → app";
  return isOfBrowser(purpose) ? "user → platform" : "app → platform";
}

/**
 * An exchange of an OAuth login: who requested what, and the answer; on one line if there is room for a path. Queries,
 * which hold codes, are omitted.
 */
export function exchangeLine(raw: Exchange, redactor: Redactor, paint: Paint): string[] {
  const { purpose, request, response, outcome, id } = redactor.exchange(raw);
  const way = directionOf(purpose).padEnd("user → platform".length);
  const { host, pathname } = new URL(request.url);
  const end = `← ${response === null ? outcomeText(outcome) : response.status}`;
  const name = `exchange ${id}`;
  const whole = paint.width - STEP_INDENT;
  const room = whole - way.length - end.length - name.length - 4;
  const what = (columns: number) => {
    // The app may be called by several host names, and cookies depend on the name.
    const withHost = harmlessLine(`${request.method} ${purpose === "visit" ? host : ""}${pathname}`);
    if (columnsOf(withHost) <= columns) return withHost;
    return truncate(harmlessLine(`${request.method} ${pathname}`), columns, "middle");
  };
  if (room >= MIN_ROOM) return [`${way} ${what(Math.min(room, LONGEST))} ${end}  ${paint.quiet(name)}`];
  return [
    `${way.trimEnd()}  ${paint.quiet(name)}`,
    ...indent(fold(`${what(Math.max(MIN_ROOM, whole - BELOW - end.length - 1))} ${end}`, whole - BELOW), BELOW),
  ];
}

/** Shows an exchange of a login by OAuth, without the codes and tokens in it. */
export function oauthExchangeLines(journal: Journal, secrets: readonly string[], paint: Paint): ExchangeLines {
  const issued = journal.list().flatMap((record) => (record.type === "exchange" ? issuedSecrets(record) : []));
  return exchangeLines(journal, [...secrets, ...issued.map(({ value }) => value)], paint, exchangeLine);
}
