import type { CheckFacts } from "../../checking/check.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { frameReportIn, frameReportText } from "../../guard-checks/pages/frame/frame.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { bodyText } from "../../journal/journal.ts";
import { unpackedText } from "../../journal/readable-body.ts";
import type { Redactor } from "../../journal/redact.ts";
import { redirectTarget } from "../../journal/redirect-target.ts";
import { outcomeText } from "../../output/exchange-text.ts";
import type { ResultEvidence } from "../../platform/result-evidence.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { allChecks } from "../checks.ts";
import { type Difference, requestDifferences } from "../rules/request-difference.ts";

/** The facts of a finding as redacted text: the same for every format. */
export interface FindingFacts {
  /** The request, or each request of a check that makes several. */
  readonly sent: readonly string[];
  /** How the request differs from the accepted one; empty if the check is not a twin. */
  readonly differences: readonly Difference[];
  /** Each answer. */
  readonly came: readonly string[];
  readonly why: string;
  /** For an inconclusive check: what to look at first. */
  readonly fix: string;
  /** Where the case is saved and how to send it again, a line each; empty if unknown. */
  readonly again: readonly string[];
  /** `5.1` as `interface 5.1`; an RFC as it is. */
  readonly section: string;
  /** Ids of exchanges for `app-sim log`, the check's own first. */
  readonly exchanges: readonly string[];
}

const EXCERPT_CHARACTERS = 160;
const ADDRESS_CHARACTERS = 300;
const MAX_STEPS = 4;

/** The facts behind a result. */
export function findingFacts(check: CheckResult, { find, redactor }: ResultEvidence): FindingFacts {
  const exchangeOf = (id: string | null) => (id === null ? null : find(id));
  const [control, twin] = [exchangeOf(check.control), exchangeOf(check.twin)];
  // The decisive exchange comes first in the result, so it is among these; shown in the order of sending.
  const steps = check.exchanges
    .flatMap((id) => find(id) ?? [])
    .slice(0, MAX_STEPS)
    .toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt));
  const shown = steps.map((exchange) => redactor.exchange(exchange));
  const { why, fix, isRandom = false } = factsOf(check.id);
  const isOpen = check.result === "inconclusive";
  // The hint of a random case says how to send it again.
  const isAgain = isRandom && !isOpen && check.hint !== null && check.hint !== fix;
  const name = (exchange: Exchange) => (shown.length > 1 ? `${roleOf(exchange)}: ` : "");
  const more = check.exchanges.length - shown.length;
  return {
    sent: [
      ...shown.map((exchange, index) => name(exchange) + (likeBefore(steps, index, redactor) ?? requestLine(exchange))),
      ...(more > 0 && shown.length > 0 ? [`and ${more} more`] : []),
    ],
    differences: control === null || twin === null ? [] : requestDifferences(control, twin, check.changes, redactor),
    came: shown
      .filter((exchange) => frameReportIn(exchange) === null)
      .map((exchange) => name(exchange) + answerLine(exchange)),
    why,
    fix: isAgain ? fix : harmlessLine(check.hint ?? (isOpen ? "" : fix)),
    again: isAgain ? (check.hint ?? "").split("\n").map(harmlessLine) : [],
    section: sectionName(check.section),
    exchanges: [...new Set([...check.exchanges, ...(check.control === null ? [] : [check.control])])],
  };
}

/** The description of a check; empty if another version of app-sim made the result. */
function factsOf(wanted: string): Pick<CheckFacts, "why" | "fix" | "isRandom"> {
  return allChecks.find(({ id }) => id === wanted) ?? { why: "", fix: "" };
}

export function sectionName(section: string): string {
  return /^\d/.test(section) ? `interface ${section}` : section;
}

/** The difference as one line: `token.claims.exp: 1763820000 → 1763818239`. */
export function differenceText({ property, control, twin }: Difference): string {
  if (control === null) return `${property}: added, ${twin}`;
  return twin === null ? `${property}: removed (was ${control})` : `${property}: ${control} → ${twin}`;
}

function roleOf({ check }: Exchange): string {
  return harmlessLine(check?.role ?? "request");
}

const MOST_DIFFERENCES = 2;

/** A step by its few differences from the first: `the same, except url.state: "a" → "b"`; null: it has more. */
function likeBefore(steps: readonly Exchange[], index: number, redactor: Redactor): string | null {
  const [first] = steps;
  const step = steps[index];
  if (index === 0 || first === undefined || step === undefined) return null;
  const differences = requestDifferences(first, step, null, redactor);
  const isElsewhere = differences.some(({ property }) => property === "url" || property === "method");
  if (isElsewhere || differences.length > MOST_DIFFERENCES) return null;
  const texts = differences.map((each) => harmlessLine(differenceText(each)));
  return texts.length === 0 ? "the same" : `the same, except ${texts.join(", ")}`;
}

function requestLine(exchange: Exchange): string {
  const report = frameReportIn(exchange);
  if (report !== null) return harmlessLine(frameReportText(report));
  const { method, url, body } = exchange.request;
  const excerpt = clip(harmlessLine(tellingPart(exchange.purpose, bodyText(body))), EXCERPT_CHARACTERS);
  return harmlessLine(`${method} ${url}${excerpt === "" ? "" : ` ${excerpt}`}`);
}

/** Of a job, its strings: what comes before them is the same in each. */
function tellingPart(purpose: Exchange["purpose"], body: string): string {
  const at = purpose === "post-import" ? body.search(/"strings(?:Url)?":/) : -1;
  return at < 1 ? body : `… ${body.slice(at)}`;
}

function answerLine(exchange: Exchange): string {
  const { response, outcome, timings } = exchange;
  const time = outcome.kind === "timed-out" ? "" : ` in ${timings.totalMs} ms`;
  if (response === null) return `no answer: ${outcomeText(outcome)}${time}`;
  const excerpt = clip(harmlessLine(unpackedText(response).trim()), EXCERPT_CHARACTERS);
  const end = outcome.kind === "answered" ? "" : `, ${outcomeText(outcome)}`;
  const target = redirectTarget(exchange);
  if (target !== null)
    return `${response.status}${end} to ${clip(harmlessLine(target.raw), ADDRESS_CHARACTERS)}${time}`;
  return `${response.status}${end}${excerpt === "" ? " with an empty body" : ` ${excerpt}`}${time}`;
}
