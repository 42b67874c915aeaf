import { createHash } from "node:crypto";
import { plural } from "../../output/text.ts";
import type { ImportVerdict } from "../checks/import-answer.ts";
import { type AnswerHead, headDifference, writeExpected } from "../files/expected-answer.ts";
import type { PlannedJob } from "../files/plan-jobs.ts";
import type { RedactedLines } from "../files/redacted-lines.ts";
import type { ImportedJob } from "../import-result.ts";
import { type AnswerContext, type AnswerParts, AnswerReader } from "./answer-reader.ts";
import { failedJob, type ImportFailure, noChanges } from "./imported-job.ts";
import type { StringsJudge } from "./strings-judge.ts";

/** A job whose call was answered. */
interface AnsweredJob {
  readonly imported: ImportedJob;
  readonly preview: Buffer | null;
  /** The answer in the form of an expected one; null if it breaks the contract, which cannot be expected. */
  readonly head: AnswerHead | null;
}

/**
 * The result of a job whose call was answered: the changes of its strings, or why the import fails.
 * @param preview the file that a preview shows, and whether the platform serves it
 */
export async function judgeAnswer(
  sent: ImportedJob,
  verdict: ImportVerdict,
  answer: AnswerContext,
  preview: { readonly file: string; readonly shown: boolean },
): Promise<AnsweredJob> {
  const { findings } = answer;
  const failed = (failure: ImportFailure, head: AnswerHead | null): AnsweredJob => {
    return { imported: { ...failedJob(sent, failure), findings: findings.list() }, preview: null, head };
  };
  switch (verdict.kind) {
    case "failed":
      findings.add(...verdict.findings);
      return failed({ ...verdict, failure: "other" }, null);
    case "app-error": {
      const { message, hasStrings } = verdict;
      const hint = `the user is shown this text${hasStrings ? WITH_STRINGS : unreadText(message, sent)}`;
      const head = { outcome: "failed", error: message, preview: null } as const;
      return failed({ reason: message, hint, failure: "other" }, head);
    }
    case "not-modified": {
      const changes = { ...noChanges, unchanged: sent.sent.strings };
      const imported: ImportedJob = { ...sent, outcome: "not-modified", changes, findings: findings.list() };
      return { imported, preview: null, head: { outcome: "not-modified", error: null, preview: null } };
    }
    case "strings":
      findings.add(...verdict.findings);
      return judgeParts(sent, await new AnswerReader(answer).read(verdict), answer, preview);
  }
}

const WITH_STRINGS =
  ", and because of the error none of the strings in data is imported: leave error out, unless the app rejects the file";

/** Messages of an app that found nothing in its request. */
const foundNothing =
  /\b(no|missing|empty|without|undefined|not an? array)\b.*\b(strings?|body|data|content|payload|job)\b|\b(strings?|body|data|content|payload|job)\b.*\b(missing|empty|undefined|required|not found)\b/i;

/** The hint for an app that misses what was sent: it may not have read the body. */
function unreadText(message: string, { sent }: ImportedJob): string {
  if (sent.strings === 0 || !foundNothing.test(message)) return "";
  const where = sent.via === "url" ? "at the job's stringsUrl" : "in the body of the job";
  return `; ${plural(sent.strings, "string")} ${sent.strings === 1 ? "was" : "were"} ${where}: does the app read ${sent.via === "url" ? "that file" : "it as JSON (express.json() on this route, in Express)"}?`;
}

async function judgeParts(
  sent: ImportedJob,
  parts: AnswerParts,
  { context, choices, module, judge, findings }: AnswerContext,
  { file, shown }: { readonly file: string; readonly shown: boolean },
): Promise<AnsweredJob> {
  const answered: ImportedJob = {
    ...sent,
    received: { strings: judge.received, via: parts.via, bytes: parts.bytes ?? sent.received.bytes },
    exchanges: [...sent.exchanges, ...parts.exchanges],
  };
  if (parts.failure !== null) {
    return {
      imported: { ...failedJob(answered, parts.failure), findings: findings.list() },
      preview: null,
      head: null,
    };
  }
  const changes = judge.changes();
  if (judge.hasOmitted) choices.relyOn("postImport.omitted");
  const { via, html } = parts.preview ?? { via: "inline", html: null };
  const bytes = html?.length ?? 0;
  const url = html && shown ? (await context.listen()) + context.previews.add({ html, file, module }) : null;
  const sha256 = html && createHash("sha256").update(html).digest("hex");
  return {
    imported: {
      ...answered,
      outcome: "imported",
      preview: html && { via, bytes, url },
      changes,
      findings: findings.list(),
      ignored: judge.ignored,
    },
    preview: html,
    head: { outcome: "imported", error: null, preview: sha256 === null ? null : { bytes, sha256 } },
  };
}

/**
 * Saves an answer as the expected one.
 * @param head of the answer; null if it breaks the contract
 * @param received the strings of the answer
 */
export async function saveExpected(
  file: string,
  head: AnswerHead | null,
  received: RedactedLines,
): Promise<ImportedJob["expected"]> {
  if (head === null) {
    const reason = "an answer that breaks the contract cannot be expected";
    return { file, result: "not-written", reason, differences: noChanges };
  }
  await writeExpected(file, head, received);
  return { file, result: "written", reason: null, differences: noChanges };
}

/** Compares an answer with the expected one; null if there is none. */
export function compareExpected(
  expected: PlannedJob["expected"],
  { head, imported }: AnsweredJob,
  judge: StringsJudge,
): ImportedJob["expected"] {
  if (expected === null) return null;
  const { file } = expected;
  if (head === null) {
    const reason = `expected ${expected.head.outcome}, but it failed: ${imported.error}`;
    return { file, result: "different", reason, differences: noChanges };
  }
  const reason = headDifference(expected.head, head);
  const areStrings = head.outcome === "imported" && expected.head.outcome === "imported";
  const differences = areStrings ? judge.differences() : noChanges;
  const isSame = reason === null && differences.changed + differences.added + differences.removed === 0;
  return { file, result: isSame ? "same" : "different", reason, differences };
}
