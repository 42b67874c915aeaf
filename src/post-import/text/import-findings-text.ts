import { fold, indent } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { plural, REASON_CHARACTERS } from "../../output/text.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import type { ImportedJob, ImportFinding } from "../import-result.ts";
import { nameText } from "./import-fields.ts";
import { count } from "./import-words.ts";

/** Findings that are shown of a job unless all are asked for. */
const SHOWN_FINDINGS = 10;

/** How many findings break the contract, and how many are only worth a look. */
export function countFindings({ findings }: ImportedJob): { readonly faults: number; readonly warnings: number } {
  const sum = (counted: readonly ImportFinding[]) => counted.reduce((all, finding) => all + (finding.notKept ?? 1), 0);
  const faults = sum(findings.filter(isFault));
  return { faults, warnings: sum(findings) - faults };
}

/** `1 fault, 2 warnings`; empty where there are none. */
export function findingsText(job: ImportedJob): string {
  const { faults, warnings } = countFindings(job);
  const told = [
    ...(faults > 0 ? [plural(faults, "fault")] : []),
    ...(warnings > 0 ? [plural(warnings, "warning")] : []),
  ];
  return told.join(", ");
}

/** What the checks say of an answer, faults first; each rule is told where it is first broken. */
export function findingLines(job: ImportedJob, paint: Paint, details: boolean): string[] {
  const { faults, warnings } = countFindings(job);
  const kept = job.findings.filter((finding) => finding.notKept === undefined);
  const sorted = [...kept.filter(isFault), ...kept.filter((finding) => !isFault(finding))];
  const shown = details ? sorted : sorted.slice(0, SHOWN_FINDINGS);
  return [
    ...shown.flatMap((finding, index) => {
      const isToldBefore = shown.findIndex(({ check }) => check === finding.check) < index;
      return oneFinding(finding, isToldBefore, paint, details);
    }),
    ...restLines(faults + warnings, kept.length, shown.length, paint),
  ];
}

function restLines(all: number, kept: number, shown: number, paint: Paint): string[] {
  const rest = all - shown;
  if (rest === 0) return [];
  const how =
    kept === all
      ? "--details shows all"
      : kept === shown
        ? "their number is all that was kept"
        : `--details shows the first ${count(kept)} of ${count(all)}`;
  return fold(`… and ${plural(rest, "more finding")}; ${how}`, paint.width, 2);
}

/** A place within the strings: the string, and the place within it. */
const ofString = /^(data\.strings\[\d+\]|data\.stringsUrl line \d+)(?:\.(.*))?$/s;

/** Where it is, with the key by which people know the string: `data.strings[3] "cart.items", text.few`. */
function placeText({ path, identifier }: ImportFinding): string {
  const [, string = path, within] = ofString.exec(path) ?? [];
  const name = identifier === null || !/\S/.test(identifier) ? "" : ` "${nameText(identifier)}"`;
  return `${string}${name}${within === undefined ? "" : `, ${within}`}`;
}

function oneFinding(finding: ImportFinding, isToldBefore: boolean, paint: Paint, details: boolean): string[] {
  const { check, section, message, rule, value } = finding;
  const place = placeText(finding);
  const [word, tone] = isFault(finding) ? ["fault: ", paint.bad] : ["warning: ", paint.caution];
  const line = (name: string, text: string) =>
    fold([{ text: `${name}: ${clip(harmlessLine(text), REASON_CHARACTERS)}`, paint: paint.quiet }], paint.width - 2, 2);
  return [
    ...fold(
      [
        { text: word, paint: tone },
        { text: clip(harmlessLine(place === "" ? message : `${place}: ${message}`), REASON_CHARACTERS), paint: tone },
        { text: ` [${harmlessLine(`${check}, interface ${section}`)}]`, paint: paint.quiet },
      ],
      paint.width,
      2,
    ),
    ...indent(
      [
        ...(details && (value ?? null) !== null ? line("found", JSON.stringify(value)) : []),
        ...(isToldBefore ? [] : line("rule", rule)),
      ],
      2,
    ),
  ];
}

function isFault({ result }: ImportFinding): boolean {
  return result === "fail";
}
