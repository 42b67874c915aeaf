import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { systemClock } from "../app-client/ports.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { secretsOf } from "../config/secrets.ts";
import { findRecord } from "../journal/journal.ts";
import { clearJournal } from "../journal/journal-file.ts";
import { notFound, readOwnJournal } from "../journal/read-journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { Redactor } from "../journal/redact.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { tell, tellWarning } from "../output/tell.ts";
import { plural } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { LogFlags } from "./action.ts";
import { showBody } from "./body-command.ts";
import { curlCommand } from "./curl-command.ts";
import { followLog } from "./follow-log.ts";
import { harOf } from "./har.ts";
import { isFiltering, isWanted } from "./log-filter.ts";
import { type LogFilter, sinceTime } from "./log-flags.ts";
import { recordForJson, withoutOwnCredentials } from "./log-records.ts";
import { logTable, recordDetails } from "./log-text.ts";
import { issuedNear, redactorFor } from "./shown-secrets.ts";

/** How many records a list shows. */
const SHOWN = 20;

/** `app-sim log [ID]` */
export async function logCommand({ invocation, args: [id], flags }: CommandCall<never, LogFlags>): Promise<number> {
  requireFitting(id, flags);
  const loaded = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  if (flags.clear === true) return clearLog(invocation, loaded);
  const filter = filterOf(flags);
  if (flags.follow === true) return followLog(invocation, loaded, filter, flags.last ?? SHOWN);
  const records = await readRecords(invocation, loaded);
  return id === undefined
    ? showList(invocation, loaded, records, filter, flags)
    : showRecord(invocation, loaded, records, id, flags);
}

/** @throws UsageError for flags that mean nothing together */
function requireFitting(id: string | undefined, { curl, clear, body, follow, har, last, ...filter }: LogFlags): void {
  if (clear === true && (id !== undefined || curl === true)) {
    throw new UsageError("clear-with-id", "--clear removes every record", "leave out the id and --curl");
  }
  if (curl === true && id === undefined) {
    throw new UsageError("curl-without-id", "--curl needs the id of an exchange", "`app-sim log` lists the ids");
  }
  if (body !== undefined && id === undefined) {
    throw new UsageError("log-flags", "--body needs the id of an exchange", "`app-sim log` lists the ids");
  }
  const isList = last !== undefined || follow === true || isFiltering(filterOf(filter));
  if (id !== undefined && isList) {
    throw new UsageError(
      "log-flags",
      "an id names one record: nothing is left to choose",
      "leave out the id, or the other flags",
    );
  }
  const alone = Object.entries({ clear, curl, body, follow, har }).flatMap(([name, given]) =>
    given === undefined || given === false ? [] : [`--${name}`],
  );
  if (alone.length > 1) {
    throw new UsageError("log-flags", `${alone.join(" and ")} cannot be given together`, "give one of them");
  }
}

function filterOf({ since, kind, module, status, failed, grep }: LogFlags): LogFilter {
  const wanted = { kind, module, status, failed, grep };
  const given = Object.fromEntries(Object.entries(wanted).filter(([, member]) => member !== undefined));
  return { ...given, ...(since === undefined ? {} : { since: sinceTime(since, systemClock.now()) }) };
}

async function readRecords(invocation: Invocation, loaded: LoadedConfig): Promise<readonly JournalRecord[]> {
  const { records, unreadable } = await readOwnJournal(loaded);
  if (unreadable > 0) {
    tellWarning(invocation, `${plural(unreadable, "line")} of the journal cannot be read; the rest is shown`);
  }
  return records;
}

async function showList(
  invocation: Invocation,
  { config }: LoadedConfig,
  records: readonly JournalRecord[],
  filter: LogFilter,
  { har = false, last = har ? Number.POSITIVE_INFINITY : SHOWN }: LogFlags,
): Promise<number> {
  const { format, out, paint, version } = invocation;
  const isAll = !isFiltering(filter);
  // What a pattern is looked for in must be hidden first, in every record.
  const finder = isAll ? null : redactorFor(config, records);
  const wanted = finder === null ? records : records.filter((record) => isWanted(record, filter, finder));
  const chosen = wanted.slice(-last);
  const from = Math.max(0, chosen[0] === undefined ? 0 : records.indexOf(chosen[0]));
  const redactor = finder ?? redactorFor(config, records, from);
  const find = finderIn(records);
  const shown = chosen.map((record) => withoutOwnCredentials(record, find));
  if (har) out(jsonText(harOf(shown, redactor, version)));
  else if (format === "json")
    out(jsonText({ command: "log", records: shown.map((record) => recordForJson(record, redactor)) }));
  else if (shown.length === 0 && records.length > 0)
    printLines(invocation, [`None of the ${plural(records.length, "record")} fits.`]);
  else printLines(invocation, logTable(shown, wanted.length, redactor, paint));
  return 0;
}

async function showRecord(
  invocation: Invocation,
  loaded: LoadedConfig,
  records: readonly JournalRecord[],
  id: string,
  { curl = false, body, har = false }: LogFlags,
): Promise<number> {
  const { format, out, paint, version } = invocation;
  // Only an exchange can be sent again, or has a body.
  const needsExchange = curl || body !== undefined || har;
  const newest = records.findLast(({ type }) => !needsExchange || type === "exchange") ?? null;
  const found = id === "last" ? newest : findRecord(records, id);
  if (found === null) throw notFound(id, records);
  const place = records.indexOf(found);
  const secrets = [...secretsOf(loaded.config), ...issuedNear(place, place, records)];
  const redactor = new Redactor(secrets);
  if (body !== undefined) return showBody(invocation, found, body, redactor);
  if (curl) {
    const command = curlCommand(loaded, found, secrets);
    out(format === "json" ? jsonText({ command: "log", curl: command }) : command);
    // What came last may be more than an exchange, such as a login, or a verification of hundreds.
    if (found.type === "exchange" && id === "last" && records.at(-1) !== found) {
      const { method, url } = redactor.exchange(found).request;
      tell(invocation, `the last exchange is ${found.id}: ${method} ${harmlessLine(url)}`);
    }
    return 0;
  }
  const record = withoutOwnCredentials(found, finderIn(records));
  if (har) out(jsonText(harOf([record], redactor, version)));
  else if (format === "json") out(jsonText({ command: "log", records: [recordForJson(record, redactor)] }));
  else printLines(invocation, recordDetails(record, redactor, paint));
  return 0;
}

function finderIn(records: readonly JournalRecord[]): (id: string) => JournalRecord | null {
  return (wanted) => records.find((record) => record.id === wanted) ?? null;
}

/** `app-sim log --clear` */
async function clearLog(invocation: Invocation, loaded: LoadedConfig): Promise<number> {
  const { format, out } = invocation;
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
  else printLines(invocation, [`${plural(count, "record")} removed from ${journal}`]);
  return 0;
}
