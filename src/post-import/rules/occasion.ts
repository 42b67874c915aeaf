import type { StringRecord } from "../../protocol/import-job.ts";
import { type Occasion, occasions } from "../../protocol/occasion.ts";

/** The occasion implied by the target languages of a job (interface 2.3, targetLanguages). */
export function occasionOf(targetLanguages: readonly unknown[]): Occasion {
  if (targetLanguages.length === 0) return "source-upload";
  return targetLanguages.length === 1 ? "translation-upload" : "multilingual";
}

/** The jobs that a fixture stands for, or why it has none. */
export type OccasionJobs<Target> =
  | {
      readonly ok: true;
      readonly jobs: readonly { readonly occasion: Occasion; readonly targetLanguages: readonly Target[] }[];
    }
  | { readonly ok: false; readonly reason: string; readonly hint: string };

/** The number of target languages that an occasion needs. */
const fewestLanguages = { "source-upload": 0, "source-update": 0, "translation-upload": 1, multilingual: 2 } as const;

/**
 * The jobs of an occasion (interface 2.1, 2.3): one without target languages for a source file, one for each
 * translation, one with all target languages for a multilingual file.
 * @param asked default: implied by the fixture's target languages
 */
export function jobsFor<Target extends { readonly id: string }>(
  asked: Occasion | undefined,
  targetLanguages: readonly Target[],
): OccasionJobs<Target> {
  const occasion = asked ?? occasionOf(targetLanguages);
  const isEnough = (each: Occasion) => targetLanguages.length >= fewestLanguages[each];
  if (!isEnough(occasion)) {
    const needed = occasion === "multilingual" ? "at least two target languages" : "a target language";
    const ids = targetLanguages.map(({ id }) => id).join(", ") || "none";
    return {
      ok: false,
      reason: `the occasion ${occasion} needs ${needed}, but this fixture has ${ids}`,
      hint: `add targetLanguages to the fixture, or choose another occasion: ${occasions.filter(isEnough).join(", ")}`,
    };
  }
  const byJob = {
    "source-upload": [[]],
    "source-update": [[]],
    "translation-upload": targetLanguages.map((target) => [target]),
    multilingual: [targetLanguages],
  }[occasion];
  return { ok: true, jobs: byJob.map((targets) => ({ occasion, targetLanguages: targets })) };
}

/** The string with translations only into the job's languages; the same object if it has no others. */
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
