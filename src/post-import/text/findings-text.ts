import type { Paint } from "../../output/paint.ts";
import { plural, reasonText } from "../../output/text.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { withCommas } from "../../protocol/with-commas.ts";
import { memberNames } from "../checks/strings/member-names.ts";
import type { ImportedJob, ImportFinding } from "../import-result.ts";
import { inset, nameText, paragraph } from "./import-words.ts";

/** How many findings of a job are shown without --details. */
const SHOWN_FINDINGS = 10;

/** The number of faults, which break the contract, and of warnings. */
export function countFindings({ findings }: ImportedJob): { readonly faults: number; readonly warnings: number } {
  const sum = (counted: readonly ImportFinding[]) => counted.reduce((all, finding) => all + (finding.notKept ?? 1), 0);
  const faults = sum(findings.filter(isFault));
  return { faults, warnings: sum(findings) - faults };
}

/** `1 fault, 2 warnings`; empty if there are none. */
export function findingsText(job: ImportedJob): string {
  const { faults, warnings } = countFindings(job);
  return [faults > 0 && plural(faults, "fault"), warnings > 0 && plural(warnings, "warning")]
    .filter(Boolean)
    .join(", ");
}

/** The findings in an answer, faults first; each rule is shown at its first finding. */
export function findingLines(job: ImportedJob, paint: Paint, details: boolean): string[] {
  const { faults, warnings } = countFindings(job);
  const all = faults + warnings;
  const kept = job.findings.filter((finding) => finding.notKept === undefined);
  const sorted = [...kept.filter(isFault), ...kept.filter((finding) => !isFault(finding))];
  const groups = details ? sorted.map((finding) => [finding]) : alike(sorted).slice(0, SHOWN_FINDINGS);
  const shown = groups.flatMap(([first]) => first ?? []);
  const rest = all - groups.flat().length;
  const how =
    kept.length === all
      ? "--details shows all"
      : kept.length === groups.flat().length
        ? "only their number was kept"
        : `--details shows the first ${withCommas(kept.length)} of ${withCommas(all)}`;
  return [
    ...shown.flatMap((finding, index) => {
      const isFirst = shown.findIndex(({ check }) => check === finding.check) === index;
      const others = (groups[index]?.length ?? 1) - 1;
      return oneFinding(finding, { others, withRule: isFirst, withValue: details }, paint);
    }),
    ...(rest === 0 ? [] : paragraph(paint, `… and ${plural(rest, "more finding")}; ${how}`)),
  ];
}

/** A place in the strings: the string, and the path within it. */
const ofString = /^(data\.strings\[\d+\]|data\.stringsUrl line \d+)(?:\.(.*))?$/s;

/** The place with the key by which people know the string: `data.strings[3] "cart.items", text.few`. */
function placeText({ path, identifier }: ImportFinding): string {
  const [, string = path, within] = ofString.exec(path) ?? [];
  const name = identifier === null || !/\S/.test(identifier) ? "" : ` "${nameText(identifier)}"`;
  return `${string}${name}${within === undefined ? "" : `, ${within}`}`;
}

/** A message may quote megabytes. */
const COMPARED_CHARACTERS = 1000;

/** Findings with the same words at the same place of other strings, apart from the values that they quote. */
function alike(findings: readonly ImportFinding[]): ImportFinding[][] {
  const groups = new Map<string, ImportFinding[]>();
  for (const finding of findings) {
    const [, , within] = ofString.exec(finding.path) ?? [null, null, finding.path];
    const words = finding.message.slice(0, COMPARED_CHARACTERS).replace(/"[^"]*"/g, '""');
    const key = JSON.stringify([finding.check, within, words]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()];
}

/** What is shown with a finding. */
interface FindingContext {
  /** Number of other strings with the same finding. */
  readonly others: number;
  readonly withRule: boolean;
  /** Whether the value that was found is shown. */
  readonly withValue: boolean;
}

function oneFinding(finding: ImportFinding, { others, withRule, withValue }: FindingContext, paint: Paint): string[] {
  const { check, section, message, rule, value } = finding;
  const place = placeText(finding);
  const [word, tone] = isFault(finding) ? ["fault: ", paint.bad] : ["warning: ", paint.caution];
  const also = others === 0 ? "" : ` (and in ${plural(others, "more string")})`;
  const text = reasonText(place === "" ? message : `${place}${also}: ${message}`);
  const source = { text: ` [${harmlessLine(`${check}, interface ${section}`)}]`, paint: paint.quiet };
  const more = (inner: Paint, text: string) => paragraph(inner, { text: text, paint: paint.quiet });
  return [
    ...paragraph(paint, { text: word, paint: tone }, { text, paint: tone }, source),
    ...inset(2, paint, (inner) => [
      ...(withValue && value != null ? more(inner, `found: ${reasonText(JSON.stringify(value))}`) : []),
      ...(withRule ? more(inner, `rule: ${reasonText(rule)}`) : []),
    ]),
  ];
}

/** Members that the platform ignores, quietly: the app may have them on purpose. */
export function ignoredLines({ ignored }: ImportedJob, paint: Paint): string[] {
  return (["string", "translation"] as const).flatMap((part) => {
    const members = ignored
      .filter((member) => member.in === part)
      .map(({ name, strings }) => `${nameText(name)} (in ${plural(strings, "string")})`);
    if (members.length === 0) return [];
    const text = `ignored by the platform: ${members.join(", ")}; a ${part} has only ${memberNames(part).join(", ")}`;
    return paragraph(paint, { text, paint: paint.quiet });
  });
}

function isFault({ result }: ImportFinding): boolean {
  return result === "fail";
}
