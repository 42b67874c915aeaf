import type { JournalRecord, VerificationRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import { exchangeDetails } from "../output/exchange-text.ts";
import { foreignText } from "../output/foreign-text.ts";
import { fold } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { loadWords } from "./event-words.ts";
import { checkCounts, type LogRow, logColumns, logHeads, logLine } from "./log-rows.ts";

/**
 * The journal as a table, oldest first; each record on a line that fits the terminal.
 * @param now the machine's time, in milliseconds
 */
export function logTable(rows: readonly LogRow[], total: number, paint: Paint, now: number): string[] {
  const columns = logColumns(rows, paint.width);
  const newest = rows.at(-1)?.at ?? "";
  const more = `${withCommas(total - rows.length)} older; --last ${total} shows all`;
  const older = total > rows.length ? fold(more, paint.width).map((line) => paint.quiet(line)) : [];
  const moved = isClockAhead(rows, now) ? fold(CLOCK_MOVED, paint.width).map((line) => paint.quiet(line)) : [];
  return [...older, logHeads(columns, paint), ...rows.map((row) => logLine(row, columns, newest, paint)), ...moved];
}

const CLOCK_MOVED =
  "times are the platform's, whose clock was moved: app-sim oauth moves it past the end of an access token, app-sim clock to any time";
/** A record is written when its exchange ends, but has the time at which that began. */
const CLOCK_SLACK_MS = 600_000;

/** Whether a record is later than one after it, or than the machine's time. */
function isClockAhead(rows: readonly LogRow[], now: number): boolean {
  const times = [...rows.map(({ at }) => Date.parse(at)), now];
  return times.some((time, index) => time > (times[index + 1] ?? time) + CLOCK_SLACK_MS);
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
  if (record.type === "load") {
    const examples = record.exchanges.length === 0 ? [] : [`examples of failures: ${record.exchanges.join(", ")}`];
    return [head("load"), harmlessLine(`${outcome}${why}`), loadWords(record), ...examples.map(harmlessLine)];
  }
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

/** The findings, and how to see all of them again. */
function verificationDetails(record: VerificationRecord, head: string, why: string, redactor: Redactor): string[] {
  const found = record.checks.filter(({ result }) => result !== "pass" && result !== "skip");
  return [
    head,
    harmlessLine(`${record.outcome}${why}: ${checkCounts(record)}, seed ${record.seed}`),
    ...found.map(({ id, module, result, reason, exchanges }) => {
      const of = module === null ? "" : ` ${module}`;
      const seen = exchanges.length === 0 ? "" : ` (${exchanges.join(", ")})`;
      return harmlessLine(`${result} ${id}${of}: ${redactor.text(reason ?? "")}${seen}`);
    }),
    "`app-sim verify --again` judges the last verification again",
  ];
}
