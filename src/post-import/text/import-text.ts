import { indent, type Piece } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { choicesLine, type ExchangeLines, markOf, plural, reasonText } from "../../output/text.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { isAsExpected } from "../exit-code.ts";
import type { ImportedJob, ImportResult } from "../import-result.ts";
import { whatTheAppDid } from "./changed-fields.ts";
import { changeLines } from "./changed-strings.ts";
import { expectedLines } from "./expected-text.ts";
import { countFindings, findingLines, findingsText, ignoredLines } from "./findings-text.ts";
import { countPieces, inset, isEmptied, occasionText, paragraph } from "./import-words.ts";

/** The role of the user who imports by default. */
const USUAL_ROLE = "manager";

/** Imports as lines: for each job the request, the answer, and what the app did to the strings. */
export function importText(result: ImportResult, exchanges: ExchangeLines, paint: Paint, details: boolean): string[] {
  const { jobs } = result;
  const isBatch = jobs.length > 1;
  return [
    ...jobs.flatMap((job) => [...jobLines(job, exchanges, paint, details), ""]),
    ...(isBatch ? [...jobs.flatMap((job) => jobSummary(job, paint)), ...summary(jobs, paint)] : []),
    ...choicesLine(result.choices, paint),
  ];
}

function jobLines(job: ImportedJob, exchanges: ExchangeLines, paint: Paint, details: boolean): string[] {
  return [
    ...paragraph(paint, ...headPieces(job, paint)),
    ...inset(4, paint, () => job.exchanges.flatMap(exchanges)),
    ...inset(2, paint, (inner) => outcomeLines(job, inner)),
    ...inset(4, paint, (inner) => [
      ...previewLines(job, inner),
      ...changeLines(job.changes, { sides: whatTheAppDid, paint: inner, details }),
      ...findingLines(job, inner, details),
      ...ignoredLines(job, inner),
    ]),
    ...inset(2, paint, (inner) => expectedLines(job, inner, details)),
  ];
}

function headPieces(job: ImportedJob, paint: Paint): (string | Piece)[] {
  const { fixture, module, user, sent, outcome } = job;
  const by = module === null ? "" : ` by ${harmlessLine(module)}`;
  const as = user.role === USUAL_ROLE ? "" : `, imported as ${user.role}`;
  const how = `sent ${sent.via === "url" ? "by URL" : "inline"}${sent.contentVia === "url" ? ", the file by URL" : ""}`;
  const strings = `${plural(sent.strings, "string")}${outcome === "skipped" ? "" : ` ${how}`}`;
  const name = { text: harmlessLine(fixture), paint: paint.strong };
  return ["Import of ", name, `${by}: ${occasionText(job)}${as}, ${strings}`];
}

function outcomeLines(job: ImportedJob, paint: Paint): string[] {
  const { outcome, changes, sent, received, error, hint } = job;
  const line = (mark: Parameters<typeof markOf>[0], ...pieces: readonly (string | Piece)[]) =>
    paragraph(paint, `${markOf(mark, paint)} `, ...pieces);
  const hintLines = hint === null ? [] : inset(2, paint, (inner) => paragraph(inner, `hint: ${harmlessLine(hint)}`));
  switch (outcome) {
    case "imported": {
      const returned = `${plural(received.strings, "string")} came back${received.via === "url" ? " by URL" : ""}; `;
      if (!isEmptied(job)) return line("passed", `imported: ${returned}`, ...countPieces(job, paint));
      const strings = sent.strings === 1 ? "the only string was" : `all ${plural(sent.strings, "string")} were`;
      const gone = { text: `${strings} removed`, paint: paint.caution };
      return line("warned", "imported, but ", gone, `: ${returned}`, ...countPieces(job, paint));
    }
    case "not-modified": {
      const strings = plural(changes.unchanged, "string");
      return line("passed", `not modified: the app answered 304, so nothing changes (${strings})`);
    }
    case "failed":
      return isAsExpected(job)
        ? line("passed", `failed, as expected: ${reasonText(error ?? "")}`)
        : [...line("denied", { text: `failed: ${failureText(job)}`, paint: paint.bad }), ...hintLines];
    case "skipped":
      return [...line("skipped", `skipped: ${reasonText(error ?? "")}`), ...hintLines];
  }
}

/** Why an import failed, in short if findings say what is wrong. */
function failureText(job: ImportedJob): string {
  if (countFindings(job).faults === 0) return reasonText(job.error ?? "");
  const isNotFetched = job.findings.some(({ check }) => check === "import.file.fetched");
  const what = isNotFetched ? "a file that the answer names could not be fetched" : "the answer breaks the contract";
  return `${what} (${findingsText(job)})`;
}

function previewLines({ preview }: ImportedJob, paint: Paint): string[] {
  if (preview === null) return [];
  const where = preview.url === null ? "; --preview opens it" : `: ${harmlessLine(preview.url)}`;
  return paragraph(paint, `preview: ${plural(preview.bytes, "byte")} of HTML${where}`);
}

/** A job of a batch in one line: the end of the output sums up the batch. */
function jobSummary(job: ImportedJob, paint: Paint): string[] {
  const { fixture, outcome, findings, expected } = job;
  const mark = outcome === "skipped" ? "skipped" : !isAsExpected(job) ? "denied" : isEmptied(job) ? "warned" : "passed";
  const [first = "", ...rest] = paragraph(
    { ...paint, width: paint.width - 2 },
    { text: harmlessLine(fixture), paint: paint.strong },
    `: ${occasionText(job)}, ${outcome.replace("-", " ")}`,
    ...(outcome === "imported" ? ["; ", ...countPieces(job, paint)] : []),
    findings.length === 0 ? "" : `; ${findingsText(job)}`,
    expected === null ? "" : `; expected answer: ${expected.result.replace("-", " ")}`,
  );
  return [`${markOf(mark, paint)} ${first}`, ...indent(rest, 2)];
}

function summary(jobs: readonly ImportedJob[], paint: Paint): string[] {
  const count = (outcome: ImportedJob["outcome"]) => jobs.filter((job) => job.outcome === outcome).length;
  const counts = `${count("imported")} imported, ${count("not-modified")} not modified, ${count("failed")} failed, ${count("skipped")} skipped`;
  const different = jobs.filter(({ expected }) => expected?.result === "different").length;
  const unlike = different === 0 ? "" : `; ${different} not as expected`;
  return paragraph(paint, `${plural(jobs.length, "job")}: ${counts}${unlike}`);
}
