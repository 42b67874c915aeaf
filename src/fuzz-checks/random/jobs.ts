import {
  type Arbitrary,
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  option,
  record,
  uniqueArray,
} from "fast-check";
import { languageIds } from "../../config/language-ids.ts";
import { HASH } from "../../import-checks/strings.ts";
import type { StringRecord, StringText } from "../../protocol/import-job.ts";
import type { Language } from "../../protocol/language.ts";
import { oddText, oddWord } from "./texts.ts";

interface RandomTranslation {
  readonly text: string;
  readonly status: "untranslated" | "translated" | "approved" | null;
}

interface RandomString {
  readonly key: string;
  readonly text: string;
  readonly isPlural: boolean;
  readonly context: string | null;
  readonly maxLength: number | null;
  readonly isHidden: boolean | null;
  readonly labels: readonly string[] | null;
  readonly platformType: string | null;
  readonly translation: RandomTranslation | null;
}

/** A legal job before its strings are written for the languages of a project. */
export interface RandomJob {
  /** Ids of target languages: none for a new source file, one or several for translations (interface 2.3). */
  readonly targets: readonly string[];
  /** Number of the first string. */
  readonly first: number;
  readonly strings: readonly RandomString[];
}

const maybe = <T>(value: Arbitrary<T>) => option(value, { nil: null, freq: 1 });

function stringOf(text: Arbitrary<string>): Arbitrary<RandomString> {
  return record({
    key: oddText(0, 4),
    text,
    isPlural: oneof({ weight: 4, arbitrary: constant(false) }, { weight: 1, arbitrary: constant(true) }),
    context: maybe(oddText(0, 6)),
    maxLength: maybe(oneof(integer({ min: 1, max: 500 }), constant(2 ** 31 - 1))),
    isHidden: maybe(boolean()),
    labels: maybe(uniqueArray(oddWord(3), { maxLength: 3 })),
    platformType: maybe(constantFrom("json", "android", "html", "app-sim")),
    translation: maybe(
      record({
        text: oddText(1, 6),
        status: maybe(constantFrom("translated" as const, "approved" as const, "untranslated" as const)),
      }),
    ),
  });
}

/** A string of which there may be hundreds. */
const shortString: Arbitrary<RandomString> = oddText(1, 4).map((text) => ({ ...bare, text }));
const bare = {
  key: "",
  isPlural: false,
  context: null,
  maxLength: null,
  isHidden: null,
  labels: null,
  platformType: null,
  translation: null,
};

const someTargets: Arbitrary<string[]> = uniqueArray(constantFrom("de", "uk", ...languageIds), { maxLength: 3 });
const firstNumber = oneof({ weight: 3, arbitrary: constant(1) }, { weight: 1, arbitrary: integer({ min: 1 }) });

const several = (most: number) => ({ minLength: 1, maxLength: most, size: "max" }) as const;

/** Legal jobs: mostly small ones, some with hundreds of strings, some with long texts (interface 2.3, 2.5). */
export const randomJob: Arbitrary<RandomJob> = record({
  targets: someTargets,
  first: firstNumber,
  strings: oneof(
    { weight: 6, arbitrary: array(stringOf(oddText(0, 12)), several(5)) },
    { weight: 1, arbitrary: array(stringOf(oddText(0, 2000)), several(2)) },
    { weight: 2, arbitrary: array(shortString, several(300)) },
  ),
});

/** Sentences that differ only in their letters and length, some with a trailing space. */
const sentence: Arbitrary<RandomString> = record({
  words: oneof(
    { weight: 9, arbitrary: array(oddWord(4), several(4)) },
    { weight: 1, arbitrary: array(oddWord(4), several(300)) },
  ),
  end: constantFrom("", " "),
}).map(({ words, end }) => ({ ...bare, text: `Save ${words.join(" ")}${end}` }));

/** Jobs whose strings an app has no reason to treat differently, apart from a trailing space. */
export const sentenceJob: Arbitrary<RandomJob> = record({
  targets: constant([]),
  first: firstNumber,
  strings: oneof(
    { weight: 3, arbitrary: array(sentence, several(8)) },
    { weight: 1, arbitrary: array(oddWord(2), several(300)).map((words) => words.map((text) => ({ ...bare, text }))) },
  ),
});

/** Up to this number, strings are removed one by one. */
const FEW = 20;

/** The jobs without one of the strings, or without target languages. */
export function smallerJobs(job: RandomJob): RandomJob[] {
  const { strings, targets } = job;
  const isFew = strings.length > 1 && strings.length <= FEW;
  return [
    ...(isFew ? strings.map((without) => ({ ...job, strings: strings.filter((each) => each !== without) })) : []),
    ...(targets.length === 0 ? [] : [{ ...job, targets: [] }]),
  ];
}

/** The string records of a job: optional fields are there where they have a value. */
export function recordsOf(
  { strings, first }: RandomJob,
  source: Language,
  targets: readonly Language[],
): StringRecord[] {
  return strings.map((each, index) => {
    const { key, text, isPlural, context, maxLength, isHidden, labels, platformType, translation } = each;
    return {
      uniqId: `${HASH}::${first + index}`,
      // A key stands for one string, in most files.
      identifier: `${key}.${index + 1}`,
      ...(context === null ? {} : { context }),
      ...(maxLength === null ? {} : { maxLength }),
      ...(isHidden === null ? {} : { isHidden }),
      ...(isPlural ? { hasPlurals: true } : {}),
      ...(labels === null ? {} : { labels: [...labels] }),
      ...(platformType === null ? {} : { attributes: { platformType } }),
      text: isPlural ? inCategories(source, text) : text,
      ...translationsOf(translation, isPlural, targets),
    };
  });
}

function translationsOf(
  translation: RandomTranslation | null,
  isPlural: boolean,
  targets: readonly Language[],
): Pick<StringRecord, "translations"> {
  if (translation === null || targets.length === 0) return {};
  const { text, status } = translation;
  const entries = targets.map((language) => [
    language.id,
    { text: isPlural ? inCategories(language, text) : text, ...(status === null ? {} : { status }) },
  ]);
  return { translations: Object.fromEntries(entries) };
}

function inCategories({ pluralCategoryNames }: Language, text: string): StringText {
  return Object.fromEntries(pluralCategoryNames.map((category) => [category, `${text} ${category}`]));
}
