import type { Exchange, ExchangePurpose } from "../journal/exchange.ts";
import { redactExchange } from "../journal/redact.ts";
import { outcomeText } from "../output/exchange-text.ts";
import { fold, indent } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { choicesLine, type ExchangeLines, markOf, plural, reasonText } from "../output/text.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { OAuthLoginResult } from "./login-result.ts";

type Step = OAuthLoginResult["steps"][number];
type Finding = OAuthLoginResult["findings"][number];

const STEP_INDENT = 6;

/** An OAuth login as lines: each step with its exchanges, then what is wrong and what to do about it. */
export function oauthText(result: OAuthLoginResult, exchanges: ExchangeLines, paint: Paint): string[] {
  const { user, start, steps } = result;
  const width = Math.max(...steps.map(({ step }) => step.length));
  const first = steps.find((step) => step.result === "failed");
  return [
    ...wrapped(`OAuth login as ${paint.strong(user.role)} (user ${user.id}) from ${harmlessLine(start)}`, 0, paint),
    "",
    ...steps.flatMap((step) => stepLines(step, width, step === first, exchanges, paint)),
    ...findingLines(result, paint),
    "",
    ...verdict(result, paint),
    ...choicesLine(result.choices, paint),
  ];
}

const marks = { passed: "passed", warned: "warned", failed: "denied", skipped: "skipped" } as const;

/** @param isCause whether this step ended the login: then its reason is the last line of the report, and not said here */
function stepLines(step: Step, width: number, isCause: boolean, exchanges: ExchangeLines, paint: Paint): string[] {
  const { result, text, hint, details } = step;
  const said = isCause ? result : `${result}: ${reasonText(text)}`;
  const [line = "", ...more] = wrapped(`${step.step.padEnd(width)} ${said}`, 4, paint);
  return [
    `  ${markOf(marks[result], paint)} ${line}`,
    ...indent(more, STEP_INDENT),
    ...indent(details.length === 0 ? [] : wrapped(harmlessLine(details.join(", ")), STEP_INDENT, paint), STEP_INDENT),
    ...indent(step.exchanges.flatMap(exchanges), STEP_INDENT),
    ...(isCause ? [] : hintLines(hint, STEP_INDENT, paint)),
  ];
}

/** What no step says already: warnings, and faults other than the one for which a step failed. */
function findingLines({ findings, steps }: OAuthLoginResult, paint: Paint): string[] {
  const said = new Set(steps.map(({ text }) => text));
  const left = findings.filter(({ result, message }) => result === "warn" || (result === "fail" && !said.has(message)));
  return left.length === 0 ? [] : ["", ...left.flatMap((finding) => findingOf(finding, paint))];
}

function findingOf({ check, section, result, message, hint }: Finding, paint: Paint): string[] {
  const isFault = result === "fail";
  const text = `${isFault ? "fault" : "warning"}: ${reasonText(message)} [${check}, interface ${section}]`;
  const [line = "", ...more] = painted(text, 4, isFault ? "bad" : "caution", paint);
  return [
    `  ${markOf(isFault ? "denied" : "warned", paint)} ${line}`,
    ...indent(more, STEP_INDENT),
    ...hintLines(hint, STEP_INDENT, paint),
  ];
}

function verdict(
  { outcome, decision, reason, hint, failure, steps, findings }: OAuthLoginResult,
  paint: Paint,
): string[] {
  const count = (result: Finding["result"]) => findings.filter((finding) => finding.result === result).length;
  const warnings = count("warn") === 0 ? "" : `, ${plural(count("warn"), "warning")}`;
  const counted = `${plural(count("pass"), "check")} passed${warnings}`;
  switch (outcome) {
    case "ok":
      return painted(`The app logs its user in and uses its tokens: ${counted}`, 0, "good", paint);
    case "denied":
      return decision === "deny"
        ? painted(`The app handles the user's refusal as it should: ${counted}`, 0, "good", paint)
        : painted("Not logged in: the platform declined without asking the user", 0, "caution", paint);
    case "failed": {
      if (failure === "interrupted") return [paint.bad("Interrupted: the login was not finished")];
      const failed = steps.find(({ result }) => result === "failed");
      const warned = findings.find(({ result }) => result === "warn");
      const at = failed === undefined && warned !== undefined ? `${warned.step} by a warning (strict)` : failed?.step;
      return [
        ...painted(`Failed at ${at ?? "start"}: ${reasonText(reason ?? "")}`, 0, "bad", paint),
        ...hintLines(hint, 0, paint),
        ...(steps.some(({ exchanges }) => exchanges.length > 0)
          ? [paint.quiet("`app-sim log ID` shows one of these exchanges in full")]
          : []),
      ];
    }
  }
}

function hintLines(hint: string | null, by: number, paint: Paint): string[] {
  return hint === null ? [] : indent(wrapped(`hint: ${harmlessLine(hint)}`, by, paint), by);
}

/** Wraps text that is indented by `before` columns. */
function wrapped(text: string, before: number, paint: Paint): string[] {
  return fold(text, paint.width - before);
}

function painted(text: string, before: number, colour: "good" | "bad" | "caution", paint: Paint): string[] {
  return wrapped(text, before, paint).map((line) => paint[colour](line));
}

const ways: { readonly [Purpose in ExchangePurpose]?: string } = {
  visit: "user → app",
  authorize: "user → platform",
  consent: "user → platform",
};

/** An exchange of an OAuth login on one line: who asked whom for what, and the answer. Queries, which hold codes, are left out. */
export function exchangeLine(raw: Exchange, secrets: readonly string[], paint: Paint): string[] {
  const { purpose, request, response, outcome, id } = redactExchange(raw, secrets);
  const way = (ways[purpose] ?? "app → platform").padEnd("user → platform".length);
  const { host, pathname } = new URL(request.url);
  const end = `← ${response === null ? outcomeText(outcome) : response.status}`;
  const name = `exchange ${id}`;
  const room = Math.max(20, paint.width - STEP_INDENT - way.length - end.length - name.length - 4);
  // The app may be called by several host names, and cookies depend on the name.
  const place = purpose === "visit" ? host : "";
  const what = clip(harmlessLine(`${request.method} ${place}${pathname}`), Math.min(room, 200));
  return [`${way} ${what} ${end}  ${paint.quiet(name)}`];
}
