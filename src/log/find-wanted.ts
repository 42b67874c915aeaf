import type { Config } from "../config/schema.ts";
import { mapYielding } from "../journal/map-yielding.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import type { SavedJournal } from "../journal/saved-journal.ts";
import { isFiltering, isFitting, isFoundIn } from "./log-filter.ts";
import type { LogFilter } from "./log-flags.ts";
import { redactorFor, SECRET_RECORDS } from "./shown-secrets.ts";

/** Which records of a journal are wanted. */
export interface WantedRecords {
  readonly filter: LogFilter;
  /** At most this many of the newest matches. */
  readonly last: number;
  readonly signal: AbortSignal;
}

/** What to show of a journal. */
interface FoundRecords {
  /** Oldest first. */
  readonly found: readonly JournalRecord[];
  /** How many match in total. */
  readonly total: number;
  /** Redacts their secrets. */
  readonly redactor: Redactor;
}

/** Finds the wanted records, and parses no more of the journal than necessary. */
export async function findWanted(
  journal: SavedJournal,
  config: Config,
  { filter, last, signal }: WantedRecords,
): Promise<FoundRecords> {
  const { since = Number.NEGATIVE_INFINITY, grep } = filter;
  const isAll = !isFiltering(filter);
  const from = isAll ? journal.ids.length - last : journal.placeSince(since);
  const records = await journal.records(signal, from - SECRET_RECORDS);
  const fitting = records.filter((record) => isFitting(record, filter));
  // A pattern is searched in redacted text, in all records that match otherwise.
  const [first] = grep === undefined ? newestOf(fitting, last) : fitting;
  const redactor = redactorFor(config, records, first === undefined ? 0 : records.indexOf(first));
  if (grep === undefined) {
    return { found: newestOf(fitting, last), total: isAll ? journal.ids.length : fitting.length, redactor };
  }
  const isFound = await mapYielding(fitting, signal, (record) => isFoundIn(record, grep, redactor));
  const all = fitting.filter((_, index) => isFound[index]);
  return { found: newestOf(all, last), total: all.length, redactor };
}

function newestOf(records: readonly JournalRecord[], count: number): readonly JournalRecord[] {
  return count === 0 ? [] : records.slice(-count);
}
