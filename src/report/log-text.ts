import type { Exchange } from "../journal/exchange.ts";
import type { JournalRecord, LoginRecord } from "../journal/record.ts";
import { redactExchange, redactText } from "../journal/redact.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { outcomeText } from "./exchange-text.ts";
import type { Paint } from "./paint.ts";
import { table } from "./text.ts";

const TEXT_CHARACTERS = 80;

/** The journal as a table, oldest first. */
export function logTable(
  shown: readonly JournalRecord[],
  total: number,
  secrets: readonly string[],
  paint: Paint,
): string[] {
  if (shown.length === 0) return ["The journal is empty: app-sim guard, post-import and webhook write into it."];
  const newest = timeOf(shown.at(-1));
  const rows = shown.map((record) => {
    const row = record.type === "exchange" ? exchangeRow(redactExchange(record, secrets)) : loginRow(record, secrets);
    return [record.id, whenText(timeOf(record), newest), ...row];
  });
  const more = total > shown.length ? [paint.quiet(`${total - shown.length} older; --last ${total} shows all`)] : [];
  return [
    ...more,
    ...table(
      [["ID", "WHEN (UTC)", "WHAT", "RESULT", "MS", "WHERE"], ...rows.map((row) => row.map(harmlessLine))],
      paint.width,
    ),
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

function exchangeRow({ purpose, module, outcome, response, timings, request }: Exchange): string[] {
  const what = module === null ? purpose : `${purpose} ${module}`;
  const result = outcome.kind === "answered" ? String(response?.status) : outcomeText(outcome);
  return [what, result, String(timings.totalMs), clip(`${request.method} ${request.url}`, TEXT_CHARACTERS)];
}

function loginRow({ user, outcome, reason }: LoginRecord, secrets: readonly string[]): string[] {
  const why = reason === null ? "" : clip(redactText(reason, secrets), TEXT_CHARACTERS);
  return [`login as ${user.role}`, outcome, "", why];
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
