import { columnsOf, fold, shortened } from "../../output/columns.ts";
import type { Paint } from "../../output/paint.ts";
import { indent, markOf } from "../../output/text.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { isAsExpected } from "../exit-code.ts";
import type { ImportedJob } from "../import-result.ts";
import { findingsText } from "./import-findings-text.ts";
import { count, countPieces, isEmptied, occasionText } from "./import-words.ts";

interface Column {
  readonly name: string;
  readonly cell: (job: ImportedJob) => string;
  readonly isNumber?: boolean;
}

const GAP = 2;
/** A name in fewer columns than these tells nothing. */
const LEAST_NAME = 16;

/** All jobs of a batch: a table, or two lines for each where a table does not fit. */
export function importTable(jobs: readonly ImportedJob[], paint: Paint): string[] {
  const folder = commonFolder(jobs.map(({ fixture }) => fixture));
  const columns = columnsFor(jobs);
  const rows = jobs.map((job) => columns.map(({ cell }) => cell(job)));
  const widths = columns.map(({ name }, at) => Math.max(name.length, ...rows.map((row) => columnsOf(row[at] ?? ""))));
  const room = paint.width - "✓ ".length - widths.reduce((sum, width) => sum + width + GAP, 0);
  if (room < LEAST_NAME) return jobs.flatMap((job) => jobLines(job, folder, paint));
  const full = jobs.map(({ fixture }) => harmlessLine(fixture));
  const isTooLong = Math.max(...full.map(columnsOf)) > room;
  const names = isTooLong ? full.map((name) => shortened(name.slice(folder.length), room)) : full;
  const title = isTooLong && folder !== "" ? shortened(`in ${folder}`, room) : "fixture";
  const nameWidth = Math.max(...[title, ...names].map(columnsOf));
  const line = (name: string, row: readonly string[]) =>
    [
      pad(name, nameWidth),
      ...row.map((cell, at) => (columns[at]?.isNumber ? padLeft(cell, widths[at]) : pad(cell, widths[at]))),
    ]
      .join(" ".repeat(GAP))
      .trimEnd();
  return [
    paint.quiet(
      `  ${line(
        title,
        columns.map(({ name }) => name),
      )}`,
    ),
    ...jobs.map((job, at) => `${markOfJob(job, paint)} ${line(names[at] ?? "", rows[at] ?? [])}`),
  ];
}

function columnsFor(jobs: readonly ImportedJob[]): Column[] {
  const isAnyFound = jobs.some(({ findings }) => findings.length > 0);
  const isAnyExpected = jobs.some(({ expected }) => expected !== null);
  return [
    { name: "for", cell: shortOccasion },
    { name: "outcome", cell: outcomeText },
    { name: "changed", cell: ({ changes }) => count(changes.changed), isNumber: true },
    { name: "added", cell: ({ changes }) => count(changes.added), isNumber: true },
    { name: "removed", cell: ({ changes }) => count(changes.removed), isNumber: true },
    ...(isAnyFound ? [{ name: "findings", cell: (job: ImportedJob) => findingsText(job) || "–" }] : []),
    ...(isAnyExpected
      ? [{ name: "expected", cell: ({ expected }: ImportedJob) => expectedText(expected) || "–" }]
      : []),
  ];
}

/** The lines of a job where the terminal is too narrow for a table. */
function jobLines(job: ImportedJob, folder: string, paint: Paint): string[] {
  const name = harmlessLine(job.fixture);
  const room = paint.width - "✓ ".length;
  const { expected } = job;
  const isImported = job.outcome === "imported";
  return [
    `${markOfJob(job, paint)} ${shortened(columnsOf(name) > room ? name.slice(folder.length) : name, room)}`,
    ...indent(
      fold(
        [
          { text: `${occasionText(job)}: ${outcomeText(job)}` },
          ...(isImported ? [{ text: "; " }, ...countPieces(job.changes, paint)] : []),
          { text: job.findings.length === 0 ? "" : `; ${findingsText(job)}` },
          { text: expected === null ? "" : `; expected answer: ${expectedText(expected)}` },
        ],
        paint.width - 4,
      ),
      4,
    ),
  ];
}

function markOfJob(job: ImportedJob, paint: Paint): string {
  if (job.outcome === "skipped") return markOf("skipped", paint);
  if (!isAsExpected(job)) return markOf("denied", paint);
  return markOf(isEmptied(job) ? "warned" : "passed", paint);
}

function expectedText(expected: ImportedJob["expected"]): string {
  return expected?.result.replace("-", " ") ?? "";
}

function outcomeText({ outcome }: ImportedJob): string {
  return outcome.replace("-", " ");
}

/** The occasion in a word or two: the languages of translations say which job it is. */
function shortOccasion({ occasion, languages }: ImportedJob): string {
  if (occasion === "source-upload") return "new file";
  if (occasion === "source-update") return "update";
  return shortened(harmlessLine(languages.join(", ")), LEAST_NAME);
}

/** The folder, with its slash, that all files lie in; empty where there is none. */
function commonFolder(files: readonly string[]): string {
  const [first = "", ...others] = files.map(harmlessLine);
  let end = 0;
  for (let at = first.indexOf("/"); at >= 0; at = first.indexOf("/", at + 1)) {
    const folder = first.slice(0, at + 1);
    if (others.every((file) => file.startsWith(folder))) end = at + 1;
  }
  return first.slice(0, end);
}

function pad(text: string, width = 0): string {
  return text + spaces(text, width);
}

function padLeft(text: string, width = 0): string {
  return spaces(text, width) + text;
}

function spaces(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - columnsOf(text)));
}
