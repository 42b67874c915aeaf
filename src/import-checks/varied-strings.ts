import type { ImportJob, StringRecord } from "../protocol/import-job.ts";
import type { Language } from "../protocol/language.ts";
import { knownLanguage } from "./call.ts";
import { mixedStrings, pluralStrings, translated } from "./strings.ts";

/** The places of the plural strings among the plain ones: of a complete one, and of a bare one. */
const PLURAL_PLACES = [5, 9] as const;
/** Every third string is complete: its neighbours lack what it has. */
const isComplete = (index: number) => index % 3 === 2;

/**
 * Plain and plural strings, complete ones and ones with only the required fields, each next to another kind: what an app
 * carries over from one string to the next depends on their order. No two of them share a value.
 */
export function variedStrings(source: Language, targets: readonly Language[]): StringRecord[] {
  const records = translated(mixedStrings(), targets);
  const plurals = pluralStrings(source, targets).filter(({ hasPlurals }) => hasPlurals === true);
  for (const [index, place] of PLURAL_PLACES.entries()) records.splice(place, 0, ...plurals.slice(index, index + 1));
  return records.map((record, index) => (isComplete(index) ? complete(record, index) : bare(record)));
}

const translatedInto = () => ["uk", "ja"].map(knownLanguage);

/** The job for a translation of these strings. */
export const forTranslation = (job: ImportJob): ImportJob => ({
  ...job,
  sourceLanguage: knownLanguage("en"),
  targetLanguages: translatedInto(),
});

/** Varied strings with translations. */
export function stringsForTranslation(): StringRecord[] {
  return variedStrings(knownLanguage("en"), translatedInto());
}

function complete(record: StringRecord, index: number): StringRecord {
  return {
    ...record,
    context: `Context number ${index}`,
    maxLength: 200 + index,
    isHidden: index % 2 === 0,
    labels: [`label-${index}`],
    attributes: { platformType: index % 2 === 0 ? "json" : "android" },
  };
}

function bare({ translations: _, ...record }: StringRecord): StringRecord {
  return record;
}

/** Some of these strings, of every kind, which have other neighbours here. */
export function someVariedStrings(source: Language, targets: readonly Language[]): StringRecord[] {
  const places = [0, 3, ...PLURAL_PLACES, 12, 14];
  return variedStrings(source, targets).filter((_, index) => places.includes(index));
}
