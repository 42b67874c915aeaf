import type { Choices } from "../config/choices.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import type { StringsTable } from "../post-import/rules/table-strings.ts";
import { importFilePath, importFilePaths, stringFindings } from "../post-import/run/recorded-import.ts";
import { stringsTable } from "../post-import/run/strings-table.ts";
import { withCommas } from "../protocol/with-commas.ts";

/** The most findings shown. */
const MOST_FINDINGS = 20;

/** What is reported about an import, without secrets. */
export interface ReportedImport {
  /** One line each. */
  readonly findings: readonly string[];
  /** null if they are not known. */
  readonly strings: StringsTable | null;
}

/** The imports among records, each derived when it is requested, because their strings may be many. */
export class ReportedImports {
  /** Files that were fetched, by path. */
  readonly #files = new Map<string, Exchange[]>();
  readonly #choices: Choices;
  readonly #redactor: Redactor;

  constructor(records: readonly JournalRecord[], choices: Choices, redactor: Redactor) {
    for (const record of records) {
      if (record.type !== "exchange" || !["file", "import-file"].includes(record.purpose)) continue;
      const path = importFilePath(record.request.url) ?? "";
      const fetched = this.#files.get(path);
      if (fetched === undefined) this.#files.set(path, [record]);
      else fetched.push(record);
    }
    this.#choices = choices;
    this.#redactor = redactor;
  }

  /**
   * The findings about the strings, and their table; null for an exchange that is not an import, or that a check sent,
   * because the check judges it.
   * @param job as kept
   * @param shown the same without its secrets
   */
  of(job: Exchange, shown: Exchange): ReportedImport | null {
    if (job.purpose !== "post-import" || job.check !== undefined) return null;
    const fetched = [...new Set(importFilePaths(job))].flatMap((path) => this.#files.get(path) ?? []);
    const files = fetched.filter(({ module, startedAt }) => module === job.module && startedAt >= job.startedAt);
    const findings = stringFindings({ job, files }, this.#choices).map((finding) => ({
      ...finding,
      message: this.#redactor.text(finding.message),
    }));
    const shownFiles = files.map((file) => this.#redactor.exchange(file));
    const strings = stringsTable({ job: shown, files: shownFiles }, findings, this.#choices);
    const lines = findings.slice(0, MOST_FINDINGS).map(({ result, check, path, identifier, message }) => {
      const where = identifier === null ? path : `"${identifier}" (${path})`;
      return this.#redactor.text(`${result === "fail" ? "failed" : "warning"} ${check}: ${where} ${message}`);
    });
    const more = findings.length - lines.length;
    return {
      findings: more > 0 ? [...lines, `and ${withCommas(more)} more`] : lines,
      strings: typeof strings === "string" ? null : strings,
    };
  }
}
