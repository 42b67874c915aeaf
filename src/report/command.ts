import path from "node:path";
import type { CommandCall } from "../action/command-call.ts";
import { systemClock } from "../app-client/ports.ts";
import { loadConfig } from "../config/load.ts";
import { readOwnJournal } from "../journal/read-journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { SavedJournal } from "../journal/saved-journal.ts";
import { sinceTime } from "../log/log-flags.ts";
import { SECRET_RECORDS } from "../log/shown-secrets.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { showProgress } from "../output/progress.ts";
import { plural } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { ReportFlags } from "./action.ts";
import { checksToTell, reportTexts } from "./make-report.ts";
import { requireReplaceable, writeReport } from "./write-report.ts";

/** `app-sim report --out FILE` */
export async function reportCommand({ invocation, flags }: CommandCall<never, ReportFlags>): Promise<number> {
  const { settings, env, cwd, version, format, out, signal } = invocation;
  const loaded = await loadConfig(settings, env, cwd);
  const files = flags.out.map((name) => ({ name, file: path.resolve(cwd, name) }));
  for (const { file } of files) await requireReplaceable(file);
  const progress = showProgress(invocation);
  progress.working("reading the journal");
  const saved = await readOwnJournal(loaded);
  const now = systemClock.now();
  const since = flags.since === undefined ? Number.NEGATIVE_INFINITY : sinceTime(flags.since, now);
  // The records from the first one on are contiguous, even if another process wrote with a different clock.
  const first = saved.placeSince(since);
  const records = await saved.records(signal, first);
  const journal = await saved.records(signal, firstNeeded(saved, first, records));
  const { unreadable } = saved;
  const source = {
    loaded,
    journal,
    records,
    command: null,
    reliedOn: null,
    notes: unreadable === 0 ? [] : [`${plural(unreadable, "line")} of the journal cannot be read.`],
    madeAt: new Date(now).toISOString(),
    version,
    signal,
  };
  const textOf = reportTexts(
    source,
    () => progress.working(`judging ${plural(records.length, "record")}`),
    (name) => progress.working(`writing ${harmlessLine(name)}`),
  );
  for (const { name, file } of files) await writeReport(file, await textOf(name));
  progress.stop();
  const written = files.map(({ name }) => name);
  if (format === "json") out(jsonText({ command: "report", records: records.length, files: written }));
  else
    printLines(invocation, [
      `${plural(records.length, "record")} of ${loaded.config.journal} written to ${written.join(", ")}`,
    ]);
  return 0;
}

/** How far back the journal must be read to report the records from an index on. */
function firstNeeded(journal: SavedJournal, first: number, records: readonly JournalRecord[]): number {
  if (records.some((record) => record.type === "verification" && checksToTell(record).length > 0)) return 0;
  const named = records.flatMap((record) => (record.type === "login" ? record.exchanges : []));
  return named.reduce((least, id) => Math.min(least, journal.placeOf(id) ?? least), first - SECRET_RECORDS);
}
