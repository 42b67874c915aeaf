import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { secretsOf } from "../config/secrets.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyText, findRecord } from "../journal/journal.ts";
import { JournalVersionError, type ParsedJournal } from "../journal/journal-file.ts";
import { readJournal } from "../journal/read-journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { credentialsIn, redactExchange, redactText } from "../journal/redact.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { exchangeDetails } from "../report/exchange-text.ts";
import { jsonText } from "../report/json.ts";
import { loginDetails, logTable } from "../report/log-text.ts";
import type { Invocation } from "./invocation.ts";

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
  const secrets = secretsOf(loaded.config);
  const { format, out, paint } = invocation;
  if (id === undefined) {
    const shown = records.slice(-last).map((record) => withoutOwnCredentials(record, records));
    if (format === "json") out(jsonText({ command: "log", records: shown.map((record) => forJson(record, secrets)) }));
    else out(`${logTable(shown, records.length, secrets, paint).join("\n")}\n`);
    return 0;
  }
  const found = id === "last" ? records.at(-1) : findRecord(records, id);
  if (found === null || found === undefined) throw notFound(id, records);
  const record = withoutOwnCredentials(found, records);
  if (format === "json") out(jsonText({ command: "log", records: [forJson(record, secrets)] }));
  else
    out(
      `${(record.type === "exchange" ? exchangeDetails(record, secrets, paint) : loginDetails(record, secrets, paint)).join("\n")}\n`,
    );
  return 0;
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

/** In the reason of a login an app may say back the signature or the code of its call, which stands in another record. */
function withoutOwnCredentials(record: JournalRecord, all: readonly JournalRecord[]): JournalRecord {
  if (record.type !== "login" || record.reason === null) return record;
  const credentials = all.flatMap((other) =>
    other.type === "exchange" && record.exchanges.includes(other.id) ? credentialsIn(other.request) : [],
  );
  return { ...record, reason: redactText(record.reason, credentials) };
}

/** A record for programs: redacted, with bodies as text beside their bytes. */
function forJson(record: JournalRecord, secrets: readonly string[]): unknown {
  if (record.type === "login")
    return { ...record, reason: record.reason === null ? null : redactText(record.reason, secrets) };
  const { request, response, ...rest } = redactExchange(record, secrets);
  return { ...rest, request: withText(request), response: response === null ? null : withText(response) };
}

function withText<M extends Exchange["request"] | NonNullable<Exchange["response"]>>(message: M) {
  return { ...message, body: { ...message.body, text: bodyText(message.body) } };
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
