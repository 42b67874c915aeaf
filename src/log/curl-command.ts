import { appSecretKey } from "../config/app-variables.ts";
import { readChoices } from "../config/choices.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { requireAppAt } from "../webhook/recorded-delivery.ts";
import { signatureScheme } from "../webhook/rules/signature.ts";
import { curlText } from "./curl-text.ts";

/**
 * The request of a record as a shell command.
 * @throws UsageError for a record without a request that can be sent again
 */
export function curlCommand(
  { config, choices }: Pick<LoadedConfig, "config" | "choices">,
  record: JournalRecord,
  secrets: readonly string[],
): string {
  if (record.type !== "exchange") {
    const [exchange] = exchangesOf(record);
    throw new UsageError(
      "curl-no-exchange",
      `${harmlessLine(record.id)} is not an exchange: it has no request to send again`,
      exchange === undefined
        ? "`app-sim log` lists the ids of exchanges"
        : `\`app-sim log ${harmlessLine(exchange)} --curl\` prints the request of its exchange`,
    );
  }
  const { id, request } = record;
  // app-sim reads a backslash as a slash, curl as part of the host name.
  if (!isHttpUrl(request.url) || request.url.includes("\\")) {
    throw new UsageError(
      "curl-no-address",
      `exchange ${harmlessLine(id)} has no address that curl can send to`,
      `\`app-sim log ${harmlessLine(id)}\` shows it`,
    );
  }
  const kept = bodyBytes(request.body).length;
  if (kept < request.body.size) {
    throw new UsageError(
      "curl-cut-body",
      `of the ${withCommas(request.body.size)} bytes of exchange ${harmlessLine(id)} the journal kept ${withCommas(kept)}`,
      "run the command that sent it again",
    );
  }
  const [first] = config.apps;
  // Each app has its own secret.
  const app = record.purpose === "webhook" ? requireAppAt(config.apps, id, request.url) : first;
  if (app === undefined) throw new RangeError("a configuration without apps");
  return curlText(record, secrets, {
    scheme: signatureScheme(readChoices(choices)),
    signsUncompressed: choices["webhook.signature.gzip"] === "uncompressed",
    variable: appSecretKey(config.apps, app).variable,
  });
}

/** Ids of the exchanges that a record is about. */
function exchangesOf(record: Exclude<JournalRecord, Exchange>): readonly string[] {
  if (record.type === "login") return record.exchanges;
  return record.type === "oauth" ? [record.exchange] : [];
}
