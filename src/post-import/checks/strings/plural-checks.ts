import { pluralIndex } from "../../../config/plural-index.ts";
import type { StringRecord, StringText } from "../../../protocol/import-job.ts";
import type { Language } from "../../../protocol/language.ts";
import { didYouMean } from "../../../protocol/nearest.ts";
import {
  FAULTS_PER_STRING,
  type JobLanguages,
  newFaults,
  type StringChecks,
  type StringFault,
} from "./string-check.ts";
import { pathWithin, translationsOf } from "./string-texts.ts";

/** The languages of a string's texts, and their plural categories (interface 2.5). */
export const pluralChecks: StringChecks = {
  "import.text.categories": {
    rule: "the text of a plural string is keyed by the plural categories of the source language",
    find: newFaults(({ text }, { source }) => categoryFaults("text", text, source)),
  },
  "import.translations.languages": {
    rule: "a string has translations only for target languages of the job",
    find: newFaults(languageFaults),
  },
  "import.translations.text": {
    rule: "the translation of a plural string is keyed by the plural categories of its language, any other is a string",
    find: newFaults(translationFaults),
  },
  "import.translations.status": {
    rule: "a status is one word or, for a plural string, one for plural categories of the language",
    find: newFaults(statusFaults),
  },
};

function languageFaults({ translations }: StringRecord, { targets }: JobLanguages): StringFault[] {
  const allowed = targets.map(({ id }) => id);
  return Object.entries(translations ?? {})
    .filter(([id]) => !allowed.includes(id))
    .slice(0, FAULTS_PER_STRING)
    .map(([id, value]) => ({
      path: pathWithin("translations", id),
      value,
      message:
        allowed.length === 0
          ? "the job has no target languages, as for a new source file: no translation is allowed here"
          : `is not for a target language of the job.${didYouMean(id, kindred(id, allowed))} Allowed here: ${few(allowed)}`,
    }));
}

function translationFaults(record: StringRecord, languages: JobLanguages): StringFault[] {
  return translationsOf(record, languages).flatMap(({ path, language, translation: { text } }) => {
    const at = `${path}.text`;
    if ((typeof text === "object") === (record.hasPlurals === true)) return categoryFaults(at, text, language);
    const message =
      record.hasPlurals === true
        ? `expected an object keyed by ${listed(language)}, because hasPlurals is true`
        : "expected a string, because hasPlurals is not true";
    return [{ path: at, value: text, message }];
  });
}

function statusFaults(record: StringRecord, languages: JobLanguages): StringFault[] {
  return translationsOf(record, languages).flatMap(({ path, language, translation: { status } }) => {
    if (typeof status !== "object" || status === null) return [];
    const at = `${path}.status`;
    // A category without a status has the default status.
    if (record.hasPlurals === true) return unknownCategories(at, status, language);
    return [{ path: at, value: status, message: "expected a single status, because hasPlurals is not true" }];
  });
}

function categoryFaults(path: string, text: StringText, language: Language): StringFault[] {
  if (typeof text === "string") return [];
  const missing = language.pluralCategoryNames
    .filter((category) => !Object.hasOwn(text, category))
    .map((category) => ({
      path: pathWithin(path, category),
      value: null,
      message: `is missing: ${language.name} has the plural categories ${listed(language)}`,
    }));
  return [...missing, ...unknownCategories(path, text, language)];
}

function unknownCategories(path: string, byCategory: Record<string, string>, language: Language): StringFault[] {
  const { name, pluralCategoryNames } = language;
  return Object.entries(byCategory)
    .filter(([category]) => !pluralCategoryNames.includes(category))
    .slice(0, FAULTS_PER_STRING)
    .map(([category, value]) => ({
      path: pathWithin(path, category),
      value,
      message: `is not a plural category of ${name}.${didYouMean(category, pluralCategoryNames)} Allowed here: ${listed(language)}`,
    }));
}

function listed({ pluralCategoryNames }: Language): string {
  return pluralCategoryNames.join(", ");
}

/** The ids of the same language: with two letters, almost any other id looks similar. */
function kindred(id: string, ids: readonly string[]): string[] {
  const start = id.slice(0, 2).toLowerCase();
  return ids.filter((each) => each.toLowerCase().startsWith(start));
}

/** A longer list of languages helps nobody. */
function few(ids: readonly string[]): string {
  return ids.slice(0, 12).join(", ") + (ids.length > 12 ? " …" : "");
}

/** Small numbers and some large ones: no language has a rule that distinguishes more. */
const numbers: readonly number[] = [
  ...Array.from({ length: 201 }, (_, n) => n),
  ...[1000, 1001, 1002, 1005, 1011, 10_000, 100_000, 1_000_000, 1_000_001, 1_000_002, 2_000_000, 1_000_000_000],
];

/** What is wrong with the plural expression of a language (interface 2.3), which gives a category for each integer. */
export function pluralRuleFaults({ pluralCategoryNames, pluralRules }: Language): StringFault[] {
  const fault = (message: string) => [{ path: "pluralRules", value: pluralRules, message }];
  const indexOf = pluralIndex(pluralRules);
  if (indexOf === null) return fault("is not a C expression over n");
  const wrong = numbers.find((n) => pluralCategoryNames[indexOf(n)] === undefined);
  if (wrong === undefined) return [];
  const indexes = pluralCategoryNames.length === 1 ? "only 0 is" : `0 to ${pluralCategoryNames.length - 1} are`;
  return fault(`gives ${indexOf(wrong)} for n = ${wrong}; ${indexes} in pluralCategoryNames`);
}
