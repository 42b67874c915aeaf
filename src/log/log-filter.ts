import type { Exchange, HeaderLines, RecordedBody } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import { readableBody } from "../journal/readable-body.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import type { LogFilter, StatusRange } from "./log-flags.ts";

/** Whether any of the members is given. */
export function isFiltering(filter: LogFilter): boolean {
  return Object.values(filter).some((member) => member !== undefined && member !== false);
}

/** When a record was written; for an exchange, when it began. ISO 8601 in UTC. */
export function timeOfRecord(record: JournalRecord): string {
  return record.type === "exchange" ? record.startedAt : record.at;
}

/** Whether a record is wanted. What is hidden of it is not found either. */
export function isWanted(record: JournalRecord, filter: LogFilter, redactor: Redactor): boolean {
  const { since, kind, module, status, failed, grep } = filter;
  if (since !== undefined && Date.parse(timeOfRecord(record)) < since) return false;
  if (kind !== undefined && !kind.includes(record.type) && !(isExchange(record) && kind.includes(record.purpose)))
    return false;
  if (module !== undefined && !isOfModule(record, module)) return false;
  if (status !== undefined && !hasStatus(record, status)) return false;
  if (failed === true && !hasFailed(record)) return false;
  return grep === undefined || grep.test(searchedText(record, redactor));
}

function isExchange(record: JournalRecord): record is Exchange {
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

function searchedText(record: JournalRecord, redactor: Redactor): string {
  if (record.type !== "exchange") return redactor.text(JSON.stringify(record));
  const { request, response, module, outcome } = redactor.exchange(record);
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
