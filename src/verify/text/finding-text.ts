import type { Result } from "../../checking/check.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { fold, indent } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { reasonText } from "../../output/text.ts";
import type { ResultEvidence } from "../../platform/result-evidence.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { isFlaky } from "../rules/merge-runs.ts";
import { differenceText, type FindingFacts, findingFacts } from "./finding-facts.ts";
import { grouped, shortIds } from "./groups.ts";

/** The word for a result after its mark: it says the same as the mark. */
export const resultMarks: Readonly<Record<Result, { readonly sign: string; readonly word: string }>> = {
  pass: { sign: "✓", word: "passed" },
  fail: { sign: "✗", word: "FAILED" },
  warn: { sign: "!", word: "warning" },
  inconclusive: { sign: "?", word: "inconclusive" },
  skip: { sign: "-", word: "skipped" },
};

/** Width of the labels of a finding: `sent`, `came` … */
const LABEL = 7;
/** Columns by which the lines after the first of a finding are indented. */
export const MARGIN = 2;

/** One check that found something, at one module or at several, as lines. */
export function findingText(checks: readonly CheckResult[], evidences: ResultEvidence, paint: Paint): string[] {
  const [first] = checks;
  if (first === undefined) return [];
  // A known finding fails nothing.
  const { sign, word } = first.known === null ? resultMarks[first.result] : { sign: "!", word: "known" };
  const colour = first.result === "fail" && first.known === null ? paint.bad : paint.caution;
  const facts = checks.map((check) => ({ check, facts: findingFacts(check, evidences) }));
  const [{ why = "", section = "" } = {}] = facts.map(({ facts: each }) => each);
  const fixes = new Set(facts.map(({ facts: { fix } }) => fix));
  return [
    ...fold(
      [{ text: `${sign} ${word}`, paint: colour }, { text: " " }, { text: first.id, paint: paint.strong }],
      paint.width,
      MARGIN,
    ),
    ...indent(fold(`${first.title} (${section})`, paint.width - MARGIN), MARGIN),
    ...placesOf(facts).flatMap((places) => placeText(places, paint)),
    ...labelledLines("why", [why], paint),
    ...labelledLines("fix", [...fixes], paint),
    "",
  ];
}

/** A known finding in short: it fails nothing, and was shown in full before it became known. */
export function knownText(check: CheckResult, paint: Paint): string[] {
  const { id, module, known, reason, exchanges } = check;
  const place = module === null ? "" : ` at ${harmlessLine(module)}`;
  const facts = [
    ...(known === null ? [] : [harmlessLine(known.reason)]),
    ...(reason === null ? [] : [reasonText(reason)]),
    ...exchanges.slice(0, 1).map((exchange) => `app-sim log ${exchange}`),
  ];
  return fold(
    [
      { text: "! known", paint: paint.caution },
      { text: ` ${id}${place}`, paint: paint.strong },
      { text: ` until ${known?.until}: ${facts.join("; ")}` },
    ],
    paint.width,
    MARGIN,
  );
}

/**
 * Findings like the previous ones: each with its request and answer.
 * @param sameFix a check of another kind that was shown before, with the same fix; null: they are of one kind
 */
export function shortFindings(
  kind: readonly (readonly CheckResult[])[],
  evidences: ResultEvidence,
  paint: Paint,
  sameFix: string | null = null,
): string[] {
  const [[first] = []] = kind;
  if (first === undefined) return [];
  const { sign, word } = resultMarks[first.result];
  const like = kind.length === 1 ? "1 more of the same kind" : `${kind.length} more of ${shortIds(kind.flat())}`;
  const title = sameFix === null ? like : `${kind.length} more with the same fix as ${sameFix}`;
  const hint = "; app-sim verify --explain ID says why each matters, and how to fix it";
  return [
    ...fold(
      [
        { text: `${sign} ${word}`, paint: first.result === "fail" ? paint.bad : paint.caution },
        { text: ` ${title}` },
        { text: hint, paint: paint.quiet },
      ],
      paint.width,
      MARGIN,
    ),
    ...kind.flatMap(([check]) => (check === undefined ? [] : shortFinding(check, evidences, paint))),
    "",
  ];
}

/** Checks that could not be judged for the same reason: the app's answer to the correct request that they all need. */
export interface Unjudged {
  readonly checks: readonly CheckResult[];
  /** Those after which that request was no longer accepted. */
  readonly last: readonly CheckResult[];
}

/**
 * Checks that could not be judged, as one finding.
 * @param isWhole also names each of them
 */
export function unjudgedText(
  { checks, last }: Unjudged,
  evidences: ResultEvidence,
  paint: Paint,
  isWhole: boolean,
): string[] {
  const [first] = checks;
  if (first === undefined) return [];
  const { sign, word } = resultMarks.inconclusive;
  const subjects = grouped(checks, ({ subject }) => subject);
  // If they depend on another check, the correct request was accepted.
  const other = /: see ([\w.-]+)$/.exec(first.reason ?? "")?.[1];
  const shown = other !== undefined || first.control === null ? [] : [first.control];
  const { sent, came, fix, exchanges } = findingFacts({ ...first, exchanges: shown }, evidences);
  const base = other === undefined ? "a correct request, which the app did not accept" : `what ${other} is about`;
  return [
    ...fold(
      [{ text: `${sign} ${word}`, paint: paint.caution }, { text: ` ${checks.length} checks that depend on ${base}` }],
      paint.width,
      MARGIN,
    ),
    ...labelledLines(
      "at",
      subjects.map(
        ({ key, members }) =>
          `${harmlessLine(key)}: ${members.length} of ${shortIds(members.map(({ id }) => ({ id, module: null })))}`,
      ),
      paint,
    ),
    ...labelledLines("found", [reasonText(first.reason ?? "")], paint),
    ...labelledLines(
      "since",
      last.length === 0 ? [] : [`${shortIds(last)}: it was accepted before, and not after`],
      paint,
    ),
    ...labelledLines("sent", sent, paint),
    ...labelledLines("came", came, paint),
    ...labelledLines(
      "look",
      (other === undefined ? exchanges : []).map((id) => `app-sim log ${id}`),
      paint,
    ),
    ...labelledLines("fix", [fix], paint),
    ...(isWhole ? labelledLines("ids", [[...new Set(checks.map(({ id }) => id))].join(", ")], paint) : []),
    "",
  ];
}

const MOST_DIFFERENCES = 2;

function shortFinding(check: CheckResult, evidences: ResultEvidence, paint: Paint): string[] {
  const { differences, exchanges } = findingFacts(check, evidences);
  const facts = [
    ...differences.slice(0, MOST_DIFFERENCES).map(differenceText),
    ...(check.reason === null ? [] : [reasonText(check.reason)]),
    ...exchanges.slice(0, 1).map((id) => `app-sim log ${id}`),
  ];
  const line = [{ text: check.id, paint: paint.strong }, { text: `: ${facts.join("; ")}` }];
  return indent(fold(line, paint.width - MARGIN, MARGIN), MARGIN);
}

interface Place {
  readonly check: CheckResult;
  readonly facts: FindingFacts;
}

/** Merges places with the same finding; known or flaky ones stay separate. */
function placesOf(places: readonly Place[]): (readonly Place[])[] {
  return grouped(places, ({ check: { reason, known, runs } }) => JSON.stringify([reason, known, runs])).map(
    ({ members }) => members,
  );
}

/** A finding at one place, and the other places that have it, too. */
function placeText([place, ...others]: readonly Place[], paint: Paint): string[] {
  if (place === undefined) return [];
  const { check, facts } = place;
  const { subject, reason, known, choices } = check;
  const [own, ...more] = facts.exchanges;
  const look = own === undefined ? [] : [`app-sim log ${own}${alsoText(more)}`];
  const also = others.map(({ check: other, facts: { exchanges } }) => {
    const [id] = exchanges;
    return `${harmlessLine(other.subject)}${id === undefined ? "" : `: app-sim log ${id}`}`;
  });
  return [
    ...labelledLines("at", [harmlessLine(subject)], paint),
    ...(reason === null ? [] : labelledLines("found", [reasonText(reason)], paint)),
    ...labelledLines("sent", facts.sent, paint),
    ...labelledLines("≠", facts.differences.map(differenceText), paint, paint.strong),
    ...labelledLines("came", facts.came, paint),
    ...(choices.length === 0 ? [] : labelledLines("choice", [`${choices.join(", ")} (see app-sim choices)`], paint)),
    ...(known === null ? [] : labelledLines("known", [`until ${known.until}: ${harmlessLine(known.reason)}`], paint)),
    ...(isFlaky(check) ? labelledLines("runs", [check.runs.join(", ")], paint) : []),
    ...labelledLines("again", facts.again, paint),
    ...labelledLines("look", look, paint),
    ...labelledLines("also", also, paint),
  ];
}

/** A longer list of ids would hide what follows. */
const MOST_IDS = 5;

function alsoText(ids: readonly string[]): string {
  if (ids.length === 0) return "";
  const more = ids.length - MOST_IDS;
  return `  (also ${ids.slice(0, MOST_IDS).join(", ")}${more > 0 ? ` and ${more} more` : ""})`;
}

/** Lines with a label before the first. */
export function labelledLines(
  label: string,
  texts: readonly string[],
  paint: Paint,
  colour?: (text: string) => string,
): string[] {
  return texts
    .filter((text) => text !== "")
    .flatMap((text, index) => {
      const before = (index === 0 ? label : "").padEnd(LABEL);
      const pieces = [
        { text: before, ...(label === "≠" && colour !== undefined ? { paint: colour } : { paint: paint.quiet }) },
        { text, ...(colour === undefined ? {} : { paint: colour }) },
      ];
      return indent(fold(pieces, paint.width - MARGIN, LABEL), MARGIN);
    });
}
