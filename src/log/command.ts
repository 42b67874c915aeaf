import { existsSync } from "node:fs";
import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { systemClock } from "../app-client/ports.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { secretsOf } from "../config/secrets.ts";
import { clearJournal } from "../journal/journal-file.ts";
import { mapYielding } from "../journal/map-yielding.ts";
import { notFound, readOwnJournal } from "../journal/read-journal.ts";
import { Redactor } from "../journal/redact.ts";
import type { SavedJournal } from "../journal/saved-journal.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { tell, tellWarning } from "../output/tell.ts";
import { plural } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { LogFlags } from "./action.ts";
import { showBody } from "./body-command.ts";
import { curlCommand } from "./curl-command.ts";
import { findWanted } from "./find-wanted.ts";
import { followLog } from "./follow-log.ts";
import { harText } from "./har.ts";
import { isExchange, isFiltering } from "./log-filter.ts";
import { type LogFilter, recordKinds, sinceTime } from "./log-flags.ts";
import { recordForJson, withoutOwnCredentials } from "./log-records.ts";
import { logRow } from "./log-rows.ts";
import { logTable, recordDetails } from "./log-text.ts";
import { issuedNear, SECRET_RECORDS } from "./shown-secrets.ts";

/** How many records a list shows. */
const SHOWN = 20;

/** `app-sim log [ID]` */
export async function logCommand({ invocation, args: [id], flags }: CommandCall<never, LogFlags>): Promise<number> {
  requireFitting(id, flags);
  const loaded = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  if (flags.clear === true) return clearLog(invocation, loaded);
  const filter = filterOf(flags);
  if (flags.follow === true) return followLog(invocation, loaded, filter, flags.last ?? SHOWN);
  const journal = await readOwnJournal(loaded);
  return id === undefined
    ? showList(invocation, loaded, journal, { ...flags, filter })
    : showRecord(invocation, loaded, journal, { ...flags, id });
}

/** @throws UsageError for flags that make no sense together */
function requireFitting(id: string | undefined, { curl, clear, body, follow, har, last, ...filter }: LogFlags): void {
  const isSelection = last !== undefined || isFiltering(filterOf(filter));
  if (clear === true && (id !== undefined || curl === true || isSelection)) {
    throw new UsageError("clear-with-id", "--clear removes every record", "leave out the id, and the other flags");
  }
  if (curl === true && id === undefined) {
    throw new UsageError("curl-without-id", "--curl needs the id of an exchange", "`app-sim log` lists the ids");
  }
  if (body !== undefined && id === undefined) {
    throw new UsageError("log-flags", "--body needs the id of an exchange", "`app-sim log` lists the ids");
  }
  if (id !== undefined && (isSelection || follow === true)) {
    throw new UsageError(
      "log-flags",
      `${valueText(id)} is the id of a single record, which filters and --last do not apply to`,
      `leave out ${valueText(id)} or the other flags; --failed and --follow take no value`,
    );
  }
  const alone = Object.entries({ clear, curl, body, follow, har }).flatMap(([name, given]) =>
    given === undefined || given === false ? [] : [`--${name}`],
  );
  if (alone.length > 1) {
    throw new UsageError("log-flags", `${alone.join(" and ")} cannot be combined`, "use one of them");
  }
}

function filterOf({ since, kind, module, status, failed, grep }: LogFlags): LogFilter {
  const wanted = { kind, module, status, failed, grep };
  const given = Object.fromEntries(Object.entries(wanted).filter(([, member]) => member !== undefined));
  return { ...given, ...(since === undefined ? {} : { since: sinceTime(since, systemClock.now()) }) };
}

interface WantedList extends Pick<LogFlags, "har" | "last"> {
  readonly filter: LogFilter;
}

async function showList(
  invocation: Invocation,
  { config }: LoadedConfig,
  journal: SavedJournal,
  { filter, har = false, last = har ? Number.POSITIVE_INFINITY : SHOWN }: WantedList,
): Promise<number> {
  const { format, out, paint, version, signal } = invocation;
  const { found, total, redactor } = await findWanted(journal, config, { filter, last, signal });
  tellUnreadable(invocation, journal);
  const shown = found.map((record) => withoutOwnCredentials(record, (id) => journal.recordWith(id)));
  if (har) for (const piece of await harText(shown, redactor, version, signal)) out(piece);
  else if (format === "json") {
    const records = await mapYielding(shown, signal, (record) => recordForJson(record, redactor));
    out(jsonText({ command: "log", records }));
  } else if (shown.length === 0 && journal.ids.length > 0)
    printLines(invocation, [await noneFits(journal, filter, signal)]);
  else if (shown.length === 0) printLines(invocation, [emptyText(config.journal)]);
  else {
    const rows = await mapYielding(shown, signal, (record) => logRow(record, redactor));
    printLines(invocation, logTable(rows, total, paint, systemClock.now()));
  }
  return 0;
}

/** The message if no record matches; a module without any record may be misspelt. */
async function noneFits(journal: SavedJournal, { module }: LogFilter, signal: AbortSignal): Promise<string> {
  const none = `None of the ${plural(journal.ids.length, "record")} matches`;
  const records = module === undefined ? [] : await journal.records(signal, 0);
  const known = [...new Set(records.flatMap((record) => (isExchange(record) ? (record.module ?? []) : [])))];
  if (module === undefined || known.length === 0 || known.includes(module)) return `${none}.`;
  return harmlessLine(
    `${none}: none is of module ${module}; there are records of ${known.join(", ")}.${didYouMean(module, known)}`,
  );
}

function emptyText(directory: string): string {
  const there = existsSync(directory)
    ? `The journal in ${directory} is empty`
    : `There is no journal yet: no folder ${directory}`;
  return harmlessLine(`${there}. app-sim guard, post-import, webhook and serve write to it.`);
}

function tellUnreadable(invocation: Invocation, { unreadable }: SavedJournal): void {
  if (unreadable > 0) {
    tellWarning(invocation, `${plural(unreadable, "line")} of the journal cannot be read; the rest is shown`);
  }
}

/** The error for an id that no record has: it may be the value of a flag. */
function unknownId(id: string, ids: readonly string[]): UsageError {
  const error = notFound(id, ids);
  if (error.code !== "unknown-id" || ids.length === 0) return error;
  const lower = id.toLowerCase();
  const meant = ids.includes(lower)
    ? `ids are in lower case: app-sim log ${lower}`
    : recordKinds.includes(id)
      ? `app-sim log --kind ${id}`
      : `${error.hint}; --module KEY shows the records of a module`;
  return new UsageError(error.code, error.summary, meant);
}

interface WantedRecord extends Pick<LogFlags, "curl" | "body" | "har"> {
  /** Id of the record; `last`: the last exchange. */
  readonly id: string;
}

async function showRecord(
  invocation: Invocation,
  loaded: LoadedConfig,
  journal: SavedJournal,
  { id, curl = false, body, har = false }: WantedRecord,
): Promise<number> {
  const { format, out, paint, version, signal } = invocation;
  const found = id === "last" ? journal.findLast(isExchange) : journal.find(id);
  tellUnreadable(invocation, journal);
  if (found === null) throw id === "last" ? noExchange(journal) : unknownId(id, journal.ids);
  const near = journal.upTo(found, SECRET_RECORDS);
  const secrets = [...secretsOf(loaded.config), ...issuedNear(0, near.length - 1, near)];
  const redactor = new Redactor(secrets);
  if (body !== undefined) return showBody(invocation, found, body, redactor);
  if (curl) {
    const command = curlCommand(loaded, found, secrets);
    out(format === "json" ? jsonText({ command: "log", curl: command }) : command);
    // The newest record may not be an exchange, but a login, or a verification of hundreds.
    if (found.type === "exchange" && id === "last" && journal.ids.at(-1) !== found.id) {
      const { method, url } = redactor.exchange(found).request;
      tell(invocation, `the last exchange is ${found.id}: ${method} ${harmlessLine(url)}`);
    }
    return 0;
  }
  const record = withoutOwnCredentials(found, (wanted) => journal.recordWith(wanted));
  if (har) for (const piece of await harText([record], redactor, version, signal)) out(piece);
  else if (format === "json") out(jsonText({ command: "log", records: [recordForJson(record, redactor)] }));
  else printLines(invocation, recordDetails(record, redactor, paint));
  return 0;
}

function noExchange({ ids }: SavedJournal): UsageError {
  const hint = ids.length === 0 ? "it is empty: run a command first" : "`app-sim log` lists what it has";
  return new UsageError("unknown-id", "the journal has no exchange", hint);
}

/** `app-sim log --clear` */
async function clearLog(invocation: Invocation, loaded: LoadedConfig): Promise<number> {
  const { format, out } = invocation;
  const { journal } = loaded.config;
  const { ids } = await readOwnJournal(loaded);
  try {
    clearJournal(journal);
  } catch (error) {
    throw new UsageError(
      "journal-unwritable",
      `the journal in ${journal} cannot be removed: ${(error as Error).message}`,
      "choose another directory with --journal",
    );
  }
  const count = ids.length;
  if (format === "json") out(jsonText({ command: "log", cleared: count }));
  else printLines(invocation, [`${plural(count, "record")} removed from ${journal}`]);
  return 0;
}
