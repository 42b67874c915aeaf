import type { JournalRecord, VerificationRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import { exchangeDetails, outcomeText } from "../output/exchange-text.ts";
import { foreignText } from "../output/foreign-text.ts";
import { table } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";

const TEXT_CHARACTERS = 80;

/** The journal as a table, oldest first. */
export function logTable(shown: readonly JournalRecord[], total: number, redactor: Redactor, paint: Paint): string[] {
  if (shown.length === 0) return ["The journal is empty: app-sim guard, post-import, webhook and serve write into it."];
  const newest = timeOf(shown.at(-1));
  const rows = shown.map((record) => [record.id, whenText(timeOf(record), newest), ...rowOf(record, redactor)]);
  const heads = ["ID", "WHEN (UTC)", "WHAT", "RESULT", "MS", "WHERE"];
  const older = total > shown.length ? [paint.quiet(`${total - shown.length} older; --last ${total} shows all`)] : [];
  return [...older, ...table([heads, ...rows.map((row) => row.map(harmlessLine))], { width: paint.width })];
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

function rowOf(record: JournalRecord, redactor: Redactor): string[] {
  const because = (text: string) => clip(redactor.text(text), TEXT_CHARACTERS);
  if (record.type === "login") {
    const { user, outcome, reason } = record;
    return [`login as ${user.role}`, outcome, "", because(reason ?? "")];
  }
  if (record.type === "oauth") {
    const { step, outcome, error, reason, client, user, warnings } = record;
    const who = `${client ?? "unknown client"}${user === null ? "" : ` for ${user.role}`}`;
    const why = reason ?? warnings[0];
    const text = why === undefined ? who : `${who}: ${redactor.text(why)}`;
    return [`oauth ${step}`, error ?? outcome, "", clip(text, TEXT_CHARACTERS)];
  }
  if (record.type === "verification") return ["verify", record.outcome, "", verificationText(record)];
  if (record.type === "foreign") return ["foreign pages", "403", "", because(foreignText(record))];
  const { purpose, module, outcome, response, timings, request } = redactor.exchange(record);
  const what = module === null ? purpose : `${purpose} ${module}`;
  const result = outcome.kind === "answered" ? String(response?.status) : outcomeText(outcome);
  return [what, result, String(timings.totalMs), clip(`${request.method} ${request.url}`, TEXT_CHARACTERS)];
}

/** A record in full. */
export function recordDetails(record: JournalRecord, redactor: Redactor, paint: Paint): string[] {
  if (record.type === "exchange") return exchangeDetails(record, redactor, paint);
  const { id, at } = record;
  const head = (text: string) => `${paint.strong(harmlessLine(id))}  ${harmlessLine(`${text}  ${at}`)}`;
  if (record.type === "foreign") return [head("foreign pages"), harmlessLine(redactor.text(foreignText(record)))];
  const { outcome, reason } = record;
  const why = reason === null ? "" : `: ${redactor.text(reason)}`;
  if (record.type === "verification") return verificationDetails(record, head("verify"), why, redactor);
  const { user } = record;
  const userText = user === null ? "" : `${user.role} (user ${user.id})`;
  if (record.type === "login") {
    const by = record.deniedBy === null ? "" : ` by ${record.deniedBy}`;
    const exchanges = record.exchanges.join(", ") || "none";
    return [
      head(`login as ${userText}`),
      harmlessLine(`${outcome}${by}${why}`),
      harmlessLine(`exchanges: ${exchanges}`),
    ];
  }
  const { step, error, hint, client, warnings, exchange } = record;
  return [
    head(`oauth ${step} of ${client ?? "an unknown client"}${user === null ? "" : ` for ${userText}`}`),
    `${outcome}${error === null ? "" : ` (${error})`}${why}`,
    ...(hint === null ? [] : [`hint: ${redactor.text(hint)}`]),
    ...warnings.map((warning) => `warning: ${redactor.text(warning)}`),
    `exchange: ${exchange}`,
  ].map((line, index) => (index === 0 ? line : harmlessLine(line)));
}

function verificationText({ checks }: VerificationRecord): string {
  const counts = new Map<string, number>();
  for (const { result } of checks) counts.set(result, (counts.get(result) ?? 0) + 1);
  return [...counts].map(([result, count]) => `${count} ${result}`).join(", ");
}

/** What was found, and how all of it is seen again. */
function verificationDetails(record: VerificationRecord, head: string, why: string, redactor: Redactor): string[] {
  const found = record.checks.filter(({ result }) => result !== "pass" && result !== "skip");
  return [
    head,
    harmlessLine(`${record.outcome}${why}: ${verificationText(record)}, seed ${record.seed}`),
    ...found.map(({ id, module, result, reason, exchanges }) => {
      const of = module === null ? "" : ` ${module}`;
      const seen = exchanges.length === 0 ? "" : ` (${exchanges.join(", ")})`;
      return harmlessLine(`${result} ${id}${of}: ${redactor.text(reason ?? "")}${seen}`);
    }),
    "`app-sim verify --again` judges the last verification again",
  ];
}
