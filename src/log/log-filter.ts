import { REDACTED } from "../journal/credentials.ts";
import type { Exchange, HeaderLines, RecordedBody } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import { readableBody } from "../journal/readable-body.ts";
import { type JournalRecord, timeOfRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import type { LogFilter, StatusRange } from "./log-flags.ts";

/** Whether any of the members is set. */
export function isFiltering(filter: LogFilter): boolean {
  return Object.values(filter).some((member) => member !== undefined && member !== false);
}

/** Whether a record matches. Redacted text does not match. */
export function isWanted(record: JournalRecord, filter: LogFilter, redactor: Redactor): boolean {
  return isFitting(record, filter) && (filter.grep === undefined || isFoundIn(record, filter.grep, redactor));
}

/** Whether a record matches everything but the pattern. */
export function isFitting(record: JournalRecord, { since, kind, module, status, failed }: LogFilter): boolean {
  if (since !== undefined && Date.parse(timeOfRecord(record)) < since) return false;
  if (kind !== undefined && !kind.includes(record.type) && !(isExchange(record) && kind.includes(record.purpose)))
    return false;
  if (module !== undefined && !isOfModule(record, module)) return false;
  if (status !== undefined && !hasStatus(record, status)) return false;
  return failed !== true || hasFailed(record);
}

/** Whether a pattern matches what is shown of a record. */
export function isFoundIn(record: JournalRecord, pattern: RegExp, redactor: Redactor): boolean {
  // Redacting takes most of the time of a search.
  if (isPlainText(pattern) && !pattern.test(textOf(record))) return false;
  return pattern.test(textOf(hidden(record, redactor)));
}

/** Whether a pattern is plain text that redaction cannot produce: no part of its markers. */
function isPlainText({ source }: RegExp): boolean {
  const text = source.replace(/\\([./-])/g, "$1");
  const hasSyntax = /[^\p{L}\p{N}_ ./:@=,;%&<>-]/u.test(text) || /(?<!\\)\./.test(source);
  return !hasSyntax && !REDACTED.includes(text.toLowerCase());
}

/** Whether a record is an exchange, with a request and an answer. */
export function isExchange(record: JournalRecord): record is Exchange {
  return record.type === "exchange";
}

function isOfModule(record: JournalRecord, module: string): boolean {
  if (record.type === "exchange") return record.module === module;
  if (record.type === "login") return record.deniedBy === module;
  return record.type === "verification" && record.checks.some((check) => check.module === module);
}

function hasStatus(record: JournalRecord, { from, to }: StatusRange): boolean {
  const status = record.type === "exchange" ? record.response?.status : undefined;
  return status !== undefined && status >= from && status <= to;
}

/** Whether something went wrong, or was refused: a call without an answer, a status of 400 and above, a denial. */
export function hasFailed(record: JournalRecord): boolean {
  switch (record.type) {
    case "exchange":
      return record.outcome.kind !== "answered" || (record.response?.status ?? 0) >= 400;
    case "login":
      return record.outcome !== "granted";
    case "oauth":
      return record.outcome === "refused";
    case "verification":
      return record.outcome !== "passed";
    case "load":
      return record.outcome !== "ok";
    case "foreign":
      return true;
  }
}

/** What is shown of a record. */
function hidden(record: JournalRecord, redactor: Redactor): Exchange | string {
  return record.type === "exchange" ? redactor.exchange(record) : redactor.text(JSON.stringify(record));
}

function textOf(record: JournalRecord | string): string {
  if (typeof record === "string") return record;
  if (record.type !== "exchange") return JSON.stringify(record);
  const { request, response, module, outcome } = record;
  return [
    `${module ?? ""} ${request.method} ${request.url}`,
    ...messageTexts(request),
    `${response?.status ?? ""} ${JSON.stringify(outcome)}`,
    ...(response === null ? [] : messageTexts(response)),
  ].join("\n");
}

function messageTexts({ headers, body }: { readonly headers: HeaderLines; readonly body: RecordedBody }): string[] {
  return [...headers.map(([name, value]) => `${name}: ${value}`), bodyText(readableBody(headers, body))];
}
