import { isUtf8 } from "node:buffer";
import type { Evidence } from "../checking/check.ts";
import { answerOf, type Reply, replyByStatus } from "../checking/reply.ts";
import { type ChoiceReader, defaultChoices, readChoices } from "../config/choices.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import { answeredJson, readableBody, unpackedBytes } from "../journal/readable-body.ts";
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
import { isJsonObject } from "../protocol/json-object.ts";
import { createLineSplitter, parseLine } from "../protocol/ndjson.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { withCommas } from "../protocol/with-commas.ts";

/** Role suffixes of the files that an answer names. */
export const STRINGS_OF = "/strings";
export const PREVIEW_OF = "/preview";

const MESSAGE_CHARACTERS = 120;
const HTML_TAG = /<[a-z!]/i;
const DECLARES_UTF_8 = /<meta\s[^>]*charset\s*=\s*["']?\s*utf-?8\b/i;

/** The answer to a job, as far as the journal keeps it. */
export interface ReadImport {
  readonly exchange: Exchange;
  readonly reply: Reply;
  /** null if the answer does not follow interface 2.4. */
  readonly verdict: ImportVerdict | null;
  /** The returned strings, each once; null if not all are known. After a 304: none. */
  readonly strings: readonly StringRecord[] | null;
  /** Breaches of the rules of `app-sim post-import`. */
  readonly findings: readonly ImportFinding[];
}

/** The meaning of an answer to a post-import call (interface 2.4): an error message refuses, like a 4XX. */
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
    // Login middleware redirects strangers; the platform follows no redirects.
    if (status >= 300) return { kind: "refused", says: `answered ${status}` };
    return { kind: "unclear", says: `answered ${status}: ${harmlessLine(verdict.reason)}` };
  };
}

function quoted(text: string): string {
  return `"${clip(harmlessLine(text), MESSAGE_CHARACTERS)}"`;
}

/** Whether the journal has only the beginning of the answer. */
export function isCut({ response }: Exchange): boolean {
  if (response === null) return false;
  // If a small body was compressed, the journal may have only the beginning of its content.
  return [response.body, readableBody(response.headers, response.body)].some(
    (body) => body.size > bodyBytes(body).length,
  );
}

/** The content of an answer, as far as the journal keeps it; `size` is that of all of it, null if it is unknown. */
export function keptContent({ response }: Exchange): { readonly bytes: Buffer; readonly size: number | null } {
  if (response === null) return { bytes: Buffer.alloc(0), size: 0 };
  const { headers, body } = response;
  const content = readableBody(headers, body);
  const isCutWhilePacked = content !== body && body.size > bodyBytes(body).length;
  return { bytes: bodyBytes(content), size: isCutWhilePacked ? null : content.size };
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

/** Whether an answer says what is wrong, which is allowed with any status (interface 7). */
export function saysWhatIsWrong(exchange: Exchange): boolean {
  const message = importErrorSchema.safeParse(answeredJson(exchange)).data?.error.message ?? "";
  return exchange.outcome.kind === "answered" && message.trim() !== "";
}

/** Whether an answer that says what is wrong has strings, too, which are then ignored. */
export function hasDataToo(exchange: Exchange): boolean {
  const { data } = (answeredJson(exchange) ?? {}) as { readonly data?: unknown };
  return saysWhatIsWrong(exchange) && isJsonObject(data);
}

/** The job of a request; null if the journal has only its beginning. */
export function sentJob({ request }: Exchange): ImportJob | null {
  try {
    return importJobSchema.safeParse(JSON.parse(bodyBytes(request.body).toString())).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Reads the answer to a job; null if it was not sent.
 * @param sent the strings of the job if they were sent by URL
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

/** Cached readings: dozens of checks look at the same answers. */
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

/** The choices that matter for reading the reply. */
function choicesOf({ kind }: Reply): ChoiceReader {
  return readChoices({ ...defaultChoices, "postImport.notModified": kind === "accepted" ? "accepted" : "refused" });
}

/** The valid records among the values; invalid ones are separate findings. */
function recordsOf(values: readonly unknown[]): StringRecord[] {
  return withoutRepeated(values.flatMap((value) => stringRecordSchema.safeParse(value).data ?? []));
}

/** The values of a file of strings; null if it is missing or incomplete. */
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
  if (isList) return { fault: "is one JSON array, not one string record per line" };
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
  // The journal has only the beginning of a long file: its complete lines are judged.
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
    ? [importFinding("import.preview.plurals", path, "comes with plural strings, so the platform does not show it")]
    : [];
  if (preview.via === "inline") {
    const fault = preview.html === null ? null : htmlFault(preview.html);
    const message =
      preview.html === null ? "is not valid base64" : fault === null ? null : `is base64 of something ${fault}`;
    return [...plurals, ...(message === null ? [] : [importFinding("import.preview.content", path, message)])];
  }
  if (file === null) return plurals;
  const isThere = file.outcome.kind === "answered" && file.response?.status === 200 && file.response.body.size > 0;
  if (!isThere) return [...plurals, importFinding("import.file.fetched", path, "names a file that does not exist")];
  const fault = file.response === null ? null : htmlFault(unpackedBytes(file.response), isCut(file));
  return fault === null
    ? plurals
    : [...plurals, importFinding("import.preview.content", path, `names a file ${fault}`)];
}

/** What is wrong with the bytes of an HTML file; null if nothing. A truncated file may end in half a character. */
function htmlFault(html: Uint8Array, wasCut = false): string | null {
  const text = Buffer.from(html).toString();
  if (!HTML_TAG.test(text)) return "without any tag";
  return DECLARES_UTF_8.test(text) && !wasCut && !isUtf8(html) ? "that claims to be UTF-8, but is not" : null;
}

/** What is wrong with the file of strings that an answer names; null: nothing, or there is none. */
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
