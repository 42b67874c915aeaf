import { secretsOf } from "../config/secrets.ts";
import { credentialsIn } from "../journal/credentials.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { redactExchange, redactSecrets } from "../journal/redact.ts";
import { timingPhases } from "../journal/timing-phases.ts";
import { curlCommand } from "../log/curl-command.ts";
import { issuedNear } from "../log/shown-secrets.ts";
import { outcomeText } from "../output/exchange-text.ts";
import type { ImportFinding } from "../post-import/import-result.ts";
import { type ImportCall, stringFindings } from "../post-import/run/recorded-import.ts";
import { stringsTable } from "../post-import/run/strings-table.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { signatureSteps } from "../webhook/signature-steps.ts";
import { explanationOf, findingsOf } from "./findings.ts";
import type { Inspected } from "./inspected.ts";
import { messageView, revealed } from "./messages.ts";
import { tokensOf } from "./token-view.ts";
import type { ExchangeView, HiddenPart, RowView } from "./view.ts";

/** In a long run, only this many exchanges around the shown one. */
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
  const call = raw.purpose === "post-import" ? importCall(raw, records, group?.rows ?? []) : null;
  // What a check sends is judged by that check.
  const found = call === null || raw.check !== undefined ? [] : stringFindings(call, choices);
  const hidden = ({ path, message }: ImportFinding) => ({ path, message: hide(message) });
  const known = { apps: config.apps, publicKeys: await inspected.publicKeys() };
  return {
    row,
    method: request.method,
    url: request.url,
    status: response?.status ?? null,
    outcome: outcomeText(raw.outcome),
    explanation: explanationOf(raw, judges),
    totalMs: timings.totalMs,
    phases: timingPhases(timings),
    request: messageView(request),
    response: response === null ? null : messageView(response),
    tokens: tokensOf(raw, known, hide),
    signature: signatureSteps(raw, config.apps, choices, hide),
    findings: await findingsOf(raw, records, { ...judges, strings: found }),
    strings: call === null ? null : stringsTable(shownCall(call, secrets), found.map(hidden), choices),
    ...curlOf(inspected, raw, secrets),
    group: group?.group ?? null,
    siblings: group === null ? [] : near(group.rows, row.id),
  };
}

/** A post-import call, with the files that belong to it. */
function importCall(job: Exchange, records: readonly JournalRecord[], rows: readonly RowView[]): ImportCall {
  const ids = new Set(rows.map(({ id }) => id));
  const isFile = (record: JournalRecord) => record.type === "exchange" && record !== job && ids.has(record.id);
  return { job, files: records.filter((record) => record.type === "exchange").filter(isFile) };
}

function shownCall({ job, files }: ImportCall, secrets: readonly string[]): ImportCall {
  return { job: redactExchange(job, secrets), files: files.map((file) => redactExchange(file, secrets)) };
}

/** Secrets to redact in an exchange: those of the configuration, and those issued shortly before. */
function secretsBefore({ config, records }: Inspected, exchange: Exchange): string[] {
  const all = records();
  const place = all.indexOf(exchange);
  return [...secretsOf(config), ...issuedNear(place, place, all)];
}

function near(rows: readonly RowView[], id: string): readonly RowView[] {
  const index = rows.findIndex((row) => row.id === id);
  const start = Math.max(0, index - MOST_SIBLINGS / 2);
  return rows.slice(start, start + MOST_SIBLINGS);
}

/** The command that sends it again, as `app-sim log ID --curl` prints it. */
function curlOf(
  inspected: Inspected,
  raw: Exchange,
  secrets: readonly string[],
): Pick<ExchangeView, "curl" | "noCurl"> {
  try {
    return { curl: curlCommand(inspected, raw, secrets), noCurl: null };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { curl: null, noCurl: error.summary };
  }
}

/**
 * One secret of an exchange, as it was sent.
 * @throws UsageError if nothing is hidden there
 */
export function revealedPart(inspected: Inspected, exchange: Exchange, part: HiddenPart): string {
  return revealed(exchange, secretsBefore(inspected, exchange), part);
}

/** Ids of the exchanges whose visible address, headers or bodies contain the text. */
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
    // Hidden text cannot be guessed by searching for it.
    return holds(record) && holds(redactExchange(record, secretsBefore(inspected, record))) ? [record.id] : [];
  });
}
