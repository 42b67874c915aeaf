import { appSecretKey } from "../config/app-variables.ts";
import { readChoices } from "../config/choices.ts";
import { secretsOf } from "../config/secrets.ts";
import { credentialsIn } from "../journal/credentials.ts";
import type { Exchange } from "../journal/exchange.ts";
import { issuedSecrets } from "../journal/issued-secrets.ts";
import { bodyBytes } from "../journal/journal.ts";
import { redactExchange, redactSecrets } from "../journal/redact.ts";
import { curlText } from "../log/curl-text.ts";
import { outcomeText } from "../output/exchange-text.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { signatureScheme } from "../webhook/rules/signature.ts";
import { explanationOf, findingsOf } from "./findings.ts";
import type { Inspected } from "./inspected.ts";
import { messageView, revealed } from "./messages.ts";
import { signatureView } from "./signature-view.ts";
import { tokensOf } from "./token-view.ts";
import type { ExchangeView, HiddenPart, RowView } from "./view.ts";

/** Records before a shown one whose codes and tokens are hidden in it: older ones are spent. */
const SECRET_RECORDS = 100;
/** Of a long run, the exchanges around the one that is shown. */
const MOST_SIBLINGS = 200;

/** One exchange in full, without its secrets. */
export async function exchangeView(inspected: Inspected, raw: Exchange, row: RowView): Promise<ExchangeView> {
  const { config, choices, feed } = inspected;
  const records = inspected.records();
  const secrets = secretsBefore(inspected, raw);
  const judges = { config, choices, secrets };
  const { request, response, timings } = redactExchange(raw, secrets);
  const group = row.group === null ? null : feed.group(row.group);
  const hide = redactSecrets([...secrets, ...credentialsIn(raw.request)]);
  const known = { apps: config.apps, publicKeys: await inspected.publicKeys() };
  return {
    row,
    method: request.method,
    url: request.url,
    status: response?.status ?? null,
    outcome: outcomeText(raw.outcome),
    explanation: explanationOf(raw, judges),
    headersMs: timings.headersMs,
    totalMs: timings.totalMs,
    request: messageView(request),
    response: response === null ? null : messageView(response),
    tokens: tokensOf(raw, known, hide),
    signature: signatureView(raw, config.apps, choices, hide),
    findings: await findingsOf(raw, records, judges),
    ...curlOf(inspected, raw, secrets),
    group: group?.group ?? null,
    siblings: group === null ? [] : near(group.rows, row.id),
  };
}

/** What must not show in an exchange: the secrets of the configuration, and those that were issued shortly before. */
function secretsBefore({ config, records }: Inspected, exchange: Exchange): string[] {
  const all = records();
  const index = all.indexOf(exchange);
  const before = all.slice(Math.max(0, index - SECRET_RECORDS), index + 1);
  const issued = before.flatMap((record) => (record.type === "exchange" ? issuedSecrets(record) : []));
  return [...secretsOf(config), ...new Set(issued.map(({ value }) => value))];
}

function near(rows: readonly RowView[], id: string): readonly RowView[] {
  const index = rows.findIndex((row) => row.id === id);
  const start = Math.max(0, index - MOST_SIBLINGS / 2);
  return rows.slice(start, start + MOST_SIBLINGS);
}

/** The command that sends it again, as `app-sim log ID --curl` prints it. */
function curlOf(
  { config, choices }: Inspected,
  raw: Exchange,
  secrets: readonly string[],
): Pick<ExchangeView, "curl" | "noCurl"> {
  const { url, body } = raw.request;
  const app = config.apps.find((each) => url.startsWith(each.url)) ?? config.apps[0];
  // app-sim reads a backslash as a slash, curl as a part of the host name.
  if (!isHttpUrl(url) || url.includes("\\") || app === undefined)
    return { curl: null, noCurl: "it has no address that a command can send to" };
  const kept = bodyBytes(body).length;
  if (kept < body.size) return { curl: null, noCurl: `the journal kept ${kept} of the ${body.size} bytes of its body` };
  const signing = {
    scheme: signatureScheme(readChoices(choices)),
    signsUncompressed: choices["webhook.signature.gzip"] === "uncompressed",
    variable: appSecretKey(config.apps, app).variable,
  };
  return { curl: curlText(raw, secrets, signing), noCurl: null };
}

/**
 * One secret of an exchange, as it was sent.
 * @throws UsageError where nothing is hidden
 */
export function revealedPart(inspected: Inspected, exchange: Exchange, part: HiddenPart): string {
  return revealed(exchange, secretsBefore(inspected, exchange), part);
}

/** Ids of the exchanges whose address, headers or bodies hold the text, as far as they are shown. */
export function idsWith(inspected: Inspected, given: string): string[] {
  const text = given.toLowerCase();
  return inspected.records().flatMap((record) => {
    if (record.type !== "exchange") return [];
    const holds = ({ request, response }: typeof record) =>
      [request, ...(response === null ? [] : [response])].some(
        ({ headers, body }) =>
          bodyBytes(body).toString("utf8").toLowerCase().includes(text) ||
          headers.some(([name, value]) => `${name}: ${value}`.toLowerCase().includes(text)),
      ) || request.url.toLowerCase().includes(text);
    // What is hidden cannot be found out by asking for it.
    return holds(record) && holds(redactExchange(record, secretsBefore(inspected, record))) ? [record.id] : [];
  });
}
