import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Invocation } from "../action/invocation.ts";
import { systemClock } from "../app-client/ports.ts";
import type { ChoiceId } from "../config/choices.ts";
import type { LoadedConfig } from "../config/load.ts";
import { KEPT_RECORDS } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { shellWord } from "../output/shell-word.ts";
import { tell } from "../output/tell.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { reportTexts } from "./make-report.ts";
import { requireReplaceable, writeReport } from "./write-report.ts";

/** The end of a command that writes evidence. */
interface EndedCommand {
  readonly loaded: LoadedConfig;
  /** The records that it wrote. */
  readonly records: readonly JournalRecord[];
  readonly text: readonly string[];
  readonly warnings: readonly string[];
  readonly choices: readonly ChoiceId[];
  readonly exitCode: number;
}

/** Refuses files that cannot be written, before the command begins. */
export async function requireEvidenceFiles({ evidence, cwd }: Invocation): Promise<void> {
  for (const file of evidence) await requireReplaceable(path.resolve(cwd, file));
}

/** `--evidence FILE`: writes a report of one command to each of its files. */
export async function writeEvidence(invocation: Invocation, ended: EndedCommand): Promise<void> {
  const { evidence, typed, cwd, version } = invocation;
  const { loaded, records, text, warnings, choices, exitCode } = ended;
  const isFull = records.length >= KEPT_RECORDS;
  // Written however the command ended, even by a signal.
  const { signal } = new AbortController();
  const textOf = reportTexts({
    loaded,
    journal: records,
    records,
    command: {
      line: ["app-sim", ...typed.map(shellWord)].join(" "),
      exitCode,
      text: text.map(stripVTControlCharacters),
      warnings,
    },
    reliedOn: choices,
    notes: isFull ? [`It contains only the last ${withCommas(KEPT_RECORDS)} records: the journal has all.`] : [],
    madeAt: new Date(systemClock.now()).toISOString(),
    version,
    signal,
  });
  for (const file of evidence) {
    await writeReport(path.resolve(cwd, file), await textOf(file));
    tell(invocation, `evidence: ${file}`);
  }
}
