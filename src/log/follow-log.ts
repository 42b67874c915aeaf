import type { Invocation } from "../action/invocation.ts";
import { systemClock } from "../app-client/ports.ts";
import type { LoadedConfig } from "../config/load.ts";
import { followJournal } from "../journal/follow-journal.ts";
import { readOwnJournal } from "../journal/read-journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { jsonLine } from "../output/json.ts";
import { findWanted, type WantedRecords } from "./find-wanted.ts";
import { isWanted } from "./log-filter.ts";
import type { LogFilter } from "./log-flags.ts";
import { recordForJson, withoutOwnCredentials } from "./log-records.ts";
import { type LogColumns, logColumns, logHeads, logLine, logRow } from "./log-rows.ts";
import { redactorFor, SECRET_RECORDS } from "./shown-secrets.ts";

/** How many records are kept for later ones that refer to them. */
const NAMED_RECORDS = 1000;

/** `app-sim log --follow`: the last records, and each later one as it is written, until a signal. */
export async function followLog(
  invocation: Invocation,
  loaded: LoadedConfig,
  filter: LogFilter,
  last: number,
): Promise<number> {
  const { format, out, paint, ended, signal } = invocation;
  const follower = followJournal(loaded.config.journal, systemClock.pause, ended);
  const { known, found, finder, named } = await readBeginning(loaded, { filter, last, signal });
  let recent = named;
  let redactor = redactorFor(loaded.config, recent.slice(-SECRET_RECORDS));
  let columns: LogColumns | null = null;
  const find = (id: string) => recent.find((record) => record.id === id) ?? null;
  const show = (shown: readonly JournalRecord[], hider = redactor) => {
    const own = shown.map((record) => withoutOwnCredentials(record, find));
    if (format === "json") return out(own.map((record) => jsonLine(recordForJson(record, hider))).join(""));
    const rows = own.map((record) => logRow(record, hider));
    const lines: string[] = [];
    if (columns === null) {
      columns = logColumns(rows, paint.width, true);
      lines.push(logHeads(columns, paint));
    }
    for (const row of rows) lines.push(logLine(row, columns, row.at, paint));
    out(lines.map((line) => `${line}\n`).join(""));
  };
  show(found, finder);
  invocation.expectInterrupt();
  for await (const batch of follower) {
    for (const record of batch) {
      if (known.delete(record.id)) continue;
      recent = [...recent.slice(1 - NAMED_RECORDS), record];
      // It may contain new tokens that the next ones echo.
      if (record.type === "exchange") redactor = redactorFor(loaded.config, recent.slice(-SECRET_RECORDS));
      if (isWanted(record, filter, redactor)) show([record]);
    }
  }
  return 0;
}

/** What is shown first, and what is known about the journal at that point. */
async function readBeginning(loaded: LoadedConfig, wanted: WantedRecords) {
  const journal = await readOwnJournal(loaded);
  const { found, redactor } = await findWanted(journal, loaded.config, wanted);
  const named = await journal.records(wanted.signal, journal.ids.length - NAMED_RECORDS);
  return { known: new Set(journal.ids), found, finder: redactor, named };
}
