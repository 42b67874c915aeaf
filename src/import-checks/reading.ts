import { isUtf8 } from "node:buffer";
import type { Evidence } from "../checking/check.ts";
import { answeredJson, answerOf, type Reply, replyByStatus } from "../checking/reply.ts";
import { type ChoiceReader, defaultChoices, readChoices } from "../config/choices.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import { readableBody, unpackedBytes } from "../journal/readable-body.ts";
import { type ImportVerdict, judgeImportAnswer } from "../post-import/checks/import-answer.ts";
import { ImportFindings } from "../post-import/checks/import-findings.ts";
import { importFinding } from "../post-import/checks/import-rules.ts";
import { lineLimits } from "../post-import/files/read-lines.ts";
import type { ImportFinding } from "../post-import/import-result.ts";
import { judgeOfJob, withoutRepeated } from "../post-import/run/strings-judge.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import {
  type ImportJob,
  importErrorSchema,
  importJobSchema,
  type StringRecord,
  stringRecordSchema,
} from "../protocol/import-job.ts";
import { createLineSplitter, parseLine } from "../protocol/ndjson.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { withCommas } from "../protocol/with-commas.ts";

/** Ends of the roles of the files that an answer names. */
export const STRINGS_OF = "/strings";
export const PREVIEW_OF = "/preview";

const MESSAGE_CHARACTERS = 120;
const HTML_TAG = /<[a-z!]/i;
const DECLARES_UTF_8 = /<meta\s[^>]*charset\s*=\s*["']?\s*utf-?8\b/i;

/** What a job was answered with, as far as the journal keeps it. */
export interface ReadImport {
  readonly exchange: Exchange;
  readonly reply: Reply;
  /** Null where the answer is none of interface 2.4. */
  readonly verdict: ImportVerdict | null;
  /** The strings that came, each once; null where they are not all known. After a 304: none. */
  readonly strings: readonly StringRecord[] | null;
  /** What breaks the rules of `app-sim post-import`. */
  readonly findings: readonly ImportFinding[];
}

/** What an answer to a post-import call means (interface 2.4): an error message refuses, as a 4XX does. */
export function readImportReply(choices: ChoiceReader): (exchange: Exchange) => Reply {
  return (exchange) => {
    const known = replyByStatus(exchange);
    if (known !== null) return known;
    const status = exchange.response?.status ?? 0;
    if (isCut(exchange)) {
      const says = `answered ${status} with ${withCommas(exchange.response?.body.size ?? 0)} bytes`;
      return { kind: status < 300 ? "accepted" : "refused", says };
    }
    const verdict = judgeImportAnswer(answerOf(exchange), choices, { by: "none" });
    if (verdict.kind === "strings") return { kind: "accepted", says: `answered ${status} with strings` };
    if (verdict.kind === "not-modified") return { kind: "accepted", says: "answered 304" };
    if (verdict.kind === "app-error") {
      return { kind: "refused", says: `answered ${status} with the error ${quoted(verdict.message)}` };
    }
    // A redirect is what login middleware answers to strangers; the platform follows none.
    if (status >= 300) return { kind: "refused", says: `answered ${status}` };
    return { kind: "unclear", says: `answered ${status}: ${harmlessLine(verdict.reason)}` };
  };
}

function quoted(text: string): string {
  return `"${clip(harmlessLine(text), MESSAGE_CHARACTERS)}"`;
}

/** Whether the journal has just the beginning of the answer. */
export function isCut({ response }: Exchange): boolean {
  if (response === null) return false;
  // Of a small body that was packed, the journal may have just the beginning of what was in it.
  return [response.body, readableBody(response.headers, response.body)].some(
    (body) => body.size > bodyBytes(body).length,
  );
}

/** The addresses that an answer names (interface 2.4); null: none. */
export function namedFiles(
  exchange: Exchange,
  choices: ChoiceReader,
): { readonly stringsUrl: string | null; readonly previewUrl: string | null } {
  const none = { stringsUrl: null, previewUrl: null };
  if (replyByStatus(exchange) !== null || isCut(exchange)) return none;
  const verdict = judgeImportAnswer(answerOf(exchange), choices, { by: "none" });
  if (verdict.kind !== "strings") return none;
  const { strings, preview } = verdict;
  return {
    stringsUrl: strings.via === "url" ? strings.url : null,
    previewUrl: preview?.via === "url" ? preview.url : null,
  };
}

/** Whether an answer says what is wrong, as it may whatever its status (interface 7). */
export function saysWhatIsWrong(exchange: Exchange): boolean {
  const message = importErrorSchema.safeParse(answeredJson(exchange)).data?.error.message ?? "";
  return exchange.outcome.kind === "answered" && message.trim() !== "";
}

/** The job of a request; null where the journal has just the beginning of it. */
export function sentJob({ request }: Exchange): ImportJob | null {
  try {
    return importJobSchema.safeParse(JSON.parse(bodyBytes(request.body).toString())).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Reads what a job was answered with; null where it was not sent.
 * @param sent the strings of the job where they went by URL
 */
export function readImport(
  evidence: Evidence,
  role: string,
  sent: readonly StringRecord[] | null = null,
): ReadImport | null {
  const exchange = evidence.steps.find((step) => step.role === role)?.exchange;
  if (exchange === undefined) return null;
  if (sent !== null) return readAnswer(evidence, role, exchange, sent);
  const known = readings.get(exchange) ?? readAnswer(evidence, role, exchange, null);
  readings.set(exchange, known);
  return known;
}

/** What was read already: dozens of checks look at the same answers. */
const readings = new WeakMap<Exchange, ReadImport>();

function readAnswer(
  { steps, read }: Evidence,
  role: string,
  exchange: Exchange,
  sent: readonly StringRecord[] | null,
): ReadImport {
  const stepOf = (wanted: string) => steps.find((step) => step.role === wanted)?.exchange ?? null;
  const reply = read(exchange);
  const nothing = { exchange, reply, verdict: null, strings: null, findings: [] };
  if (replyByStatus(exchange) !== null || isCut(exchange)) return nothing;
  const verdict = judgeImportAnswer(answerOf(exchange), choicesOf(reply), { by: "none" });
  if (verdict.kind === "not-modified") return { ...nothing, verdict, strings: [] };
  if (verdict.kind === "failed") return { ...nothing, verdict, findings: verdict.findings };
  if (verdict.kind === "app-error") return { ...nothing, verdict };
  const job = sentJob(exchange);
  const known = sent ?? job?.strings ?? null;
  const findings = new ImportFindings();
  findings.add(...verdict.findings);
  const values = verdict.strings.via === "inline" ? verdict.strings.values : linesOf(stepOf(role + STRINGS_OF));
  const judge = job === null || known === null ? null : judgeOfJob(job, known, "unchanged", findings);
  for (const [index, value] of (values ?? []).entries()) {
    judge?.takeValue(value, verdict.strings.via === "inline" ? (verdict.strings.notes.get(index) ?? []) : []);
  }
  if (values !== null) judge?.changes();
  if (verdict.strings.via === "url") findings.add(...fileFindings(verdict.strings.url, stepOf(role + STRINGS_OF)));
  findings.add(...previewFindings(verdict, judge?.hasPlurals === true, stepOf(role + PREVIEW_OF)));
  return { exchange, reply, verdict, strings: values && recordsOf(values), findings: findings.list() };
}

/** The choices that the reply was read with, as far as they matter here. */
function choicesOf({ kind }: Reply): ChoiceReader {
  return readChoices({ ...defaultChoices, "postImport.notModified": kind === "accepted" ? "accepted" : "refused" });
}

/** The records among the values; one that breaks the contract is a finding of its own. */
function recordsOf(values: readonly unknown[]): StringRecord[] {
  return withoutRepeated(values.flatMap((value) => stringRecordSchema.safeParse(value).data ?? []));
}

/** The values of a file of strings; null where it did not come, or not in whole. */
function linesOf(file: Exchange | null): unknown[] | null {
  if (file === null || file.outcome.kind !== "answered" || file.response?.status !== 200 || isCut(file)) return null;
  return readLines(unpackedBytes(file.response)).values;
}

function readLines(bytes: Uint8Array): { readonly values: unknown[]; readonly fault: string | null } {
  const splitter = createLineSplitter(lineLimits);
  const parts = [splitter.push(bytes), splitter.end()];
  const parsed = parts.flatMap(({ lines }) => lines).map(parseLine);
  const wrong = parsed.find((line) => !line.ok);
  return {
    values: parsed.flatMap((line) => (line.ok ? [line.value] : [])),
    fault: wrong?.ok === false ? wrong.reason : (parts.find(({ fault }) => fault !== null)?.fault ?? null),
  };
}

const LF = 0x0a;

/** What is wrong with the beginning of a file of strings. */
function beginningOf(bytes: Uint8Array): { readonly fault: string | null } {
  const isList = Buffer.from(bytes.subarray(0, 16)).toString().trimStart().startsWith("[");
  if (isList) return { fault: "is one JSON array, not one string record on each line" };
  return readLines(bytes.subarray(0, bytes.lastIndexOf(LF) + 1));
}

function fileFindings(url: string, file: Exchange | null): ImportFinding[] {
  const path = "data.stringsUrl";
  if (!isHttpUrl(url)) return [importFinding("import.file.address", path, "is not an absolute http(s) URL", url)];
  // At another origin: verify fetches nothing from there.
  if (file === null) return [];
  const { outcome, response } = file;
  if (outcome.kind !== "answered" || response?.status !== 200) {
    const what =
      outcome.kind === "answered" ? `is answered with ${response?.status}` : `cannot be read: ${outcome.kind}`;
    return [importFinding("import.file.fetched", path, what, url)];
  }
  const bytes = unpackedBytes(response);
  // Of a long file the journal has the beginning: its whole lines are judged.
  const { fault } = isCut(file) ? beginningOf(bytes) : readLines(bytes);
  return fault === null ? [] : [importFinding("import.file.lines", path, fault)];
}

function previewFindings(
  verdict: Extract<ImportVerdict, { kind: "strings" }>,
  hasPlurals: boolean,
  file: Exchange | null,
): ImportFinding[] {
  const { preview } = verdict;
  if (preview === null) return [];
  const path = preview.via === "inline" ? "data.preview" : "data.previewUrl";
  const plurals = hasPlurals
    ? [importFinding("import.preview.plurals", path, "comes with plural strings: the platform does not show it")]
    : [];
  if (preview.via === "inline") {
    const fault = preview.html === null ? null : htmlFault(preview.html);
    const message =
      preview.html === null
        ? "is not the base64 of anything"
        : fault === null
          ? null
          : `is the base64 of something ${fault}`;
    return [...plurals, ...(message === null ? [] : [importFinding("import.preview.content", path, message)])];
  }
  if (file === null) return plurals;
  const isThere = file.outcome.kind === "answered" && file.response?.status === 200 && file.response.body.size > 0;
  if (!isThere) return [...plurals, importFinding("import.file.fetched", path, "names no file that is there")];
  const fault = file.response === null ? null : htmlFault(unpackedBytes(file.response), isCut(file));
  return fault === null
    ? plurals
    : [...plurals, importFinding("import.preview.content", path, `names a file ${fault}`)];
}

/** What is wrong with the bytes of an HTML file; null if nothing. Of one that was cut the last character may be, too. */
function htmlFault(html: Uint8Array, wasCut = false): string | null {
  const text = Buffer.from(html).toString();
  if (!HTML_TAG.test(text)) return "without any tag";
  return DECLARES_UTF_8.test(text) && !wasCut && !isUtf8(html) ? "that is not in UTF-8, which it says it is" : null;
}

/** What is wrong with the file of strings that an answer names; null: nothing, or it names none. */
export function brokenFile({ findings }: ReadImport): string | null {
  const finding = findings.find(({ check }) => check.startsWith("import.file."));
  return finding === undefined ? null : `${finding.path} ${finding.message}`;
}

/** The HTML of the preview that an answer holds or names; null: it has none. */
export function previewOf({ steps }: Evidence, role: string, { verdict }: ReadImport): string | null {
  if (verdict?.kind !== "strings" || verdict.preview === null) return null;
  if (verdict.preview.via === "inline") return verdict.preview.html?.toString() ?? null;
  const file = steps.find((step) => step.role === role + PREVIEW_OF)?.exchange;
  return file?.response === null || file === undefined ? null : unpackedBytes(file.response).toString();
}
