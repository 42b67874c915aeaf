import type { Exchange } from "../journal/exchange.ts";
import type { JournalRecord, LoginRecord, OAuthRecord } from "../journal/record.ts";
import { redactExchange, redactText } from "../journal/redact.ts";
import { outcomeText } from "../output/exchange-text.ts";
import { table } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";

const TEXT_CHARACTERS = 80;

/** The journal as a table, oldest first. */
export function logTable(
  shown: readonly JournalRecord[],
  total: number,
  secrets: readonly string[],
  paint: Paint,
): string[] {
  if (shown.length === 0) return ["The journal is empty: app-sim guard, post-import, webhook and serve write into it."];
  const newest = timeOf(shown.at(-1));
  const rows = shown.map((record) => {
    return [record.id, whenText(timeOf(record), newest), ...rowOf(record, secrets)];
  });
  const more = total > shown.length ? [paint.quiet(`${total - shown.length} older; --last ${total} shows all`)] : [];
  return [
    ...more,
    ...table([["ID", "WHEN (UTC)", "WHAT", "RESULT", "MS", "WHERE"], ...rows.map((row) => row.map(harmlessLine))], {
      width: paint.width,
    }),
  ];
}

function timeOf(record: JournalRecord | undefined): string {
  if (record === undefined) return "";
  return record.type === "exchange" ? record.startedAt : record.at;
}

/** To the second; the date only where it is not that of the newest record. */
function whenText(time: string, newest: string): string {
  const [date = "", clock = ""] = time.split("T");
  const toTheSecond = clock.slice(0, 8);
  return newest.startsWith(date) ? toTheSecond : `${date} ${toTheSecond}`;
}

function rowOf(record: JournalRecord, secrets: readonly string[]): string[] {
  switch (record.type) {
    case "exchange":
      return exchangeRow(redactExchange(record, secrets));
    case "login":
      return loginRow(record, secrets);
    case "oauth":
      return oauthRow(record, secrets);
  }
}

function exchangeRow({ purpose, module, outcome, response, timings, request }: Exchange): string[] {
  const what = module === null ? purpose : `${purpose} ${module}`;
  const result = outcome.kind === "answered" ? String(response?.status) : outcomeText(outcome);
  return [what, result, String(timings.totalMs), clip(`${request.method} ${request.url}`, TEXT_CHARACTERS)];
}

function loginRow({ user, outcome, reason }: LoginRecord, secrets: readonly string[]): string[] {
  const why = reason === null ? "" : clip(redactText(reason, secrets), TEXT_CHARACTERS);
  return [`login as ${user.role}`, outcome, "", why];
}

function oauthRow(record: OAuthRecord, secrets: readonly string[]): string[] {
  const { step, outcome, error, reason, client, user, warnings } = record;
  const who = [client ?? "unknown client", ...(user === null ? [] : [`for ${user.role}`])].join(" ");
  const told = reason ?? warnings[0];
  const why = told === undefined ? "" : `: ${redactText(told, secrets)}`;
  return [`oauth ${step}`, error ?? outcome, "", clip(who + why, TEXT_CHARACTERS)];
}

/** What the platform decided about a request of an app, in full. */
export function oauthDetails(
  { id, at, step, outcome, error, reason, hint, client, user, warnings, exchange }: OAuthRecord,
  secrets: readonly string[],
  paint: Paint,
): string[] {
  const forUser = user === null ? "" : ` for ${user.role} (user ${user.id})`;
  const why = reason === null ? "" : `: ${redactText(reason, secrets)}`;
  return [
    `${paint.strong(harmlessLine(id))}  ${harmlessLine(`oauth ${step} of ${client ?? "an unknown client"}${forUser}  ${at}`)}`,
    harmlessLine(`${outcome}${error === null ? "" : ` (${error})`}${why}`),
    ...(hint === null ? [] : [harmlessLine(`hint: ${redactText(hint, secrets)}`)]),
    ...warnings.map((warning) => harmlessLine(`warning: ${redactText(warning, secrets)}`)),
    `exchange: ${harmlessLine(exchange)}`,
  ];
}

/** A login in full. */
export function loginDetails(
  { id, at, user, outcome, deniedBy, reason, exchanges }: LoginRecord,
  secrets: readonly string[],
  paint: Paint,
): string[] {
  const by = deniedBy === null ? "" : ` by ${deniedBy}`;
  return [
    `${paint.strong(harmlessLine(id))}  ${harmlessLine(`login as ${user.role} (user ${user.id})  ${at}`)}`,
    harmlessLine(`${outcome}${by}${reason === null ? "" : `: ${redactText(reason, secrets)}`}`),
    `exchanges: ${exchanges.length === 0 ? "none" : harmlessLine(exchanges.join(", "))}`,
  ];
}
