import type { LoadedConfig } from "../config/load.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { JournalVersionError, type ParsedJournal } from "./journal-file.ts";
import { readJournal } from "./read-journal.ts";
import type { JournalRecord } from "./record.ts";

/** The journal of this configuration, unreadable lines left out. */
export async function readOwnJournal({ config }: LoadedConfig): Promise<ParsedJournal> {
  try {
    return await readJournal(config.journal);
  } catch (error) {
    if (error instanceof JournalVersionError)
      throw new UsageError("journal-version", error.message, `the journal is in ${config.journal}`);
    throw new UsageError(
      "journal-unreadable",
      `the journal in ${config.journal} cannot be read: ${(error as Error).message}`,
      "name another directory with --journal",
    );
  }
}

/** Why an id names no record. */
export function notFound(id: string, records: readonly JournalRecord[]): UsageError {
  const several = records.filter((record) => record.id.startsWith(id));
  return several.length > 1
    ? new UsageError(
        "ambiguous-id",
        `${several.length} records begin with ${id}`,
        `give more of the id: ${several
          .slice(0, 5)
          .map((record) => record.id)
          .join(", ")}`,
      )
    : new UsageError(
        "unknown-id",
        `the journal has no record ${harmlessLine(id)}`,
        records.length === 0 ? "it is empty: run a command first" : "`app-sim log` lists the ids",
      );
}
