import type { LoadedConfig } from "../config/load.ts";
import { readOwnJournal } from "../journal/read-journal.ts";
import { unpackedText } from "../journal/readable-body.ts";
import type { JournalRecord } from "../journal/record.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** Whether a record shows that this guard let somebody in. */
function isLetIn(record: JournalRecord, key: string): boolean {
  if (record.type !== "exchange" || record.purpose !== "guard" || record.module !== key) return false;
  const { response } = record;
  return response?.status === 200 && /"success"\s*:\s*true\b/.test(unpackedText(response));
}

/**
 * Whether the journal shows that a guard lets anybody in: a guard that denies everybody also denies the right users. A
 * journal that cannot be read proves nothing, and is not reported.
 */
export async function wasEverLetIn(
  records: readonly JournalRecord[],
  loaded: LoadedConfig,
  key: string,
): Promise<boolean> {
  if (records.some((record) => isLetIn(record, key))) return true;
  try {
    const saved = await readOwnJournal(loaded);
    return saved.findLast((record): record is JournalRecord => isLetIn(record, key)) !== null;
  } catch (error) {
    if (error instanceof UsageError) return true;
    throw error;
  }
}
