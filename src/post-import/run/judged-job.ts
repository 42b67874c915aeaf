import { createHash } from "node:crypto";
import type { ImportVerdict } from "../checks/import-answer.ts";
import type { AnswerHead } from "../files/expected-answer.ts";
import { allUnchanged, asChanges, ended } from "../files/imported-job.ts";
import type { ImportedJob } from "../import-result.ts";
import { type Taken, type Taking, takeAnswer } from "./take-answer.ts";

/** A job whose call was answered. */
export interface JudgedJob {
  readonly imported: ImportedJob;
  readonly preview: Buffer | null;
  /** What an expected answer says of it; null where the answer breaks the contract, which nobody can expect. */
  readonly head: AnswerHead | null;
}

/**
 * What became of a job whose call was answered: the changes of its strings, or why the import fails.
 * @param preview the file that a preview shows, and whether it is shown at an address of the platform
 */
export async function judgedJob(
  sent: ImportedJob,
  verdict: ImportVerdict,
  taking: Taking,
  preview: { readonly file: string; readonly shown: boolean },
): Promise<JudgedJob> {
  const { findings } = taking;
  switch (verdict.kind) {
    case "failed":
      findings.add(...verdict.findings);
      return unexpected({ ...ended(sent, "failed", { ...verdict, failure: "other" }), findings: findings.list() });
    case "app-error": {
      const { message } = verdict;
      const ending = { reason: message, hint: "this text is what the user is shown", failure: "other" } as const;
      const imported = { ...ended(sent, "failed", ending), findings: findings.list() };
      return { imported, preview: null, head: { outcome: "failed", error: message, preview: null } };
    }
    case "not-modified": {
      const changes = allUnchanged(sent.sent.strings);
      const imported: ImportedJob = { ...sent, outcome: "not-modified", changes, findings: findings.list() };
      return { imported, preview: null, head: { outcome: "not-modified", error: null, preview: null } };
    }
    case "strings": {
      findings.add(...verdict.findings);
      return takenJob(sent, await takeAnswer(taking, verdict), taking, preview);
    }
  }
}

function unexpected(imported: ImportedJob): JudgedJob {
  return { imported, preview: null, head: null };
}

async function takenJob(
  sent: ImportedJob,
  taken: Taken,
  { context, choices, module, judge, findings }: Taking,
  { file, shown }: { readonly file: string; readonly shown: boolean },
): Promise<JudgedJob> {
  const answered: ImportedJob = {
    ...sent,
    received: { strings: judge.received, via: taken.via, bytes: taken.bytes ?? sent.received.bytes },
    exchanges: [...sent.exchanges, ...taken.exchanges],
  };
  if (taken.ending !== null) {
    return unexpected({ ...ended(answered, "failed", taken.ending), findings: findings.list() });
  }
  const changes = judge.changes();
  if (judge.hasOmitted) choices.relyOn("postImport.omitted");
  const { preview } = taken;
  const imported: ImportedJob = {
    ...answered,
    outcome: "imported",
    preview: preview && {
      via: preview.via,
      bytes: preview.html.length,
      url: shown ? (await context.listen()) + context.previews.add({ html: preview.html, file, module }) : null,
    },
    changes: asChanges(changes),
    findings: findings.list(),
  };
  const head = { outcome: "imported", error: null, preview: preview && digestOf(preview.html) } as const;
  return { imported, preview: preview?.html ?? null, head };
}

/** What tells one preview from another. */
function digestOf(html: Buffer): { bytes: number; sha256: string } {
  return { bytes: html.length, sha256: createHash("sha256").update(html).digest("hex") };
}
