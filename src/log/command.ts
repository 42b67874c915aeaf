import type { CommandCall } from "../action/command-call.ts";
import { appSecretKey } from "../config/app-variables.ts";
import { readChoices } from "../config/choices.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { secretsOf } from "../config/secrets.ts";
import { issuedSecrets } from "../journal/issued-secrets.ts";
import { bodyBytes, findRecord } from "../journal/journal.ts";
import { notFound, readOwnJournal } from "../journal/read-journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { exchangeDetails } from "../output/exchange-text.ts";
import { jsonText } from "../output/json.ts";
import type { Paint } from "../output/paint.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { appAt } from "../webhook/recorded-delivery.ts";
import { signatureScheme } from "../webhook/rules/signature.ts";
import type { LogFlags } from "./action.ts";
import { curlText } from "./curl-text.ts";
import { recordForJson, withoutOwnCredentials } from "./log-records.ts";
import { loginDetails, logTable, oauthDetails } from "./log-text.ts";

const REMEMBERED = 100;

/** `app-sim log [ID]` */
export async function logCommand({
  invocation,
  args: [id],
  flags: { last = 20, curl = false },
}: CommandCall<never, LogFlags>): Promise<number> {
  if (curl && id === undefined) {
    throw new UsageError("curl-without-id", "--curl needs the id of an exchange", "`app-sim log` lists the ids");
  }
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
  // Of what was decided there is nothing to send: the last one that can be sent is meant.
  const newest = () => (curl ? records.findLast(({ type }) => type === "exchange") : records.at(-1));
  const found = id === "last" ? newest() : findRecord(records, id);
  if (found === null || found === undefined) throw notFound(id, records);
  const secrets = [...secretsOf(loaded.config), ...issuedUpTo(records.indexOf(found), records)];
  if (curl) {
    const command = curlCommand(loaded, found, secrets);
    out(format === "json" ? jsonText({ command: "log", curl: command }) : command);
    return 0;
  }
  const record = withoutOwnCredentials(found, find);
  if (format === "json") out(jsonText({ command: "log", records: [recordForJson(record, secrets)] }));
  else out(`${detailsOf(record, secrets, paint).join("\n")}\n`);
  return 0;
}

/** @throws UsageError for a record without a request that can be sent again */
function curlCommand({ config, choices }: LoadedConfig, record: JournalRecord, secrets: readonly string[]): string {
  if (record.type !== "exchange") {
    const [exchange] = record.type === "login" ? record.exchanges : [record.exchange];
    throw new UsageError(
      "curl-no-exchange",
      `${harmlessLine(record.id)} is no exchange: there is no request to send again`,
      exchange === undefined
        ? "`app-sim log` lists the ids of exchanges"
        : `\`app-sim log ${harmlessLine(exchange)} --curl\` is the request of its exchange`,
    );
  }
  const { id, request } = record;
  // A backslash is a slash to us, and part of the host's name to curl.
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
  // What it would be signed with is for its own app only.
  const app = record.purpose === "webhook" ? appAt(config.apps, id, request.url) : first;
  if (app === undefined) throw new RangeError("a configuration without apps");
  return curlText(record, secrets, {
    scheme: signatureScheme(readChoices(choices)),
    signsUncompressed: choices["webhook.signature.gzip"] === "uncompressed",
    variable: appSecretKey(config.apps, app).variable,
  });
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
