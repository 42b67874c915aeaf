import type { ImportedJob } from "../import-result.ts";
import type { ImportOptions } from "../run/import-options.ts";
import type { StringsJudge } from "../run/judge-strings.ts";
import type { JudgedJob } from "../run/judged-job.ts";
import { expectedFileOf, headDifference, writeExpected } from "./expected-answer.ts";
import { asChanges, noChanges } from "./imported-job.ts";
import type { KeptLines } from "./kept-lines.ts";
import type { PlannedJob } from "./plan-jobs.ts";

/** Holds an answer against the expected one, or accepts it as such; null where neither is asked. */
export async function compareExpected(
  planned: PlannedJob,
  { update }: ImportOptions,
  { head, imported }: JudgedJob,
  judge: StringsJudge,
  received: KeptLines | null,
): Promise<ImportedJob["expected"]> {
  const file = expectedFileOf(planned);
  const { expected } = planned;
  if (update === true && file !== null && received !== null) {
    if (head === null) {
      const reason = "an answer that breaks the contract cannot be expected";
      return { file, result: "not-written", reason, differences: noChanges };
    }
    await writeExpected(file, head, received);
    return { file, result: "written", reason: null, differences: noChanges };
  }
  if (expected === null) return null;
  if (head === null) {
    const reason = `expected ${expected.head.outcome}, but it failed: ${imported.error}`;
    return { file: expected.file, result: "different", reason, differences: noChanges };
  }
  const reason = headDifference(expected.head, head);
  const areStrings = head.outcome === "imported" && expected.head.outcome === "imported";
  const differences = areStrings ? asChanges(judge.differences()) : noChanges;
  const isSame = reason === null && differences.changed + differences.added + differences.removed === 0;
  return { file: expected.file, result: isSame ? "same" : "different", reason, differences };
}
