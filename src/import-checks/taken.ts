import { type ImportCheck, type ImportFacts, takenVerdict } from "./check.ts";
import { EMPTY_FORMS, surveyCheck, surveyed } from "./survey.ts";

/** A check that a right job is taken. */
function takenCheck(role: string, facts: ImportFacts): ImportCheck {
  return surveyCheck(facts, (check, evidence) => takenVerdict(check, evidence, role, surveyed[role]?.what ?? role));
}

const everyFile =
  "Every file that such a job comes from fails to import. People see an error for which nothing in their file is to blame.";

/** Checks that right jobs of every kind are taken (hardening I1, I5). */
export const importJobTaken: readonly ImportCheck[] = [
  takenCheck("upload", {
    id: "import.job.source-upload",
    title: "The app takes a new source file: a job without target languages",
    why: everyFile,
    mend: "Expect `targetLanguages` to be empty, and strings to have no translations.",
  }),
  takenCheck("translation", {
    id: "import.job.translation",
    title: "The app takes a file of translations: a job with one target language",
    why: everyFile,
    mend: "Expect one target language, and a translation for it in each string.",
  }),
  takenCheck("multilingual", {
    id: "import.job.multilingual",
    title: "The app takes a multilingual file: a job with several target languages",
    why: everyFile,
    mend: "Go through `targetLanguages`; their ids may have a region, such as `pt-BR`.",
  }),
  takenCheck("untranslated", {
    id: "import.job.untranslated",
    title: "The app takes strings without translations for a target language of the job",
    why: everyFile,
    mend: "Treat `translations`, and each language in it, as optional.",
  }),
  takenCheck("plural-upload", {
    id: "import.job.plurals",
    title: "The app takes plural strings beside plain ones",
    section: "2.5",
    why: everyFile,
    mend: "Where `hasPlurals` is true, `text` is an object with a text for each plural category.",
  }),
  takenCheck("plurals", {
    id: "import.job.plural-translations",
    title: "The app takes translations in the plural categories of each language",
    section: "2.5",
    why: everyFile,
    mend: "Take the categories from `pluralCategoryNames` of the language, not from the source language.",
  }),
  takenCheck(EMPTY_FORMS, {
    id: "import.job.empty-plurals",
    title: "The app takes plural strings of which a form is empty, or 0",
    section: "2.5",
    why: everyFile,
    mend: "Ask whether a form is a text, not whether it counts as true.",
  }),
  takenCheck("required", {
    id: "import.job.required-only",
    title: "The app takes strings that have the required fields only",
    section: "2.5",
    why: everyFile,
    mend: "Fill in the defaults of optional fields before they are used.",
  }),
  takenCheck("nulls", {
    id: "import.job.null-fields",
    title: "The app takes null for maxLength and isHidden, which is their default",
    section: "2.5",
    severity: "should",
    why: "null is the default of these fields, and platforms may write it out. A file then fails for what is not even set.",
    mend: "Treat null like a field that is missing.",
  }),
  takenCheck("labels", {
    id: "import.job.labels",
    title: "The app takes labels that stand twice, are empty, or are digits",
    section: "2.5",
    severity: "should",
    why: "`labels` is any array of strings. A file then fails for labels that somebody gave it elsewhere.",
    mend: "Take any list of texts as labels; where some are left out, the rest is a list again.",
  }),
  takenCheck("unicode", {
    id: "import.job.unicode",
    title: "The app takes texts with any character of Unicode",
    section: "2.5",
    why: everyFile,
    mend: "Read and write UTF-8 throughout, and count bytes where bytes are meant (Content-Length).",
  }),
  takenCheck("escapes", {
    id: "import.job.escapes",
    title: "The app takes texts with quotes, backslashes and control characters",
    section: "2.5",
    why: everyFile,
    mend: "Let a JSON library read and write the texts.",
  }),
  takenCheck("markup", {
    id: "import.job.markup",
    title: "The app takes texts with HTML, placeholders and ICU messages",
    section: "2.5",
    why: everyFile,
    mend: "Never use a text as a pattern, a template or HTML without escaping it.",
  }),
  takenCheck("edges", {
    id: "import.job.edges",
    title: "The app takes empty, blank and long texts, and keys of digits or with names that objects have",
    section: "2.5",
    why: everyFile,
    mend: 'Tell "" from a text that is missing, and use a Map where keys come from files; a PHP array turns keys of digits into numbers.',
  }),
  takenCheck("alike", {
    id: "import.job.alike",
    title: "The app takes strings whose texts or identifiers are the same",
    section: "2.5",
    why: everyFile,
    mend: "Tell strings apart by `uniqId`: only that is unique.",
  }),
];
