import { PASSED } from "../checking/verdict.ts";
import { type ImportCheck, type ImportFacts, takenVerdict } from "./check.ts";
import {
  EMPTY_FORMS,
  LABELS,
  ONE_PLURAL,
  ONE_STRING,
  ONE_TRANSLATION,
  REQUIRED_OF_TRANSLATIONS,
  surveyCheck,
  surveyed,
  UNTRANSLATED_PLURALS,
} from "./survey.ts";

/** A check that a correct job is accepted, and further ones of its kind. */
function takenCheck(role: string, facts: ImportFacts, further: readonly string[] = []): ImportCheck {
  return surveyCheck(facts, (check, evidence) => {
    const verdicts = [role, ...further].map((each) =>
      takenVerdict(check, evidence, each, surveyed[each]?.what ?? each),
    );
    return verdicts.find(({ result }) => result !== "pass") ?? PASSED;
  });
}

const everyFile =
  "Every file that leads to such a job fails to import. Users see an error although their file is correct.";

/** Checks that correct jobs of every kind are accepted (hardening I1, I5). */
export const importAcceptedJobChecks: readonly ImportCheck[] = [
  takenCheck("upload", {
    id: "import.job.source-upload",
    title: "The app accepts a new source file: a job without target languages",
    why: everyFile,
    fix: "Expect that `targetLanguages` may be empty, and strings may have no translations.",
  }),
  takenCheck("translation", {
    id: "import.job.translation",
    title: "The app accepts a file of translations: a job with one target language",
    why: everyFile,
    fix: "Expect one target language, and a translation for it in each string.",
  }),
  takenCheck("multilingual", {
    id: "import.job.multilingual",
    title: "The app accepts a multilingual file: a job with several target languages",
    why: everyFile,
    fix: "Process all `targetLanguages`; their ids may have a region, such as `pt-BR`.",
  }),
  takenCheck(
    "untranslated",
    {
      id: "import.job.untranslated",
      title: "The app accepts strings without translations for a target language of the job",
      why: everyFile,
      fix: "Treat `translations`, and each language in it, as optional.",
    },
    [UNTRANSLATED_PLURALS],
  ),
  takenCheck("plural-upload", {
    id: "import.job.plurals",
    title: "The app accepts plural strings among plain ones",
    section: "2.5",
    why: everyFile,
    fix: "If `hasPlurals` is true, `text` is an object with a text for each plural category.",
    isCause: true,
  }),
  takenCheck(
    "other-source",
    {
      id: "import.job.source-language",
      title: "The app accepts a file whose source language is not English",
      severity: "should",
      why: "People also translate from other languages. Their source texts run from right to left, or have other plural categories than `one` and `other`.",
      fix: "Take the plural categories of the source texts from `sourceLanguage.pluralCategoryNames`.",
    },
    ["one-category"],
  ),
  takenCheck("plurals", {
    id: "import.job.plural-translations",
    title: "The app accepts translations in the plural categories of each language",
    section: "2.5",
    why: everyFile,
    fix: "Take the categories from `pluralCategoryNames` of the language, not from the source language.",
  }),
  takenCheck(EMPTY_FORMS, {
    id: "import.job.empty-plurals",
    title: "The app accepts plural strings with a form that is empty, or 0",
    section: "2.5",
    why: everyFile,
    fix: "Test whether a form is a string, not whether it is truthy.",
  }),
  takenCheck(
    "required",
    {
      id: "import.job.required-only",
      title: "The app accepts strings and translations with only the required fields",
      section: "2.5",
      why: everyFile,
      fix: "Fill in the defaults of optional fields before using them.",
    },
    [REQUIRED_OF_TRANSLATIONS],
  ),
  takenCheck("defaults", {
    id: "import.job.default-fields",
    title: "The app accepts optional fields with their defaults: hasPlurals and isHidden false, no labels, no context",
    section: "2.5",
    why: everyFile,
    fix: "Test the value of an optional field, not whether the field is there.",
  }),
  takenCheck("nulls", {
    id: "import.job.null-fields",
    title: "The app accepts null for maxLength and isHidden, which is their default",
    section: "2.5",
    severity: "should",
    why: "null is the default of these fields, and platforms may write it out. Otherwise a file fails because of a value that is not even set.",
    fix: "Treat null like a missing field.",
  }),
  takenCheck("attributes", {
    id: "import.job.attributes",
    title: "The app accepts attributes without a platformType",
    section: "2.5",
    severity: "should",
    why: "`attributes` holds a platformType only when post-processing is needed. Otherwise a file fails because of a field that says nothing.",
    fix: "Treat `platformType` as optional.",
  }),
  takenCheck(LABELS, {
    id: "import.job.labels",
    title: "The app accepts labels that are repeated, empty, only digits, or have a comma",
    section: "2.5",
    severity: "should",
    why: "`labels` is any array of strings. Otherwise a file fails because of labels that somebody added elsewhere.",
    fix: "Accept any list of strings as labels; if you remove some, keep the rest as a list.",
  }),
  takenCheck("unicode", {
    id: "import.job.unicode",
    title: "The app accepts texts with any Unicode character",
    section: "2.5",
    why: everyFile,
    fix: "Read and write UTF-8 everywhere, and count bytes where bytes are required (Content-Length).",
  }),
  takenCheck("escapes", {
    id: "import.job.escapes",
    title: "The app accepts texts with quotes, backslashes and control characters",
    section: "2.5",
    why: everyFile,
    fix: "Let a JSON library parse and serialize the texts.",
  }),
  takenCheck(
    "markup",
    {
      id: "import.job.markup",
      title: "The app accepts texts with HTML, placeholders, ICU messages and the punctuation that people type",
      section: "2.5",
      why: everyFile,
      fix: "Never use a text as a pattern, a template or HTML without escaping it.",
    },
    ["typography"],
  ),
  takenCheck(
    "edges",
    {
      id: "import.job.edges",
      title: "The app accepts empty, blank and long texts, and keys that are digits or names of object members",
      section: "2.5",
      why: everyFile,
      fix: 'Distinguish "" from a missing text, and use a Map for keys from files; a PHP array turns digit keys into numbers.',
    },
    ["literals"],
  ),
  takenCheck(
    ONE_STRING,
    {
      id: "import.job.single",
      title: "The app accepts a file with a single string",
      why: "Small files are common: a page, a message, a legal notice. Users see an error although their file is correct.",
      fix: "Expect any number of strings, even a single one, and one whose `text` has plural forms.",
    },
    [ONE_TRANSLATION, ONE_PLURAL],
  ),
  takenCheck("alike", {
    id: "import.job.alike",
    title: "The app accepts strings with the same texts or identifiers",
    section: "2.5",
    why: everyFile,
    fix: "Identify strings by `uniqId`: only that is unique.",
  }),
];
