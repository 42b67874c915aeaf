import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { appSecretKey } from "../config/app-variables.ts";
import { readChoices } from "../config/choices.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { secretsOf } from "../config/secrets.ts";
import type { Exchange } from "../journal/exchange.ts";
import { issuedSecrets } from "../journal/issued-secrets.ts";
import { bodyBytes, findRecord } from "../journal/journal.ts";
import { clearJournal } from "../journal/journal-file.ts";
import { notFound, readOwnJournal } from "../journal/read-journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { Redactor } from "../journal/redact.ts";
import { jsonText } from "../output/json.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { appAt } from "../webhook/recorded-delivery.ts";
import { signatureScheme } from "../webhook/rules/signature.ts";
import type { LogFlags } from "./action.ts";
import { curlText } from "./curl-text.ts";
import { recordForJson, withoutOwnCredentials } from "./log-records.ts";
import { logTable, recordDetails } from "./log-text.ts";

/** Records before a shown one whose codes and tokens are hidden: older ones are spent. */
const SECRET_RECORDS = 100;

/** `app-sim log [ID]` */
export async function logCommand({
  invocation,
  args: [id],
  flags: { last = 20, curl = false, clear = false },
}: CommandCall<never, LogFlags>): Promise<number> {
  if (clear && (id !== undefined || curl)) {
    throw new UsageError("clear-with-id", "--clear removes every record", "leave out the id and --curl");
  }
  if (curl && id === undefined) {
    throw new UsageError("curl-without-id", "--curl needs the id of an exchange", "`app-sim log` lists the ids");
  }
  const loaded = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  if (clear) return clearLog(invocation, loaded);
  const { records, unreadable } = await readOwnJournal(loaded);
  if (unreadable > 0)
    invocation.err(
      `warning: ${unreadable} line${unreadable === 1 ? "" : "s"} of the journal cannot be read; the rest is shown\n`,
    );
  const { format, out, paint } = invocation;
  const find = (wanted: string) => records.find((record) => record.id === wanted) ?? null;
  if (id === undefined) {
    const from = Math.max(0, records.length - last);
    const redactor = new Redactor([...secretsOf(loaded.config), ...issuedNear(from, records.length - 1, records)]);
    const shown = records.slice(from).map((record) => withoutOwnCredentials(record, find));
    if (format === "json")
      out(jsonText({ command: "log", records: shown.map((record) => recordForJson(record, redactor)) }));
    else out(`${logTable(shown, records.length, redactor, paint).join("\n")}\n`);
    return 0;
  }
  // Only an exchange can be sent again.
  const newest = records.findLast(({ type }) => !curl || type === "exchange") ?? null;
  const found = id === "last" ? newest : findRecord(records, id);
  if (found === null) throw notFound(id, records);
  const place = records.indexOf(found);
  const secrets = [...secretsOf(loaded.config), ...issuedNear(place, place, records)];
  if (curl) {
    const command = curlCommand(loaded, found, secrets);
    out(format === "json" ? jsonText({ command: "log", curl: command }) : command);
    return 0;
  }
  const record = withoutOwnCredentials(found, find);
  const redactor = new Redactor(secrets);
  if (format === "json") out(jsonText({ command: "log", records: [recordForJson(record, redactor)] }));
  else out(`${recordDetails(record, redactor, paint).join("\n")}\n`);
  return 0;
}

function exchangesOf(record: Exclude<JournalRecord, Exchange>): readonly string[] {
  if (record.type === "login") return record.exchanges;
  return record.type === "oauth" ? [record.exchange] : [];
}

/** `app-sim log --clear` */
async function clearLog({ format, out }: Invocation, loaded: LoadedConfig): Promise<number> {
  const { journal } = loaded.config;
  const { records } = await readOwnJournal(loaded);
  try {
    clearJournal(journal);
  } catch (error) {
    throw new UsageError(
      "journal-unwritable",
      `the journal in ${journal} cannot be removed: ${(error as Error).message}`,
      "name another directory with --journal",
    );
  }
  const count = records.length;
  if (format === "json") out(jsonText({ command: "log", cleared: count }));
  else out(`${count.toLocaleString("en-US")} record${count === 1 ? "" : "s"} removed from ${journal}\n`);
  return 0;
}

/** @throws UsageError for a record without a request that can be sent again */
function curlCommand({ config, choices }: LoadedConfig, record: JournalRecord, secrets: readonly string[]): string {
  if (record.type !== "exchange") {
    const [exchange] = exchangesOf(record);
    throw new UsageError(
      "curl-no-exchange",
      `${harmlessLine(record.id)} is not an exchange: there is no request to send again`,
      exchange === undefined
        ? "`app-sim log` lists the ids of exchanges"
        : `\`app-sim log ${harmlessLine(exchange)} --curl\` is the request of its exchange`,
    );
  }
  const { id, request } = record;
  // app-sim reads a backslash as a slash, curl as a part of the host name.
  if (!isHttpUrl(request.url) || request.url.includes("\\")) {
    throw new UsageError(
      "curl-no-address",
      `exchange ${harmlessLine(id)} has no address that a command can send to`,
      `\`app-sim log ${harmlessLine(id)}\` shows it`,
    );
  }
  const kept = bodyBytes(request.body).length;
  if (kept < request.body.size) {
    throw new UsageError(
      "curl-cut-body",
      `of the ${request.body.size.toLocaleString("en-US")} bytes of exchange ${harmlessLine(id)} the journal kept ${kept.toLocaleString("en-US")}`,
      "run the command that sent it once more",
    );
  }
  const [first] = config.apps;
  // Each app has its own secret.
  const app = record.purpose === "webhook" ? appAt(config.apps, id, request.url) : first;
  if (app === undefined) throw new RangeError("a configuration without apps");
  return curlText(record, secrets, {
    scheme: signatureScheme(readChoices(choices)),
    signsUncompressed: choices["webhook.signature.gzip"] === "uncompressed",
    variable: appSecretKey(config.apps, app).variable,
  });
}

/** The codes and tokens issued in some records, and shortly before them: an app may echo them anywhere. */
function issuedNear(from: number, to: number, records: readonly JournalRecord[]): string[] {
  const near = records.slice(Math.max(0, from - SECRET_RECORDS), to + 1);
  const issued = near.flatMap((record) => (record.type === "exchange" ? issuedSecrets(record) : []));
  return [...new Set(issued.map(({ value }) => value))];
}
