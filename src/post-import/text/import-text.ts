import { fold, indent, type Piece } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { choicesLine, type ExchangeLines, markOf, plural, reasonText } from "../../output/text.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { isAsExpected } from "../exit-code.ts";
import type { ImportedJob, ImportResult } from "../import-result.ts";
import { changeLines } from "./import-changes.ts";
import { expectedLines } from "./import-expected.ts";
import { whatTheAppDid } from "./import-fields.ts";
import { countFindings, findingLines, findingsText } from "./import-findings-text.ts";
import { countPieces, isEmptied, occasionText } from "./import-words.ts";

/** Files are uploaded by a manager where nobody else is named. */
const USUAL_ROLE = "manager";

/** Imports as lines: for each job what was sent, what came back, and what the app did to the strings. */
export function importText(result: ImportResult, exchanges: ExchangeLines, paint: Paint, details: boolean): string[] {
  return [
    ...result.jobs.flatMap((job) => [...jobLines(job, exchanges, paint, details), ""]),
    ...(result.jobs.length > 1
      ? [...result.jobs.flatMap((job) => jobSummary(job, paint)), ...summary(result.jobs, paint)]
      : []),
    ...choicesLine(result.choices, paint),
  ];
}

function jobLines(job: ImportedJob, exchanges: ExchangeLines, paint: Paint, details: boolean): string[] {
  const within = { ...paint, width: paint.width - 4 };
  return [
    ...fold(headPieces(job, paint), paint.width, 2),
    ...indent(job.exchanges.flatMap(exchanges), 4),
    ...indent(outcomeLines(job, { ...paint, width: paint.width - 2 }), 2),
    ...indent(previewLines(job, within), 4),
    ...indent(changeLines(job.changes, whatTheAppDid, within, details), 4),
    ...indent(findingLines(job, within, details), 4),
    ...indent(expectedLines(job, { ...paint, width: paint.width - 2 }, details), 2),
  ];
}

function headPieces(job: ImportedJob, paint: Paint): Piece[] {
  const { fixture, module, user, sent, outcome } = job;
  const by = module === null ? "" : ` by ${harmlessLine(module)}`;
  const as = user.role === USUAL_ROLE ? "" : `, imported as ${user.role}`;
  const strings = plural(sent.strings, "string");
  const content = sent.contentVia === "url" ? ", the file by URL" : "";
  const travelled = outcome === "skipped" ? strings : `${strings} sent ${viaText(sent.via)}${content}`;
  return [
    { text: "Import of " },
    { text: harmlessLine(fixture), paint: paint.strong },
    { text: `${by}: ${occasionText(job)}${as}, ${travelled}` },
  ];
}

function viaText(via: ImportedJob["sent"]["via"]): string {
  return via === "url" ? "by URL" : "inline";
}

function outcomeLines(job: ImportedJob, paint: Paint): string[] {
  const { outcome, changes, sent, received, error, hint } = job;
  const hintLines = hint === null ? [] : indent(fold(`hint: ${harmlessLine(hint)}`, paint.width - 2, 2), 2);
  const line = (mark: Parameters<typeof markOf>[0], ...pieces: readonly Piece[]) =>
    fold([{ text: `${markOf(mark, paint)} ` }, ...pieces], paint.width, 2);
  switch (outcome) {
    case "imported": {
      const came = `${plural(received.strings, "string")} came back${received.via === "url" ? " by URL" : ""}; `;
      if (!isEmptied(job)) return line("passed", { text: `imported: ${came}` }, ...countPieces(changes, paint));
      const gone = { text: goneText(sent.strings), paint: paint.caution };
      return line("warned", { text: "imported, but " }, gone, { text: `: ${came}` }, ...countPieces(changes, paint));
    }
    case "not-modified": {
      const text = `not modified: the app answered 304, so nothing changes (${plural(changes.unchanged, "string")})`;
      return line("passed", { text });
    }
    case "failed":
      return isAsExpected(job)
        ? line("passed", { text: `failed, as expected: ${reasonText(error ?? "")}` })
        : [...line("denied", { text: `failed: ${failureText(job)}`, paint: paint.bad }), ...hintLines];
    case "skipped":
      return [...line("skipped", { text: `skipped: ${reasonText(error ?? "")}` }), ...hintLines];
  }
}

function goneText(strings: number): string {
  return strings === 1 ? "the only string was removed" : `all ${plural(strings, "string")} were removed`;
}

/** Where findings say what is wrong, they say it once. */
function failureText(job: ImportedJob): string {
  const { error, findings } = job;
  if (countFindings(job).faults === 0) return reasonText(error ?? "");
  const isNotFetched = findings.some(({ check }) => check === "import.file.fetched");
  const what = isNotFetched ? "a file that the answer names could not be fetched" : "the answer breaks the contract";
  return `${what} (${findingsText(job)})`;
}

function previewLines({ preview }: ImportedJob, paint: Paint): string[] {
  if (preview === null) return [];
  const what = `preview: ${plural(preview.bytes, "byte")} of HTML`;
  if (preview.url === null) return fold(`${what}; --preview opens it`, paint.width, 2);
  return fold(`${what}: ${harmlessLine(preview.url)}`, paint.width, 2);
}

/** A job of a batch in short, so that the batch can be looked through from its end. */
function jobSummary(job: ImportedJob, paint: Paint): string[] {
  const { fixture, outcome, changes, findings, expected } = job;
  const [first = "", ...rest] = fold(
    [
      { text: harmlessLine(fixture), paint: paint.strong },
      { text: `: ${occasionText(job)}, ${outcome.replace("-", " ")}` },
      ...(outcome === "imported" ? [{ text: "; " }, ...countPieces(changes, paint)] : []),
      { text: findings.length === 0 ? "" : `; ${findingsText(job)}` },
      { text: expected === null ? "" : `; expected answer: ${expected.result.replace("-", " ")}` },
    ],
    paint.width - 2,
    2,
  );
  return [`${markOfJob(job, paint)} ${first}`, ...indent(rest, 2)];
}

function markOfJob(job: ImportedJob, paint: Paint): string {
  if (job.outcome === "skipped") return markOf("skipped", paint);
  if (!isAsExpected(job)) return markOf("denied", paint);
  return markOf(isEmptied(job) ? "warned" : "passed", paint);
}

function summary(jobs: readonly ImportedJob[], paint: Paint): string[] {
  const count = (outcome: ImportedJob["outcome"]) => jobs.filter((job) => job.outcome === outcome).length;
  const different = jobs.filter(({ expected }) => expected?.result === "different").length;
  const unlike = different === 0 ? "" : `; ${different} not as expected`;
  const text = `${plural(jobs.length, "job")}: ${count("imported")} imported, ${count("not-modified")} not modified, ${count("failed")} failed, ${count("skipped")} skipped${unlike}`;
  return fold([{ text }], paint.width, 2);
}
