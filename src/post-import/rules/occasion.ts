import type { StringRecord } from "../../protocol/import-job.ts";
import { type Occasion, occasions } from "../../protocol/occasion.ts";

/** The occasion that the target languages of a job speak of (interface 2.3, targetLanguages). */
export function occasionOf(targetLanguages: readonly unknown[]): Occasion {
  if (targetLanguages.length === 0) return "source-upload";
  return targetLanguages.length === 1 ? "translation-upload" : "multilingual";
}

/** One job to be sent, with its target languages. */
interface OccasionJob<Target> {
  readonly occasion: Occasion;
  readonly targetLanguages: readonly Target[];
}

/** The jobs that a fixture stands for, or why there are none. */
export type OccasionJobs<Target> =
  | { readonly ok: true; readonly jobs: readonly OccasionJob<Target>[] }
  | { readonly ok: false; readonly reason: string; readonly hint: string };

/**
 * The jobs of an occasion (interface 2.1, 2.3): a source file goes without target languages, a translation with one,
 * so that several are as many jobs, and a multilingual file with all of them.
 * @param occasion undefined: what the target languages speak of
 * @param targetLanguages those of the fixture
 */
export function jobsFor<Target extends { readonly id: string }>(
  occasion: Occasion | undefined,
  targetLanguages: readonly Target[],
): OccasionJobs<Target> {
  const wanted = occasion ?? occasionOf(targetLanguages);
  if (targetLanguages.length < fewestLanguages[wanted]) return tooFew(wanted, targetLanguages);
  const byJob = {
    "source-upload": [[]],
    "source-update": [[]],
    "translation-upload": targetLanguages.map((target) => [target]),
    multilingual: [targetLanguages],
  }[wanted];
  return { ok: true, jobs: byJob.map((targets) => ({ occasion: wanted, targetLanguages: targets })) };
}

const fewestLanguages: Readonly<Record<Occasion, number>> = {
  "source-upload": 0,
  "source-update": 0,
  "translation-upload": 1,
  multilingual: 2,
};

function tooFew(wanted: Occasion, targetLanguages: readonly { readonly id: string }[]): OccasionJobs<never> {
  const needed = wanted === "multilingual" ? "at least two target languages" : "a target language";
  const others = occasions.filter(
    (occasion) => occasion !== wanted && targetLanguages.length >= fewestLanguages[occasion],
  );
  return {
    ok: false,
    reason: `the occasion ${wanted} needs ${needed}, and this fixture has ${targetLanguages.map(({ id }) => id).join(", ") || "none"}`,
    hint: `add targetLanguages to the fixture, or take another occasion: ${others.join(", ")}`,
  };
}

/**
 * The string as a job with these target languages has it: without translations into others. A string that loses
 * nothing is given back itself.
 */
export function forOccasion<Part extends Pick<StringRecord, "translations">>(
  record: Part,
  languageIds: readonly string[],
): Part {
  const all = Object.entries(record.translations ?? {});
  const kept = all.filter(([id]) => languageIds.includes(id));
  if (kept.length === all.length) return record;
  if (kept.length > 0) return { ...record, translations: Object.fromEntries(kept) };
  const { translations: _, ...rest } = record;
  return rest as Part;
}
