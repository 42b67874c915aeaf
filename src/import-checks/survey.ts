import type { Evidence, Verdict } from "../checking/check.ts";
import type { Exchange } from "../journal/exchange.ts";
import { answeredJson } from "../journal/readable-body.ts";
import { type ImportJob, importAnswerSchema, type StringRecord, stringRecordSchema } from "../protocol/import-job.ts";
import { knownLanguage } from "./call.ts";
import { type ImportCheck, type ImportFacts, importCheck, sentStrings, submitByUrl } from "./check.ts";
import { readImport } from "./reading.ts";
import {
  activeMarkup,
  detailed,
  detailedStrings,
  emptyPluralStrings,
  labelledStrings,
  linesOfStrings,
  mixedStrings,
  oddStrings,
  oddTexts,
  pluralStrings,
  recordsOfTexts,
  translated,
} from "./strings.ts";
import type { ImportTools } from "./tools.ts";

/** The requests shared by the checks of correct jobs. */
const SURVEY = "import.survey";

const source = () => knownLanguage("en");
const languages = (...ids: readonly string[]) => ids.map(knownLanguage);

/** A correct job. */
interface SurveyedJob {
  readonly strings: () => readonly StringRecord[];
  readonly targets: readonly string[];
  /** Id of the source language; default English. */
  readonly source?: string;
  /** Whether the strings are sent by URL. */
  readonly isByUrl?: boolean;
  /** What the name of the file begins with. */
  readonly namePrefix?: string;
  /** Whether the strings have the labels that the app added in the job before; if it added none, it is not sent. */
  readonly isAgain?: boolean;
  /** In words. */
  readonly what: string;
}

/** The role of plural strings with empty or zero forms. */
export const EMPTY_FORMS = "plural-empty";
/** The role of translations with the required field only. */
export const REQUIRED_OF_TRANSLATIONS = "required-translations";
/** The role of the job that the app accepted first, unchanged: the user's own (verify.fixtures), or else a plain one. */
export const OWN_JOB = "own";
/** The role of strings of a file whose name has markup. */
export const MARKUP_NAME = "markup-name";
/** The role of strings with unusual labels. */
export const LABELS = "labels";
/** The role of plural strings that have no translation yet. */
export const UNTRANSLATED_PLURALS = "plural-untranslated";
/** The roles of files with one string. */
export const ONE_STRING = "single";
export const ONE_TRANSLATION = "single-translation";
export const ONE_PLURAL = "single-plural";
const pluralTargets = ["ru", "ar", "ja", "pl"];

function withoutStatus(record: StringRecord): StringRecord {
  const translations = Object.entries(record.translations ?? {}).map(([id, { text }]) => [id, { text }] as const);
  return { ...record, translations: Object.fromEntries(translations) };
}

/** The strings without translations. An empty object becomes an empty list in some languages. */
function untranslated(records: readonly StringRecord[]): StringRecord[] {
  return records.map((record, index) => (index % 2 === 0 ? record : { ...record, translations: {} }));
}

/** Correct jobs, by their roles. */
export const surveyed: Readonly<Record<string, SurveyedJob>> = {
  upload: { strings: detailedStrings, targets: [], what: "a new source file, without target languages" },
  translation: {
    strings: () => translated(detailedStrings(), languages("uk")),
    targets: ["uk"],
    what: "a file of translations into one language",
  },
  multilingual: {
    strings: () => translated(detailedStrings(), languages("de", "zh-CN", "pt-BR")),
    targets: ["de", "zh-CN", "pt-BR"],
    what: "a file of translations into three languages",
  },
  untranslated: {
    strings: () => untranslated(mixedStrings()),
    targets: ["uk"],
    what: "strings that have no translation yet",
  },
  [UNTRANSLATED_PLURALS]: {
    strings: () => untranslated(pluralStrings(source(), [])),
    targets: ["uk"],
    what: "plural strings that have no translation yet",
  },
  "plural-upload": { strings: () => pluralStrings(source(), []), targets: [], what: "plural strings" },
  plurals: {
    strings: () => detailed(pluralStrings(source(), languages(...pluralTargets))),
    targets: pluralTargets,
    what: "plural strings with translations into Russian, Arabic, Japanese and Polish",
  },
  [EMPTY_FORMS]: {
    strings: () => emptyPluralStrings(source(), knownLanguage("ru")),
    targets: ["ru"],
    what: "plural strings with a form that is empty, or 0",
  },
  "other-source": {
    strings: () => pluralStrings(knownLanguage("ar"), languages("en")),
    targets: ["en"],
    source: "ar",
    what: "a file in Arabic, which is written from right to left and has six plural categories",
  },
  "one-category": {
    strings: () => pluralStrings(knownLanguage("ja"), languages("en")),
    targets: ["en"],
    source: "ja",
    what: "a file in Japanese, which has one plural category",
  },
  attributes: {
    strings: () => mixedStrings().map((record) => ({ ...record, attributes: {} })),
    targets: [],
    what: "strings whose attributes are an empty object",
  },
  [LABELS]: {
    strings: labelledStrings,
    targets: [],
    what: "strings with labels that are repeated, empty, only digits, or have a comma",
  },
  [MARKUP_NAME]: {
    strings: mixedStrings,
    targets: [],
    namePrefix: `${activeMarkup("name")} `,
    what: "a file with markup in its name",
  },
  "by-url": { strings: mixedStrings, targets: [], isByUrl: true, what: "strings at stringsUrl" },
  "by-url-name": {
    strings: mixedStrings,
    targets: [],
    isByUrl: true,
    namePrefix: "Größe #1 50% ",
    what: "strings at stringsUrl, of a file whose name has more than letters",
  },
  required: {
    strings: () => mixedStrings().map(({ uniqId, identifier, text }) => ({ uniqId, identifier, text })),
    targets: [],
    what: "strings with only the required fields",
  },
  again: {
    strings: mixedStrings,
    targets: [],
    isAgain: true,
    what: "the same strings, with the labels that the app added to them",
  },
  nulls: {
    strings: () => mixedStrings().map((record) => ({ ...record, maxLength: null, isHidden: null })),
    targets: [],
    what: "strings whose maxLength and isHidden are null",
  },
  [REQUIRED_OF_TRANSLATIONS]: {
    strings: () => pluralStrings(source(), languages("uk")).map(withoutStatus),
    targets: ["uk"],
    what: "translations with only their texts, without a status",
  },
  defaults: {
    strings: () =>
      mixedStrings().map((record) => ({ ...record, context: "", isHidden: false, hasPlurals: false, labels: [] })),
    targets: [],
    what: "strings with hasPlurals and isHidden false, no labels and an empty context",
  },
  ...Object.fromEntries(
    Object.keys(oddTexts).map((group) => [
      group,
      { strings: () => oddStrings(group as keyof typeof oddTexts), targets: [], what: `the texts of group "${group}"` },
    ]),
  ),
  [ONE_STRING]: {
    strings: () => mixedStrings().slice(0, 1),
    targets: [],
    what: "a file with a single string",
  },
  [ONE_TRANSLATION]: {
    strings: () => translated(mixedStrings().slice(0, 1), languages("uk")),
    targets: ["uk"],
    what: "a file with the translation of a single string",
  },
  [ONE_PLURAL]: {
    strings: () =>
      pluralStrings(source(), [])
        .filter(({ hasPlurals }) => hasPlurals === true)
        .slice(0, 1),
    targets: [],
    what: "a file with a single string, which has plural forms",
  },
  alike: {
    strings: () => {
      const [one, two] = recordsOfTexts({ one: "The same text", two: "The same text" }) as [StringRecord, StringRecord];
      return [one, two, { ...one, uniqId: `${one.uniqId}9`, context: "elsewhere" }];
    },
    targets: [],
    what: "strings with the same text and the same identifier",
  },
};

async function survey(tools: ImportTools): Promise<void> {
  let before: Exchange | null = null;
  for (const [role, { strings, targets, source: id, namePrefix = "", isByUrl, isAgain }] of Object.entries(surveyed)) {
    const sent: readonly StringRecord[] | null = isAgain === true ? relabelled(strings(), before) : strings();
    if (sent === null) continue;
    const change = (job: ImportJob): ImportJob => ({
      ...job,
      ...(id === undefined ? {} : { sourceLanguage: knownLanguage(id) }),
      file: { ...job.file, name: namePrefix + job.file.name },
      targetLanguages: targets.map(knownLanguage),
      strings: [...sent],
    });
    before =
      isByUrl === true
        ? await submitByUrl(tools, role, linesOfStrings(sent), change)
        : await tools.submit(role, await tools.request(change));
  }
  // Only the job of its user may have what an app is there to change.
  await tools.submit(OWN_JOB, await tools.request());
}

/** The strings with the labels that they have in an answer; null: it has no labels. */
function relabelled(strings: readonly StringRecord[], answer: Exchange | null): StringRecord[] | null {
  const { data } = (answer && importAnswerSchema.safeParse(answeredJson(answer)).data) ?? {};
  const answered = (data?.strings ?? []).flatMap((each) => stringRecordSchema.safeParse(each).data ?? []);
  const labels = new Map(answered.map((record) => [record.uniqId, record.labels ?? []]));
  if (![...labels.values()].some(({ length }) => length > 0)) return null;
  return strings.map((record) => ({ ...record, labels: labels.get(record.uniqId) ?? [] }));
}

/** A check of the answers to these jobs. */
export function surveyCheck(
  facts: ImportFacts,
  judge: (check: ImportCheck, evidence: Evidence) => Verdict,
): ImportCheck {
  const check: ImportCheck = importCheck(facts, {
    trial: SURVEY,
    run: survey,
    judge: (evidence) => judge(check, evidence),
  });
  return check;
}

/** A string of an answer, and its original. */
export interface ReturnedString {
  readonly before: StringRecord;
  readonly after: StringRecord;
  readonly job: string;
}

/** The returned strings, by accepted job. */
export function pairsOf(evidence: Evidence, roles: readonly string[]): ReturnedString[] {
  return roles.flatMap((role) => {
    const answered = readImport(evidence, role);
    if (answered?.strings == null) return [];
    const known = new Map(sentStrings(answered).map((record) => [record.uniqId, record]));
    return answered.strings.flatMap((after) => {
      const before = known.get(after.uniqId);
      return before === undefined ? [] : [{ before, after, job: surveyed[role]?.what ?? role }];
    });
  });
}
