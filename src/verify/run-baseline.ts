import { cutsCalls, type Ended } from "../checking/unit.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { readBaseline, writeBaseline } from "./baseline-file.ts";
import { type KnownFinding, updatedBaseline, withKnown } from "./rules/known-findings.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** The findings of the baseline before the run; none without one. */
export async function baselineOf({
  baseline,
  updateBaseline = false,
}: VerifyOptions): Promise<readonly KnownFinding[]> {
  if (baseline !== undefined) {
    return readBaseline(baseline).catch((error: unknown) => {
      // The first time, there is nothing to update.
      if (updateBaseline && error instanceof UsageError && error.code === "file-unreadable") return [];
      throw error;
    });
  }
  if (!updateBaseline) return [];
  throw new UsageError("baseline-invalid", "--update-baseline has no file to write", "add --baseline FILE");
}

interface FindingsOfRun {
  /** Of the baseline, before the run. */
  readonly before: readonly KnownFinding[];
  readonly found: readonly CheckResult[];
  readonly ended: Ended | null;
}

/** The known findings: with `--update-baseline`, also the new ones, unless the run was cut short. */
export async function knownFindings(
  { config, clock }: VerifyContext,
  { baseline, updateBaseline = false }: VerifyOptions,
  { before, found, ended }: FindingsOfRun,
): Promise<readonly KnownFinding[]> {
  const { known } = config.verify;
  if (baseline === undefined || !updateBaseline || cutsCalls(ended)) return [...known, ...before];
  const marked = withKnown(found, known, clock.now());
  const updated = updatedBaseline(
    before,
    marked.filter((check) => check.known === null),
    clock.now(),
  );
  await writeBaseline(baseline, updated);
  return [...known, ...updated];
}
