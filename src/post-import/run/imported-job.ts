import type { Explanation } from "../../app-client/explain-outcome.ts";
import type { User } from "../../config/schema.ts";
import type { Failure } from "../../platform/result-parts.ts";
import type { PlannedJob } from "../files/plan-jobs.ts";
import type { Changes, ImportedJob } from "../import-result.ts";

/** The changes if there are no strings. */
export const noChanges: Changes = {
  changed: 0,
  added: 0,
  removed: 0,
  unchanged: 0,
  hidden: 0,
  relabelled: 0,
  strings: [],
};

/** The result of a job that was not sent. */
export function newJob({ fixture, occasion, job, strings }: PlannedJob, user: User): ImportedJob {
  return {
    fixture: fixture.name,
    occasion,
    languages: job.targetLanguages.map(({ id }) => id),
    user: { id: user.id, role: user.role },
    module: null,
    outcome: "failed",
    error: null,
    hint: null,
    failure: null,
    sent: { strings: strings.count, via: "inline", contentVia: "inline", bytes: 0 },
    received: { strings: 0, via: "inline", bytes: 0 },
    preview: null,
    changes: noChanges,
    findings: [],
    ignored: [],
    expected: null,
    exchanges: [],
  };
}

/** Why a job was not imported. */
export type ImportFailure = Explanation & { readonly failure: Failure };

export function failedJob(job: ImportedJob, { reason, hint, failure }: ImportFailure): ImportedJob {
  return { ...job, outcome: "failed", error: reason, hint, failure };
}
