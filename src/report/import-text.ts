import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { ImportedJob, ImportResult } from "../simulator/results.ts";
import type { Paint } from "./paint.ts";
import { choicesLine, type ExchangeLines, indent, markOf, plural, REASON_CHARACTERS, reasonText } from "./text.ts";

/** Changed strings, and findings, that are shown of a job unless all are asked for. */
const SHOWN = 10;
const VALUE_CHARACTERS = 120;

/** Imports as lines: for each job what was sent, what came back, and what the app did to the strings. */
export function importText(result: ImportResult, exchanges: ExchangeLines, paint: Paint, details: boolean): string[] {
  return [
    ...result.jobs.flatMap((job) => [...jobLines(job, exchanges, paint, details), ""]),
    ...(result.jobs.length > 1 ? [summary(result.jobs)] : []),
    ...choicesLine(result.choices, paint),
  ];
}

function jobLines(job: ImportedJob, exchanges: ExchangeLines, paint: Paint, details: boolean): string[] {
  const module = job.module === null ? "" : ` by ${harmlessLine(job.module)}`;
  return [
    `Import of ${paint.strong(harmlessLine(job.fixture))}${module}: ${plural(job.sent.strings, "string")} sent`,
    ...indent(job.exchanges.flatMap(exchanges), 4),
    ...indent(outcomeLines(job, paint), 2),
    ...indent(changeLines(job, paint, details), 4),
    ...indent(findingLines(job, paint, details), 4),
  ];
}

function findingLines({ findings }: ImportedJob, paint: Paint, details: boolean): string[] {
  const shown = details ? findings : findings.slice(0, SHOWN);
  const rest = findings.length - shown.length;
  return [
    ...shown.map(({ check, section, result, path, message }) => {
      const text = `${result === "fail" ? "fault" : "warning"}: ${clip(harmlessLine(`${path} ${message}`), REASON_CHARACTERS)} [${check}, interface ${section}]`;
      return result === "fail" ? paint.bad(text) : paint.caution(text);
    }),
    ...(rest > 0 ? [`… and ${plural(rest, "more finding")}; --details shows all`] : []),
  ];
}

function outcomeLines({ outcome, changes, received, error, hint }: ImportedJob, paint: Paint): string[] {
  const hintLines = hint === null ? [] : [`  hint: ${harmlessLine(hint)}`];
  switch (outcome) {
    case "imported": {
      const counts = `${changes.changed} changed, ${changes.added} added, ${changes.removed} removed, ${changes.unchanged} unchanged`;
      return [`${markOf("passed", paint)} imported: ${plural(received.strings, "string")} came back; ${counts}`];
    }
    case "not-modified":
      return [
        `${markOf("passed", paint)} not modified: the app answered 304, so nothing changes (${plural(changes.unchanged, "string")})`,
      ];
    case "failed":
      return [`${markOf("denied", paint)} ${paint.bad(`failed: ${reasonText(error ?? "")}`)}`, ...hintLines];
    case "skipped":
      return [`${markOf("skipped", paint)} skipped: ${reasonText(error ?? "")}`, ...hintLines];
  }
}

function changeLines({ changes: { strings } }: ImportedJob, paint: Paint, details: boolean): string[] {
  const shown = details ? strings : strings.slice(0, SHOWN);
  const rest = strings.length - shown.length;
  return [
    ...shown.flatMap(({ identifier, change, fields }) => [
      `${change} ${paint.strong(clip(harmlessLine(identifier), VALUE_CHARACTERS))}`,
      ...(change === "changed" ? fields : []).flatMap(({ field, before, after }) => [
        `  ${paint.bad(`- ${fieldText(field)}: ${valueText(before)}`)}`,
        `  ${paint.good(`+ ${fieldText(field)}: ${valueText(after)}`)}`,
      ]),
    ]),
    ...(rest > 0 ? [`… and ${plural(rest, "more string")}; --details shows all`] : []),
  ];
}

/** Language ids are the app's words as well. */
function fieldText(field: string): string {
  return clip(harmlessLine(field), VALUE_CHARACTERS);
}

function valueText(value: unknown): string {
  return clip(harmlessLine(JSON.stringify(value)), VALUE_CHARACTERS);
}

function summary(jobs: readonly ImportedJob[]): string {
  const count = (outcome: ImportedJob["outcome"]) => jobs.filter((job) => job.outcome === outcome).length;
  return `${plural(jobs.length, "job")}: ${count("imported")} imported, ${count("not-modified")} not modified, ${count("failed")} failed, ${count("skipped")} skipped`;
}
