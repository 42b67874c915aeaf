import type { ImportedJob, ImportResult } from "../post-import/import-result.ts";
import type { ImportAction } from "./scenario-schema.ts";
import { failed, passed, type StepOutcome } from "./step-outcome.ts";

/** Every job has to end as expected, and its answer to be the one that lies beside the fixture, if one does. */
export function judgeImport({ expect = "imported" }: ImportAction, { jobs }: ImportResult): StepOutcome {
  const exchanges = jobs.flatMap((job) => job.exchanges);
  for (const job of jobs) {
    const reason = whyWrong(job, expect);
    if (reason !== null) return failed(reason, job.hint, exchanges, job.failure ?? "other");
  }
  return passed(exchanges);
}

/** An app that is not there, or is slow, gave no answer that could be the expected one. */
function whyWrong({ outcome, error, failure, expected }: ImportedJob, wanted: string): string | null {
  const isAnswered = failure === null || failure === "other";
  if (outcome !== wanted || !isAnswered) return error ?? `the job is ${outcome}, not ${wanted}`;
  if (expected?.result !== "different") return null;
  return expected.reason ?? `the strings that came are not those in ${expected.file}`;
}
