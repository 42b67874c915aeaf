import type { Explanation } from "../../app-client/explain-outcome.ts";
import type { User } from "../../config/schema.ts";
import type { Failure } from "../../platform/result-parts.ts";
import type { Changes, ImportedJob } from "../import-result.ts";
import type { StringChanges } from "../rules/string-comparison.ts";
import type { PlannedJob } from "./plan-jobs.ts";

/** No string was touched, for none was there. */
export const noChanges: Changes = {
  changed: 0,
  added: 0,
  removed: 0,
  unchanged: 0,
  hidden: 0,
  relabelled: 0,
  strings: [],
};

/** A job before anything was sent. */
export function begin({ fixture, occasion, job, strings }: PlannedJob, user: User): ImportedJob {
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
    expected: null,
    exchanges: [],
  };
}

/** Why a job ended without an import. */
export type Ending = Explanation & { readonly failure: Failure };

export function ended(job: ImportedJob, outcome: "failed" | "skipped", { reason, hint, failure }: Ending): ImportedJob {
  return { ...job, outcome, error: reason, hint, failure };
}

/** Changes as a result holds them. */
export function asChanges(changes: StringChanges): Changes {
  return {
    ...changes,
    strings: changes.strings.map((string) => ({ ...string, fields: [...string.fields] })),
  };
}

/** Changes of a job that nothing came back of. */
export function allUnchanged(strings: number): Changes {
  return { ...noChanges, unchanged: strings };
}
