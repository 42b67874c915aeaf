import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { secretsOf } from "../config/secrets.ts";
import { issuedSecrets } from "../journal/issued-secrets.ts";
import { findRecord } from "../journal/journal.ts";
import { JournalVersionError, type ParsedJournal } from "../journal/journal-file.ts";
import { readJournal } from "../journal/read-journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { exchangeDetails } from "../report/exchange-text.ts";
import { jsonText } from "../report/json.ts";
import { recordForJson, withoutOwnCredentials } from "../report/log-records.ts";
import { loginDetails, logTable, oauthDetails } from "../report/log-text.ts";
import type { Paint } from "../report/paint.ts";
import type { Invocation } from "./invocation.ts";

const REMEMBERED = 100;

/** `app-sim log [ID]` */
export async function log(
  invocation: Invocation,
  id: string | undefined,
  { last = 20 }: { readonly last?: number },
): Promise<number> {
  const loaded = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  const { records, unreadable } = await readOwnJournal(loaded);
  if (unreadable > 0)
    invocation.err(
      `warning: ${unreadable} line${unreadable === 1 ? "" : "s"} of the journal cannot be read; the rest is shown\n`,
    );
  const { format, out, paint } = invocation;
  const find = (wanted: string) => records.find((record) => record.id === wanted) ?? null;
  if (id === undefined) {
    const secrets = [...secretsOf(loaded.config), ...issuedUpTo(records.length - 1, records)];
    const shown = records.slice(-last).map((record) => withoutOwnCredentials(record, find));
    if (format === "json")
      out(jsonText({ command: "log", records: shown.map((record) => recordForJson(record, secrets)) }));
    else out(`${logTable(shown, records.length, secrets, paint).join("\n")}\n`);
    return 0;
  }
  const found = id === "last" ? records.at(-1) : findRecord(records, id);
  if (found === null || found === undefined) throw notFound(id, records);
  const secrets = [...secretsOf(loaded.config), ...issuedUpTo(records.indexOf(found), records)];
  const record = withoutOwnCredentials(found, find);
  if (format === "json") out(jsonText({ command: "log", records: [recordForJson(record, secrets)] }));
  else out(`${detailsOf(record, secrets, paint).join("\n")}\n`);
  return 0;
}

/** What was issued shortly before a record: an app may say it anywhere. Codes and tokens that are older are spent. */
function issuedUpTo(index: number, records: readonly JournalRecord[]): string[] {
  const near = records.slice(Math.max(0, index - REMEMBERED), index + 1);
  const issued = near.flatMap((record) => (record.type === "exchange" ? issuedSecrets(record) : []));
  return [...new Set(issued.map(({ value }) => value))];
}

function detailsOf(record: JournalRecord, secrets: readonly string[], paint: Paint): string[] {
  switch (record.type) {
    case "exchange":
      return exchangeDetails(record, secrets, paint);
    case "login":
      return loginDetails(record, secrets, paint);
    case "oauth":
      return oauthDetails(record, secrets, paint);
  }
}

async function readOwnJournal({ config }: LoadedConfig): Promise<ParsedJournal> {
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

function notFound(id: string, records: readonly JournalRecord[]): UsageError {
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
