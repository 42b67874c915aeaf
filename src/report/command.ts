import path from "node:path";
import type { CommandCall } from "../action/command-call.ts";
import { systemClock } from "../app-client/ports.ts";
import { loadConfig } from "../config/load.ts";
import { readOwnJournal } from "../journal/read-journal.ts";
import { timeOfRecord } from "../log/log-filter.ts";
import { sinceTime } from "../log/log-flags.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { plural } from "../output/text.ts";
import type { ReportFlags } from "./action.ts";
import { reportFacts, reportFileText } from "./make-report.ts";
import { requireReplaceable, writeReport } from "./write-report.ts";

/** `app-sim report --out FILE` */
export async function reportCommand({ invocation, flags }: CommandCall<never, ReportFlags>): Promise<number> {
  const { settings, env, cwd, version, format, out } = invocation;
  const loaded = await loadConfig(settings, env, cwd);
  const files = flags.out.map((name) => ({ name, file: path.resolve(cwd, name) }));
  for (const { file } of files) await requireReplaceable(file);
  const { records: journal, unreadable } = await readOwnJournal(loaded);
  const now = systemClock.now();
  const since = flags.since === undefined ? Number.NEGATIVE_INFINITY : sinceTime(flags.since, now);
  // What was shown from one record on has no gaps, though another process may have written with another clock.
  const first = journal.findIndex((record) => Date.parse(timeOfRecord(record)) >= since);
  const records = first < 0 ? [] : journal.slice(first);
  const facts = reportFacts({
    loaded,
    journal,
    records,
    command: null,
    reliedOn: null,
    notes: unreadable === 0 ? [] : [`${plural(unreadable, "line")} of the journal cannot be read.`],
    madeAt: new Date(now).toISOString(),
    version,
  });
  for (const { name, file } of files) await writeReport(file, reportFileText(name, facts));
  const written = files.map(({ name }) => name);
  if (format === "json") out(jsonText({ command: "report", records: records.length, files: written }));
  else
    printLines(invocation, [
      `${plural(records.length, "record")} of ${loaded.config.journal} in ${written.join(", ")}`,
    ]);
  return 0;
}
