import type { Explanation } from "../checks/explain-outcome.ts";
import type { Finding } from "../checks/finding.ts";
import type { ImportVerdict } from "../checks/import-answer.ts";
import { checkImport } from "../checks/import-checks.ts";
import { compareStrings } from "../platform/string-changes.ts";
import type { ChoiceReader } from "../protocol/choices.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import type { Problem } from "../protocol/usage-error.ts";
import type { Failure, ImportedJob } from "./results.ts";

/** A job before anything was sent. */
export function begin(fixture: string, job: ImportJob): ImportedJob {
  return {
    fixture,
    module: null,
    outcome: "failed",
    error: null,
    hint: null,
    failure: null,
    sent: { strings: job.strings?.length ?? 0, via: "inline", bytes: 0 },
    received: received(0, 0),
    changes: { changed: 0, added: 0, removed: 0, unchanged: 0, strings: [] },
    findings: [],
    exchanges: [],
  };
}

export function received(strings: number, size: number): ImportedJob["received"] {
  return { strings, via: "inline", bytes: size };
}

/** Why a job ended without an import. */
export type Ending = Explanation & { readonly failure: Failure };

export function ended(job: ImportedJob, outcome: "failed" | "skipped", { reason, hint, failure }: Ending): ImportedJob {
  return { ...job, outcome, error: reason, hint, failure };
}

/** What became of a job whose answer came whole: its changes and findings, or why the import fails. */
export function judgedJob(
  sent: ImportedJob,
  size: number,
  verdict: ImportVerdict,
  job: ImportJob,
  choices: ChoiceReader,
): ImportedJob {
  if (verdict.kind === "failed") {
    const findings = [...verdict.problems.map(shapeFinding), ...sizeFindings(sent, size)];
    return { ...ended({ ...sent, received: received(0, size) }, "failed", { ...verdict, failure: "other" }), findings };
  }
  const before = job.strings ?? [];
  if (verdict.kind === "not-modified") {
    return {
      ...sent,
      outcome: "not-modified",
      received: received(0, size),
      changes: { ...sent.changes, unchanged: before.length },
      findings: sizeFindings(sent, size),
    };
  }
  const answer = { ...sent, received: received(verdict.strings.length, size) };
  const returned = new Set(verdict.strings.map((record) => record.uniqId));
  const omittedAre = before.every((record) => returned.has(record.uniqId))
    ? "removed"
    : choices.get("postImport.omitted");
  const findings = [
    ...verdict.warnings.map(contentTypeFinding),
    ...checkImport({
      sent: before,
      received: verdict.strings,
      hasPreview: verdict.hasPreview,
      hasStringsUrl: verdict.hasStringsUrl,
      sentBytes: sent.sent.bytes,
      receivedBytes: size,
      omittedAre,
    }),
  ];
  const fault = findings.find((finding) => finding.result === "fail");
  if (fault !== undefined) {
    return {
      ...ended(answer, "failed", { reason: `${fault.path} ${fault.message}`, hint: null, failure: "other" }),
      findings,
    };
  }
  if (verdict.strings.some(({ attributes }) => attributes?.platformType != null))
    choices.relyOn("postImport.platformType");
  const { strings, ...counts } = compareStrings(before, verdict.strings, omittedAre);
  if (strings.some(({ fields }) => fields.some(({ field }) => field.endsWith(".status"))))
    choices.relyOn("postImport.statusTransitions");
  return {
    ...answer,
    outcome: "imported",
    changes: { ...counts, strings: strings.map((string) => ({ ...string, fields: [...string.fields] })) },
    findings,
  };
}

/** What can be said of the sizes alone, where no strings came back to be checked. */
function sizeFindings({ sent }: ImportedJob, receivedBytes: number): Finding[] {
  return checkImport({
    sent: [],
    received: [],
    hasPreview: false,
    hasStringsUrl: false,
    sentBytes: sent.bytes,
    receivedBytes,
    omittedAre: "unchanged",
  });
}

function shapeFinding({ path, message }: Problem): Finding {
  return { check: "import.answer.shape", section: "2.4", result: "fail", path, message };
}

function contentTypeFinding(message: string): Finding {
  return { check: "import.content-type", section: "2.4", result: "warn", path: "response", message };
}
