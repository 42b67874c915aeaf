/** How an act ended, in a word: an import has an outcome for each of its jobs. */
export function actOutcome(result: unknown): string {
  const { outcome, jobs } = (result ?? {}) as { readonly outcome?: unknown; readonly jobs?: unknown };
  if (typeof outcome === "string") return outcome;
  if (!Array.isArray(jobs)) return "done";
  return [...new Set(jobs.map((job: { readonly outcome?: unknown }) => String(job.outcome)))].join(", ");
}

/** Whether somebody has to look at the result. */
export function isActTrouble(outcome: string): boolean {
  return outcome.split(", ").some((each) => /^(failed|denied|refused|inconclusive|needs-user|skipped)$/.test(each));
}
