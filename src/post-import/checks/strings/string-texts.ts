import { clip } from "../../../protocol/harmless.ts";
import type { StringRecord, StringText } from "../../../protocol/import-job.ts";
import type { Language } from "../../../protocol/language.ts";
import type { ComparedString, JobLanguages } from "./string-check.ts";

/** A translation of a record into a language of the job, and its path. */
interface Translated {
  readonly path: string;
  readonly language: Language;
  readonly translation: NonNullable<StringRecord["translations"]>[string];
}

/** The translations of a record into languages of the job; others are a separate finding. */
export function translationsOf({ translations }: StringRecord, { targets }: JobLanguages): Translated[] {
  return Object.entries(translations ?? {}).flatMap(([id, translation]) => {
    const language = targets.find((target) => target.id === id);
    return language === undefined ? [] : [{ path: `translations.${id}`, language, translation }];
  });
}

/** One form of a text: the whole plain text, or the form of a plural category. */
interface TextForm {
  readonly path: string;
  /** null in a plain text. */
  readonly category: string | null;
  readonly form: string;
}

/** The forms of a text; categories that the language does not have are a separate finding. */
export function formsOf(path: string, text: StringText, language: Language): TextForm[] {
  if (typeof text === "string") return [{ path, category: null, form: text }];
  const forms = Object.entries(ofLanguage(text, language));
  return forms.map(([category, form]) => ({ path: `${path}.${category}`, category, form }));
}

/** A text with only the categories of the language: an app may have added a million others. */
function ofLanguage(text: StringText, { pluralCategoryNames }: Language): StringText {
  if (typeof text === "string") return text;
  const names = pluralCategoryNames.filter((category) => Object.hasOwn(text, category));
  return Object.fromEntries(names.map((category) => [category, text[category] ?? ""]));
}

/** The path of a member whose name the app chose, and which may be long. */
export function pathWithin(path: string, name: string): string {
  return `${path}.${clip(name, 60)}`;
}

/** The form for a category, or else `other`; a plain text is the form for each. */
export function formFor(text: StringText, category: string | null): string | null {
  if (typeof text === "string") return text;
  const own = category !== null && Object.hasOwn(text, category) ? text[category] : text.other;
  return own ?? null;
}

/** A form written by the app, and the texts that it is compared with. */
export interface ChangedForm extends TextForm {
  readonly place: {
    readonly language: Language;
    /** The text before; null if there was none. */
    readonly earlier: StringText | null;
    /** For a translation: the text that it translates, now and before. */
    readonly source: StringText | null;
    readonly earlierSource: StringText | null;
  };
}

/** Every form of the text and its translations that the app has changed or added, except blank ones. */
export function changedForms({ before, after }: ComparedString, languages: JobLanguages): ChangedForm[] {
  const { source } = languages;
  const earlierText = before === null ? null : ofLanguage(before.text, source);
  const known = before?.translations ?? {};
  const place = { language: source, earlier: earlierText, source: null, earlierSource: null };
  const changed = changedIn("text", after.text, place);
  const sources = { source: ofLanguage(after.text, source), earlierSource: earlierText };
  for (const { path, language, translation } of translationsOf(after, languages)) {
    const earlier = Object.hasOwn(known, language.id) ? (known[language.id]?.text ?? null) : null;
    changed.push(...changedIn(`${path}.text`, translation.text, { language, earlier, ...sources }));
  }
  return changed;
}

function changedIn(path: string, text: StringText, place: ChangedForm["place"]): ChangedForm[] {
  const { earlier, language } = place;
  if (text === earlier) return [];
  return formsOf(path, text, language)
    .filter(({ category, form }) => !isBlank(form) && (earlier === null || formFor(earlier, category) !== form))
    .map((each) => ({ ...each, place }));
}

export function isBlank(form: string): boolean {
  return !/\S/.test(form);
}
