import type { Evidence } from "../../checking/check.ts";
import type { Verification } from "../../checking/unit.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { skippedChecks } from "../../checking/verify-subject.ts";
import type { InstalledImport } from "../../import-checks/call.ts";
import { sentJob } from "../../import-checks/reading.ts";
import { findControl, importSubject } from "../../import-checks/units.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import type { ImportJob } from "../../protocol/import-job.ts";
import { randomImportChecks } from "../cases/imports.ts";
import { randomImports } from "../checks.ts";
import type { FoundCase } from "../found.ts";
import { exchangeIn } from "../random-check.ts";
import { verifyRandomly } from "./random-subject.ts";

/** Sends random jobs to a post-import module. */
export async function fuzzImport(verification: Verification, imported: InstalledImport): Promise<CheckResult[]> {
  const { key } = imported.module;
  const id = `import.fuzz:${key}`;
  const { fitting, answerMs, accepted } = await findControl(verification, imported, id);
  if (fitting === null) {
    const about = { title: `post-import ${key}`, module: key };
    const reason = `there is no job that the app accepts: ${accepted.reason}`;
    return skippedChecks(about, randomImportChecks.filter(verification.wants), reason, accepted.hint);
  }
  const { tools, ...subject } = importSubject(verification, imported, id, { fitting, answerMs });
  return verifyRandomly(verification, {
    subject,
    checks: randomImportChecks,
    tools: (trial) => tools(trial, () => verification.context),
    describe: (check, smallest) => foundJob(check.id, key, smallest),
  });
}

const SHOWN_CHARACTERS = 400;

/** The commands that send a job, and the one that is compared with it, again. */
const commandsOf: Readonly<Record<string, (file: string, other: string | undefined) => readonly string[]>> = {
  // The answer to the first is the expected one for the second.
  [randomImports.byUrl.id]: (file) => [
    `post-import ${file} --via inline --update`,
    `post-import ${file} --via url --details`,
  ],
  [randomImports.repeated.id]: (file) => [`post-import ${file} --update`, `post-import ${file} --details`],
};

function foundJob(id: string, module: string, smallest: Evidence): FoundCase {
  const jobIn = (role: string): ImportJob | null => {
    const exchange = exchangeIn(smallest, role);
    return exchange && sentJob(exchange);
  };
  const [job, other] = [jobIn("first"), jobIn("other")];
  const isPair = id === randomImports.order.id || id === randomImports.alone.id;
  const languages = job?.targetLanguages.map((language) => language.id) ?? [];
  const strings = JSON.stringify(job?.strings ?? []);
  const shown = `${languages.length === 0 ? "" : `into ${languages.join(", ")}: `}${strings}`;
  return {
    shown: clip(harmlessLine(shown), SHOWN_CHARACTERS),
    name: `${id}-${module}`,
    files: { ...(job === null ? {} : { "": job }), ...(isPair && other !== null ? { "-other": other } : {}) },
    commands: ([file, second]) =>
      file === undefined
        ? []
        : (commandsOf[id]?.(file, second) ?? [
            `post-import ${[file, ...(second === undefined ? [] : [second])].join(" ")} --details`,
          ]),
  };
}
