import type { Result } from "../../checking/check.ts";
import { NO_DECISION, ON_CONTROL_AFTER, ON_CONTROL_BEFORE } from "../../checking/verdict.ts";
import type { CheckResult, CoverageRow, VerifyResult } from "../../checking/verify-result.ts";
import { fold, indent } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { choicesLine, plural, reasonText } from "../../output/text.ts";
import type { ResultEvidence } from "../../platform/result-evidence.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { causesFirst, isCauseOfOthers } from "../causes-first.ts";
import { closingText } from "./closing-text.ts";
import { consequencesIn, consequencesText } from "./consequences.ts";
import { findingFacts } from "./finding-facts.ts";
import { findingText, knownText, MARGIN, shortFindings, unjudgedText } from "./finding-text.ts";
import { atModules, grouped, kindOfCheck, shortIds, skippedGroups } from "./groups.ts";

const order: readonly Result[] = ["fail", "inconclusive", "warn"];

/**
 * The result of `verify` as lines of text: findings first, then what was not tried, then the numbers.
 * @param isWhole also lists each check that passed or was not tried, and each row of the interface that was not exercised
 */
export function verifyText(result: VerifyResult, evidences: ResultEvidence, paint: Paint, isWhole = false): string[] {
  return [
    ...findingsText(result.checks, evidences, paint, isWhole),
    ...skippedText(result.checks, paint, isWhole),
    ...(isWhole ? passedText(result.checks, paint) : []),
    ...(result.checks.length === 0 ? [] : coverageText(result.coverage, paint, isWhole)),
    ...closingText(result, paint),
    ...choicesLine(result.choices, paint),
  ];
}

/** Every finding; known ones are last, and in short. */
function findingsText(
  checks: readonly CheckResult[],
  evidences: ResultEvidence,
  paint: Paint,
  isWhole: boolean,
): string[] {
  const known = checks.filter((check) => check.known !== null);
  const others = checks.filter((check) => check.known === null);
  const inShort = known.flatMap((check) => knownText(check, paint));
  return [
    ...fullText(others, evidences, paint, isWhole),
    ...(isWhole ? fullText(known, evidences, paint, isWhole) : inShort),
    ...(isWhole || inShort.length === 0 ? [] : [""]),
  ];
}

/**
 * Findings with their requests and answers; a check with the same finding in several modules is shown once. Of many
 * similar ones only the first are shown in full; so are, of findings with the same fix, those of the first kind. What
 * follows from another finding is one line. Causes come before their consequences.
 */
function fullText(checks: readonly CheckResult[], evidences: ResultEvidence, paint: Paint, isWhole: boolean): string[] {
  const fixes = new Map<string, string>();
  const consequences = isWhole ? [] : consequencesIn(checks, evidences);
  const followers = new Set(consequences.flatMap((each) => each.followers));
  return order.flatMap((wanted) => {
    const found = causesFirst(checks.filter((check) => check.result === wanted && !followers.has(check)));
    const unjudged = manyUnjudged(found).map((members) => ({ checks: members, last: triedLast(members, checks) }));
    const inOne = unjudged.flatMap((each) => each.checks);
    const judged = found.filter((check) => !inOne.includes(check));
    const ofChecks = grouped(judged, ({ id }) => id).map(({ members }) => members);
    const kinds = grouped(ofChecks, kindOf).map(({ members }) => {
      const following = consequences.filter(({ cause }) => members.flat().some(({ id }) => id === cause));
      return { ...kindText(members, fixes, evidences, paint), following };
    });
    const sameFix = grouped(
      kinds.flatMap((kind) => kind.sameFix),
      ({ shown }) => shown,
    );
    return [
      ...unjudged.flatMap((each) => unjudgedText(each, evidences, paint, isWhole)),
      ...kinds.flatMap(({ lines, following }) => [
        ...lines,
        ...following.flatMap((each) => consequencesText(each, paint)),
      ]),
      ...sameFix.flatMap(({ key, members }) =>
        shortFindings(
          members.map(({ checks: same }) => same),
          evidences,
          paint,
          key,
        ),
      ),
    ];
  });
}

/** Inconclusive checks, grouped by reason: many depend on the same refused correct request. */
function manyUnjudged(checks: readonly CheckResult[]): (readonly CheckResult[])[] {
  const open = checks.filter(
    ({ result, runs, control, known }) =>
      result === "inconclusive" && runs.length === 1 && control !== null && known === null,
  );
  return grouped(open, ({ area, reason }) => JSON.stringify([area, reason]))
    .map(({ members }) => members)
    .filter(({ length }) => length > MOST_IN_FULL);
}

/** The checks after which the correct request, on which these depend, was no longer accepted. */
function triedLast(members: readonly CheckResult[], checks: readonly CheckResult[]): CheckResult[] {
  const subjects = new Set(members.map(({ subject }) => subject));
  const dependOnControl = members.every(({ reason }) => reason?.startsWith(ON_CONTROL_BEFORE) === true);
  return checks.filter(
    ({ subject, reason }) => dependOnControl && subjects.has(subject) && reason?.startsWith(ON_CONTROL_AFTER) === true,
  );
}

/** The key of findings that probably have the same cause: what is checked, and where. */
function kindOf(checks: readonly CheckResult[]): string {
  const [first] = checks;
  return JSON.stringify([kindOfCheck(first?.id ?? ""), checks.map(({ module }) => module)]);
}

const MOST_IN_FULL = 4;
const FIRST_IN_FULL = 2;

/** A wrongly accepted request weighs more than an undecided one. */
function weightiestFirst(kind: readonly (readonly CheckResult[])[]): (readonly CheckResult[])[] {
  const isUndecided = ([first]: readonly CheckResult[]) => first?.reason?.endsWith(NO_DECISION) === true;
  return [...kind.filter((checks) => !isUndecided(checks)), ...kind.filter(isUndecided)];
}

interface KindText {
  readonly lines: readonly string[];
  /** Those whose fix was shown before, with the id of the check that has it. */
  readonly sameFix: readonly { readonly shown: string; readonly checks: readonly CheckResult[] }[];
}

/** @param fixes the fixes shown so far, with the id of their check; those of this kind are added */
function kindText(
  kind: readonly (readonly CheckResult[])[],
  fixes: Map<string, string>,
  evidences: ResultEvidence,
  paint: Paint,
): KindText {
  const fixOf = (check: CheckResult) => {
    const { fix } = findingFacts(check, evidences);
    return fix === "" ? "" : JSON.stringify([check.module, fix]);
  };
  const sameFix = grouped(kind, (checks) => {
    const [id, ...others] = new Set(
      checks.map((check) => (check.known === null ? fixes.get(fixOf(check)) : undefined)),
    );
    return others.length === 0 ? (id ?? "") : "";
  });
  const own = sameFix.find(({ key }) => key === "")?.members ?? [];
  const inFull = foundInFull(own, evidences);
  for (const check of inFull.flat()) {
    const fix = fixOf(check);
    if (fix !== "" && !fixes.has(fix)) fixes.set(fix, check.id);
  }
  return {
    lines: [
      ...inFull.flatMap((checks) => findingText(checks, evidences, paint)),
      ...shortFindings(weightiestFirst(own.filter((checks) => !inFull.includes(checks))), evidences, paint),
    ],
    sameFix: sameFix
      .filter(({ key }) => key !== "")
      .flatMap(({ key, members }) => members.map((checks) => ({ shown: key, checks }))),
  };
}

/** The findings of a kind that are reported in full: of many, the first; of few, those with a fix of their own. */
function foundInFull(
  kind: readonly (readonly CheckResult[])[],
  evidences: ResultEvidence,
): readonly (readonly CheckResult[])[] {
  if (kind.some((checks) => checks.some(({ known }) => known !== null))) return kind;
  if (kind.length > MOST_IN_FULL) {
    const causes = kind.filter(([first]) => first !== undefined && isCauseOfOthers(first));
    return weightiestFirst(kind).slice(0, Math.max(FIRST_IN_FULL, causes.length));
  }
  const alike = grouped(kind, (checks) => JSON.stringify(checks.map((check) => findingFacts(check, evidences).fix)));
  return alike.flatMap(({ members: [first] }) => (first === undefined ? [] : [first]));
}

/** What was not tried, by reason, and how to enable it. */
function skippedText(checks: readonly CheckResult[], paint: Paint, isWhole: boolean): string[] {
  const groups = skippedGroups(checks);
  if (groups.length === 0) return [];
  return [
    paint.strong("Not tried"),
    ...groups.flatMap(({ key, members }) => [
      ...fold(`- ${members.length} skipped${atModules(members)}: ${reasonText(key)}`, paint.width, MARGIN),
      ...(isWhole ? indent(fold([{ text: shortIds(members), paint: paint.quiet }], paint.width - MARGIN), MARGIN) : []),
      ...enableText(members[0]?.hint ?? null, paint),
    ]),
    "",
  ];
}

/** Configuration lines are not wrapped, so that they can be copied. */
function enableText(hint: string | null, paint: Paint): string[] {
  if (hint === null) return [];
  const [first = "", ...more] = hint.split("\n").map(harmlessLine);
  return indent([...fold(`to try it: ${first}`, paint.width - MARGIN, MARGIN), ...more], MARGIN);
}

/** What passed, by part of the app. */
function passedText(checks: readonly CheckResult[], paint: Paint): string[] {
  const parts = grouped(
    checks.filter(({ result }) => result === "pass"),
    ({ subject }) => subject,
  );
  if (parts.length === 0) return [];
  return [
    paint.strong("Checks that passed"),
    ...parts.flatMap(({ key, members }) => [
      ...fold(`- ${harmlessLine(key)}`, paint.width, MARGIN),
      ...indent(
        fold([{ text: members.map(({ id }) => id).join(", "), paint: paint.quiet }], paint.width - MARGIN),
        MARGIN,
      ),
    ]),
    "",
  ];
}

/** Which rows of the interface's tables were not exercised, and why. */
function coverageText(coverage: readonly CoverageRow[], paint: Paint, isWhole: boolean): string[] {
  const missing = coverage.filter(({ result }) => result === "not-exercised");
  const seen = coverage.length - missing.length;
  const summary = `The interface: ${seen} of ${plural(coverage.length, "row")} of its tables exercised`;
  const rest =
    isWhole || missing.length === 0 ? "" : "; --verbose names the others, and each check that passed or was not tried";
  return [
    ...fold(
      [
        { text: summary, paint: paint.strong },
        { text: rest, paint: paint.quiet },
      ],
      paint.width,
    ),
    ...grouped(isWhole ? missing : [], ({ reason }) => reason ?? "").flatMap(({ key, members }) => [
      ...fold(`- not exercised: ${reasonText(key)}`, paint.width, MARGIN),
      ...indent(fold([{ text: rowsText(members, coverage), paint: paint.quiet }], paint.width - MARGIN), MARGIN),
    ]),
    "",
  ];
}

/** Rows by section; a section without any exercised row is named alone. */
function rowsText(rows: readonly CoverageRow[], all: readonly CoverageRow[]): string {
  const texts = grouped(rows, ({ section }) => section).map(({ key, members }) => {
    const isWhole = all.filter(({ section }) => section === key).length === members.length;
    return isWhole ? `all of ${key}` : `${key} ${members.map(({ row }) => row).join(" | ")}`;
  });
  return texts.join("; ");
}
