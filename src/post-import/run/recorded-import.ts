import { type Choices, readChoices } from "../../config/choices.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { bodyBytes } from "../../journal/journal.ts";
import { readableBody } from "../../journal/readable-body.ts";
import { importJobSchema, stringRecordSchema } from "../../protocol/import-job.ts";
import type { JsonNote } from "../../protocol/json-notes.ts";
import { createLineSplitter, type Line, parseLine } from "../../protocol/ndjson.ts";
import { parseUrl } from "../../protocol/url.ts";
import { judgeImportAnswer } from "../checks/import-answer.ts";
import { ImportFindings } from "../checks/import-findings.ts";
import { importFinding } from "../checks/import-rules.ts";
import { lineLimits } from "../files/read-lines.ts";
import type { ImportFinding } from "../import-result.ts";
import { judgeOfJob } from "./strings-judge.ts";

/** A post-import call, and the files fetched for it, in both directions. */
export interface ImportCall {
  readonly job: Exchange;
  readonly files: readonly Exchange[];
}

/** A value that should be a string record (interface 2.5). */
interface StringValue {
  readonly value: unknown;
  /** Such as `data.strings[0]`; findings begin with it. */
  readonly place: string;
  /** Its line number, if it comes from a file. */
  readonly line: Line | null;
}

/** The strings of a job or of its answer, as far as the journal kept them. */
export interface StringValues {
  readonly values: readonly StringValue[];
  readonly isCut: boolean;
}

/** The sent strings, inline or by URL (interface 2.3); a text says why they are unknown. */
export function stringsSent({ job, files }: ImportCall): StringValues | string {
  const body = jsonOf(job.request) as { readonly strings?: unknown; readonly stringsUrl?: unknown } | null;
  if (body === null) return "the journal kept only the beginning of the job";
  if (Array.isArray(body.strings)) return inline(body.strings);
  const file = fileAt(files, "file", body.stringsUrl);
  return file === null ? "the app did not fetch the strings of this job" : linesOf(file);
}

/** The returned strings (interface 2.4). After a 304 they are the sent ones. */
export function stringsAnswered(call: ImportCall): StringValues | string {
  const { response } = call.job;
  if (response?.status === 304) return stringsSent(call);
  const body = (response && jsonOf(response)) as { readonly data?: unknown } | null;
  if (response !== null && body === null) return "the answer is not JSON, or the journal kept only its beginning";
  const { strings, stringsUrl } = (body?.data ?? {}) as { readonly strings?: unknown; readonly stringsUrl?: unknown };
  if (Array.isArray(strings)) return inline(strings);
  if (typeof stringsUrl !== "string") return "the answer has no strings";
  const file = fileAt(call.files, "import-file", stringsUrl);
  return file === null ? "the file of strings that the answer names was not fetched" : linesOf(file);
}

/** The findings of `app-sim post-import` on the strings of an answer; none unless the journal has all strings. */
export function stringFindings(call: ImportCall, choices: Choices): ImportFinding[] {
  const job = importJobSchema.safeParse(jsonOf(call.job.request)).data;
  const [sent, came] = [stringsSent(call), stringsAnswered(call)];
  if (job === undefined || typeof sent === "string" || typeof came === "string") return [];
  if (sent.isCut || came.isCut || call.job.response?.status === 304) return [];
  const records = sent.values.flatMap(({ value }) => stringRecordSchema.safeParse(value).data ?? []);
  const findings = new ImportFindings();
  const notes = stringNotes(call, choices);
  const judge = judgeOfJob(job, records, choices["postImport.omitted"], findings);
  for (const [index, { value, line }] of came.values.entries()) {
    const wrong = line === null ? judge.takeValue(value, notes.get(index) ?? []) : judge.takeLine(line);
    if (wrong != null) findings.add(importFinding("import.file.lines", "data.stringsUrl", wrong));
  }
  judge.changes();
  return findings.list();
}

/** Notes on the JSON of the strings in an answer, by position. */
function stringNotes({ job: { response } }: ImportCall, choices: Choices): ReadonlyMap<number, readonly JsonNote[]> {
  const none = new Map();
  if (response === null) return none;
  const { status, headers, body } = response;
  const answer = { status, headers, body: bodyBytes(readableBody(headers, body)) };
  const verdict = judgeImportAnswer(answer, readChoices(choices), { by: "none" });
  return verdict.kind === "strings" && verdict.strings.via === "inline" ? verdict.strings.notes : none;
}

/** Ids of the languages of a job (interface 2.3). */
export function jobLanguages({ job }: ImportCall): { readonly source: string; readonly targets: readonly string[] } {
  const { sourceLanguage, targetLanguages } = importJobSchema
    .pick({ sourceLanguage: true, targetLanguages: true })
    .safeParse(jsonOf(job.request)).data ?? { sourceLanguage: { id: "source" }, targetLanguages: [] };
  return { source: sourceLanguage.id, targets: targetLanguages.map(({ id }) => id) };
}

function inline(values: readonly unknown[]): StringValues {
  return {
    values: values.map((value, index) => ({ value, place: `data.strings[${index}]`, line: null })),
    isCut: false,
  };
}

/** What identifies the file at an address, without the host, which a proxy may change. Null: not an address. */
export function importFilePath(url: unknown): string | null {
  const address = typeof url === "string" ? parseUrl(url) : null;
  return address === null ? null : address.pathname + address.search;
}

/** The paths of the files that a job and its answer name. */
export function importFilePaths({ request, response }: Exchange): string[] {
  const job = jsonOf(request) as { readonly stringsUrl?: unknown } | null;
  const answer = response && (jsonOf(response) as { readonly data?: { readonly stringsUrl?: unknown } | null } | null);
  return [job?.stringsUrl, answer?.data?.stringsUrl].flatMap((url) => importFilePath(url) ?? []);
}

/** The first whole file, or the first one, that was fetched from an address. */
function fileAt(files: readonly Exchange[], purpose: Exchange["purpose"], url: unknown): Exchange | null {
  const wanted = importFilePath(url);
  const fetched = files.filter(
    (file) => file.purpose === purpose && file.response?.status === 200 && importFilePath(file.request.url) === wanted,
  );
  return fetched.find(({ outcome }) => outcome.kind === "answered") ?? fetched[0] ?? null;
}

/** The records of a file of strings; if the file is truncated, its complete lines. */
function linesOf({ response, outcome }: Exchange): StringValues {
  const { headers, body } = response ?? { headers: [], body: { base64: "", size: 0 } };
  const isCut = outcome.kind !== "answered" || body.size > bodyBytes(body).length;
  const splitter = createLineSplitter(lineLimits);
  const parts = [splitter.push(bodyBytes(readableBody(headers, body))), ...(isCut ? [] : [splitter.end()])];
  const values = parts.flatMap(({ lines }) =>
    lines.map((line) => {
      const parsed = parseLine(line);
      return { value: parsed.ok ? parsed.value : null, place: `data.stringsUrl line ${line.number}`, line };
    }),
  );
  return { values, isCut };
}

function jsonOf({ headers, body }: Pick<Exchange["request"], "headers" | "body">): unknown {
  if (body.size > bodyBytes(body).length) return null;
  try {
    return JSON.parse(bodyBytes(readableBody(headers, body)).toString("utf8"));
  } catch {
    return null;
  }
}
