import type { ImportJob, StringRecord } from "../../protocol/import-job.ts";
import type { Evidence, Verdict } from "../rules/check.ts";
import { effectOf } from "../rules/import-effect.ts";
import { previewOf, readImport } from "../rules/import-reading.ts";
import {
  detailedStrings,
  linesOfStrings,
  mixedStrings,
  oddStrings,
  oddTexts,
  pluralStrings,
  recordsOfTexts,
  translated,
} from "../rules/import-strings.ts";
import { faulty, PASSED, skipVerdict } from "../rules/verdict.ts";
import { knownLanguage } from "../subjects/import-call.ts";
import type { ImportTools } from "../subjects/import-tools.ts";
import {
  type ImportCheck,
  type ImportFacts,
  importCheck,
  sentStrings,
  submitByUrl,
  takenVerdict,
} from "./import-check.ts";

/** What the checks of this file run once for all: right jobs of every kind. */
const SURVEY = "import.survey";

const source = () => knownLanguage("en");
const languages = (...ids: readonly string[]) => ids.map(knownLanguage);

interface SurveyedJob {
  readonly strings: () => readonly StringRecord[];
  readonly targets: readonly string[];
  /** Whether the strings go by URL. */
  readonly isByUrl?: boolean;
  /** In words. */
  readonly what: string;
}

const pluralTargets = ["ru", "ar", "ja", "pl"];

/** Right jobs, by their roles. */
const surveyed: Readonly<Record<string, SurveyedJob>> = {
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
  untranslated: { strings: mixedStrings, targets: ["uk"], what: "strings that have no translation yet" },
  "plural-upload": { strings: () => pluralStrings(source(), []), targets: [], what: "plural strings" },
  plurals: {
    strings: () => pluralStrings(source(), languages(...pluralTargets)),
    targets: pluralTargets,
    what: "plural strings with translations into Russian, Arabic, Japanese and Polish",
  },
  "by-url": { strings: mixedStrings, targets: [], isByUrl: true, what: "strings at stringsUrl" },
  required: {
    strings: () => mixedStrings().map(({ uniqId, identifier, text }) => ({ uniqId, identifier, text })),
    targets: [],
    what: "strings with the required fields only",
  },
  nulls: {
    strings: () => mixedStrings().map((record) => ({ ...record, maxLength: null, isHidden: null })),
    targets: [],
    what: "strings whose maxLength and isHidden are null",
  },
  ...Object.fromEntries(
    Object.keys(oddTexts).map((group) => [
      group,
      { strings: () => oddStrings(group as keyof typeof oddTexts), targets: [], what: `the texts of group "${group}"` },
    ]),
  ),
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
  for (const [role, { strings, targets, isByUrl }] of Object.entries(surveyed)) {
    const change = (job: ImportJob): ImportJob => ({
      ...job,
      targetLanguages: targets.map(knownLanguage),
      strings: [...strings()],
    });
    if (isByUrl === true) await submitByUrl(tools, role, linesOfStrings(strings()), change);
    else await tools.submit(role, await tools.request(change));
  }
}

function surveyCheck(facts: ImportFacts, judge: (check: ImportCheck, evidence: Evidence) => Verdict): ImportCheck {
  const check: ImportCheck = importCheck(facts, {
    trial: SURVEY,
    run: survey,
    judge: (evidence) => judge(check, evidence),
  });
  return check;
}

/** A check that a right job is taken. */
function takenCheck(role: string, facts: ImportFacts): ImportCheck {
  return surveyCheck(facts, (check, evidence) => takenVerdict(check, evidence, role, surveyed[role]?.what ?? role));
}

const everyFile =
  "Every file that such a job comes from fails to import. People see an error for which nothing in their file is to blame.";

const taken: readonly ImportCheck[] = [
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
    title: "The app takes empty, blank and long texts, and keys with names that objects have",
    section: "2.5",
    why: everyFile,
    mend: 'Tell "" from a text that is missing, and use a Map where keys come from files.',
  }),
  takenCheck("alike", {
    id: "import.job.alike",
    title: "The app takes strings whose texts or identifiers are the same",
    section: "2.5",
    why: everyFile,
    mend: "Tell strings apart by `uniqId`: only that is unique.",
  }),
];

/** A check that no answer breaks rules of `app-sim post-import`. */
function ruleCheck(rules: readonly string[], facts: ImportFacts): ImportCheck {
  return surveyCheck({ section: "2.4", ...facts }, (check, evidence) => {
    let isJudged = false;
    for (const [role, { strings, isByUrl }] of Object.entries(surveyed)) {
      const answered = readImport(evidence, role, isByUrl === true ? strings() : null);
      if (answered?.verdict === null || answered === null) continue;
      isJudged = true;
      const finding = answered.findings.find((each) => rules.includes(each.check));
      if (finding === undefined) continue;
      return faulty(check, `in its answer to ${surveyed[role]?.what}, ${finding.path} ${finding.message}`);
    }
    return isJudged ? PASSED : skipVerdict("it took none of the jobs");
  });
}

const lostImport = "The platform cannot take such an answer. The import fails for a reason that people cannot mend.";
const lostWork = "What came with the file is gone after the import. Somebody has to notice, and to do it again.";

const rules: readonly ImportCheck[] = [
  ruleCheck(["import.answer.shape", "import.answer.pairs"], {
    id: "import.answer.shape",
    title: "An answer has data with strings or stringsUrl, or error.message, each of its type",
    why: lostImport,
    mend: 'Answer {"data": {"strings": […]}}, or {"data": {"stringsUrl": …}}, or {"error": {"message": …}}.',
  }),
  ruleCheck(["import.content-type"], {
    id: "import.answer.content-type",
    title: "An answer says that it is JSON",
    severity: "should",
    why: "Clients choose how to read an answer by its Content-Type. Another one may be refused, or shown as a page.",
    mend: "Send `Content-Type: application/json`.",
  }),
  ruleCheck(["import.json.lossy"], {
    id: "import.answer.json",
    title: "The JSON of an answer means the same to every reader",
    section: "RFC 8259",
    severity: "should",
    why: "Keys that stand twice, or numbers beyond 2^53, are read in several ways. The platform may see other strings than the app meant.",
    mend: "Let a JSON library write the answer from one object.",
  }),
  ruleCheck(["import.string.shape"], {
    id: "import.answer.strings",
    title: "Every string of an answer is a whole record, each field of its type",
    section: "2.5",
    why: lostImport,
    mend: "Start from the record that came, and change what is to be changed.",
  }),
  ruleCheck(["import.uniqId.unique"], {
    id: "import.answer.unique",
    title: "Every string of an answer has a uniqId of its own",
    section: "2.5",
    why: lostImport,
    mend: "Give each string back once, with the uniqId that it came with.",
  }),
  ruleCheck(["import.uniqId.changed"], {
    id: "import.answer.uniq-id",
    title: "A string keeps its uniqId",
    section: "2.5",
    severity: "should",
    why: "With another uniqId it is a new string to the platform. Its translations and its history are lost.",
    mend: "Give `uniqId` back as it came.",
  }),
  ruleCheck(["import.file.lines", "import.file.fetched", "import.file.address"], {
    id: "import.answer.strings-file",
    title: "The file at stringsUrl can be fetched, and has one string record on each line",
    why: lostImport,
    mend: "Serve newline-delimited JSON at that address, without a login, until it was fetched.",
  }),
  ruleCheck(["import.preview.content"], {
    id: "import.answer.preview",
    title: "A preview is the base64 of an HTML file",
    why: "The platform shows the preview in its editor. What is no HTML in base64 shows as nothing, or as noise.",
    mend: "Encode the HTML in base64 (RFC 4648, 4), or leave the preview out.",
  }),
  ruleCheck(["import.preview.plurals"], {
    id: "import.answer.preview-plurals",
    title: "There is no preview where there are plural strings",
    severity: "should",
    why: "The interface does not support it. The platform may refuse the answer, or show a preview that is wrong.",
    mend: "Leave `preview` and `previewUrl` out where any string has plurals.",
  }),
  ruleCheck(["import.text.categories", "import.translations.text"], {
    id: "import.answer.plural-categories",
    title: "The texts of plural strings have the plural categories of their language, and only these",
    section: "2.5",
    why: lostImport,
    mend: "Go by `pluralCategoryNames` of each language, and keep a text for every one of them.",
  }),
  ruleCheck(["import.translations.languages"], {
    id: "import.answer.languages",
    title: "Strings have translations for target languages of the job only",
    section: "2.5",
    why: lostImport,
    mend: "Key `translations` by the `id` of target languages of the job.",
  }),
  ruleCheck(["import.translations.status"], {
    id: "import.answer.status",
    title: "A status is one word or, for plural strings, one for each plural category",
    section: "2.5",
    why: lostImport,
    mend: "Use untranslated, translated or approved.",
  }),
  ruleCheck(["import.identifier.empty", "import.labels", "import.maxLength.positive"], {
    id: "import.answer.values",
    title: "Identifiers and labels are not empty, no label stands twice, and maxLength is positive",
    section: "2.5",
    severity: "should",
    why: "Such values have the right type and help nobody. People meet them in the editor.",
    mend: "Add a label only where it is not there yet, and leave out what is empty.",
  }),
  ruleCheck(["import.text.empty"], {
    id: "import.answer.emptied",
    title: "A string that is not hidden keeps a text to translate",
    section: "2.5",
    severity: "should",
    why: "There is nothing left to translate, and the string still counts. Work on the file never ends.",
    mend: "Hide the string with `isHidden` instead.",
  }),
  ruleCheck(["import.maxLength.exceeded"], {
    id: "import.answer.max-length",
    title: "Changed translations are not longer than maxLength",
    section: "2.5",
    severity: "should",
    why: "What is too long does not fit where it is shown. The platform may refuse the translation.",
    mend: "Check the length after every change of a text.",
  }),
  ruleCheck(["import.text.placeholders", "import.text.icu"], {
    id: "import.answer.placeholders",
    title: "Changed texts keep their placeholders, and ICU messages stay readable",
    section: "2.5",
    severity: "should",
    why: "Programs look for placeholders when they run. One that is lost shows as a gap, or stops the program.",
    mend: "Change only what stands between placeholders.",
  }),
  ruleCheck(["import.text.tags"], {
    id: "import.answer.tags",
    title: "Changed texts keep their tags",
    section: "2.5",
    severity: "should",
    why: "Without its tags a text loses its form, or takes that of its surroundings along.",
    mend: "Change only what stands between tags, and do not escape them.",
  }),
];

/** A string of an answer, and the one that was sent. */
interface Pair {
  readonly before: StringRecord;
  readonly after: StringRecord;
  readonly job: string;
}

/** The strings that came back, by the jobs that were taken. */
function pairsOf(evidence: Evidence, roles: readonly string[]): Pair[] {
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

const detailedRoles = ["upload", "translation", "multilingual", "plurals"];

/**
 * A check that a field is not lost in all strings that had it: an app may have reason to empty it in some.
 * @param lost whether it had a value, and whether that is gone; null where it had none
 */
function keptCheck(facts: ImportFacts, lost: (pair: Pair) => boolean | null): ImportCheck {
  return surveyCheck({ section: "2.5", severity: "should", ...facts }, (check, evidence) => {
    for (const role of detailedRoles) {
      const pairs = pairsOf(evidence, [role]).filter((pair) => lost(pair) !== null);
      // Strings that the app has changed are written anew; the others may be copied.
      for (const some of [pairs.filter(isRewritten), pairs]) {
        if (some.length === 0 || !some.every((pair) => lost(pair) === true)) continue;
        return faulty(check, `in its answer to ${some[0]?.job}, it is gone from all ${some.length} of them`);
      }
    }
    return PASSED;
  });
}

function isRewritten({ before, after }: Pair): boolean {
  return (
    JSON.stringify(before.text) !== JSON.stringify(after.text) ||
    (before.isHidden === true) !== (after.isHidden === true)
  );
}

function lostTranslations({ before, after }: Pair): boolean | null {
  const had = Object.keys(before.translations ?? {});
  return had.length === 0 ? null : !had.every((id) => Object.hasOwn(after.translations ?? {}, id));
}

/** Whether an approved translation came back unchanged, and no longer approved. */
function lostStatus({ before, after }: Pair): boolean | null {
  const [language, translation] = Object.entries(before.translations ?? {})[0] ?? [];
  const now = language === undefined ? undefined : after.translations?.[language];
  if (translation?.status === undefined || translation.status === "translated" || now === undefined) return null;
  if (JSON.stringify(now.text) !== JSON.stringify(translation.text)) return null;
  const firstOf = (status: typeof now.status) => (typeof status === "string" ? status : Object.values(status ?? {})[0]);
  return (firstOf(now.status) ?? "translated") !== firstOf(translation.status);
}

const spread = "Start from the record that came, and change only what is to be changed.";

const kept: readonly ImportCheck[] = [
  keptCheck(
    { id: "import.kept.identifier", title: "Strings keep their identifiers", why: lostWork, mend: spread },
    ({ before, after }) => before.identifier !== after.identifier,
  ),
  keptCheck(
    { id: "import.kept.context", title: "Strings keep their context", why: lostWork, mend: spread },
    ({ before, after }) => (before.context ? !after.context : null),
  ),
  keptCheck(
    { id: "import.kept.max-length", title: "Strings keep their maxLength", why: lostWork, mend: spread },
    ({ before, after }) => (before.maxLength == null ? null : after.maxLength == null),
  ),
  keptCheck(
    { id: "import.kept.labels", title: "Strings keep their labels", why: lostWork, mend: spread },
    ({ before, after }) =>
      before.labels == null || before.labels.length === 0
        ? null
        : !before.labels.some((label) => after.labels?.includes(label) === true),
  ),
  keptCheck(
    { id: "import.kept.attributes", title: "Strings keep their attributes", why: lostWork, mend: spread },
    ({ before, after }) => (before.attributes?.platformType == null ? null : after.attributes?.platformType == null),
  ),
  keptCheck(
    { id: "import.kept.hidden", title: "Hidden strings stay hidden", why: lostWork, mend: spread },
    ({ before, after }) => (before.isHidden === true ? after.isHidden !== true : null),
  ),
  keptCheck(
    { id: "import.kept.translations", title: "Strings keep their translations", why: lostWork, mend: spread },
    lostTranslations,
  ),
  keptCheck(
    {
      id: "import.kept.status",
      title: "Translations that did not change keep their status",
      why: lostWork,
      mend: spread,
    },
    lostStatus,
  ),
];

/** Texts after a change that no app makes on purpose, by its name. */
const garblings: Readonly<Record<string, (text: string) => string | null>> = {
  "was read as Latin-1": (text) => Buffer.from(text).toString("latin1"),
  "lost what is not ASCII": (text) => text.replaceAll(/[\u0080-\u{10ffff}]/gu, "?"),
  "lost what is not ASCII ": (text) => text.replaceAll(/[\u0080-\uffff]/g, "?"),
  "was written without what is not ASCII": (text) => text.replaceAll(/[\u0080-\uffff]/g, ""),
  "was escaped twice": (text) => JSON.stringify(text).slice(1, -1),
  "has \\u in place of characters": (text) =>
    text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

function garblingOf({ before, after }: Pair): string | null {
  if (typeof before.text !== "string" || typeof after.text !== "string" || before.text === after.text) return null;
  const [sent, came] = [before.text, after.text];
  if (came.includes("�") || /[\ud800-\udfff]/u.test(came)) return "has broken characters in it";
  const found = Object.entries(garblings).find(([, garbled]) => {
    const other = garbled(sent);
    return other !== null && other !== sent && other.trim() === came.trim();
  });
  return found?.[0].trim() ?? null;
}

const CUT_CHARACTERS = 100;

/** Whether the end of a text is gone. */
function isShortened({ before, after }: Pair): boolean {
  if (typeof before.text !== "string" || typeof after.text !== "string") return false;
  const missing = before.text.trim().length - after.text.trim().length;
  return missing > CUT_CHARACTERS && after.text.trim() !== "" && before.text.trim().startsWith(after.text.trim());
}

const texts: readonly ImportCheck[] = [
  surveyCheck(
    {
      id: "import.text.encoding",
      title: "Texts come back in the characters in which they came",
      section: "2.5",
      why: "Texts in most languages of the world become unreadable. Nobody sees it in a test with English.",
      mend: "Read and write UTF-8 throughout, and escape once.",
    },
    (check, evidence) => {
      for (const pair of pairsOf(evidence, ["unicode", "escapes", "multilingual", "upload"])) {
        const garbled = garblingOf(pair);
        if (garbled !== null) return faulty(check, `the text of "${pair.before.identifier}" ${garbled}`);
      }
      return PASSED;
    },
  ),
  surveyCheck(
    {
      id: "import.text.whole",
      title: "Long texts come back in whole",
      section: "2.5",
      severity: "should",
      why: "The end of the text is gone, and nothing says so. Translators work on a part of it.",
      mend: "Do not cut texts, and store them in fields that have room for them.",
    },
    (check, evidence) => {
      const pair = pairsOf(evidence, ["edges"]).find(isShortened);
      return pair === undefined
        ? PASSED
        : faulty(check, `of ${String(pair.before.text).length} characters ${String(pair.after.text).length} came back`);
    },
  ),
  surveyCheck(
    {
      id: "import.text.all",
      title: "Strings that are alike come back alike: all of them, or none",
      section: "2.4",
      severity: "should",
      why: "A string that is left out may be removed from the project. Nobody is told why this one is missing.",
      mend: "Keep strings by their uniqId, and give each of them back.",
    },
    (check, evidence) => {
      for (const role of ["unicode", "alike"]) {
        const answered = readImport(evidence, role);
        if (answered?.verdict?.kind !== "strings" || answered.strings === null) continue;
        const came = new Set(answered.strings.map(({ uniqId }) => uniqId));
        const missing = sentStrings(answered).filter(({ uniqId }) => !came.has(uniqId));
        // An app may give back just what it changed.
        const changed = effectOf(answered, sentStrings(answered))?.changed.size ?? 0;
        if (missing.length === 0 || came.size === changed) continue;
        return faulty(check, `of ${surveyed[role]?.what}, "${missing[0]?.identifier}" did not come back`);
      }
      return PASSED;
    },
  ),
  surveyCheck(
    {
      id: "import.preview.escaped",
      title: "A preview shows the texts of strings as texts, and runs no script from them",
      section: "2.4",
      severity: "should",
      why: "Whoever can upload a file then runs scripts in the editor of everybody who opens it. The platform may not keep the preview apart.",
      mend: "Escape `&`, `<`, `>` and quotes where a text becomes a part of the HTML.",
    },
    (check, evidence) => {
      const answered = readImport(evidence, "escapes");
      const html = answered === null ? null : previewOf(evidence, "escapes", answered);
      return html?.includes("a/b </script> <!-- -->") === true
        ? faulty(check, "the preview holds a text with tags in it as it is")
        : PASSED;
    },
  ),
];

/** Checks of the answers to right jobs of every kind (hardening I1, I5, I9). */
export const importSurveyChecks: readonly ImportCheck[] = [...taken, ...rules, ...kept, ...texts];
