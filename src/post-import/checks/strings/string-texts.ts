import { clip } from "../../../protocol/harmless.ts";
import type { StringRecord, StringText } from "../../../protocol/import-job.ts";
import type { Language } from "../../../protocol/language.ts";
import type { ComparedString, JobLanguages } from "./string-check.ts";

/** One translation of a record into a language of the job. */
export interface Translated {
  readonly path: string;
  readonly language: Language;
  readonly translation: Translation;
}

type Translation = NonNullable<StringRecord["translations"]>[string];

/** The translations of a record into languages of the job; others are a finding of their own. */
export function translationsOf({ translations }: StringRecord, { targets }: JobLanguages): Translated[] {
  return Object.entries(translations ?? {}).flatMap(([id, translation]) => {
    const language = targets.find((target) => target.id === id);
    return language === undefined ? [] : [{ path: `translations.${id}`, language, translation }];
  });
}

/** One form of a text: the whole of a plain one, or that of a plural category. */
export interface TextForm {
  readonly path: string;
  /** null in a plain text. */
  readonly category: string | null;
  readonly form: string;
}

/** The forms of a text. What is under other names than the language's categories is a finding of its own. */
export function formsOf(path: string, text: StringText, language: Language): TextForm[] {
  if (typeof text === "string") return [{ path, category: null, form: text }];
  return Object.entries(ofLanguage(text, language)).map(([category, form]) => ({
    path: `${path}.${category}`,
    category,
    form,
  }));
}

/** A text without what an app may have put under other names than the language's categories, be it a million. */
function ofLanguage(text: StringText, { pluralCategoryNames }: Language): StringText {
  if (typeof text === "string") return text;
  const names = pluralCategoryNames.filter((category) => Object.hasOwn(text, category));
  return Object.fromEntries(names.map((category) => [category, text[category] ?? ""]));
}

/** The path of something that the app has named, and may have named at length. */
export function within(path: string, name: string): string {
  return `${path}.${clip(name, 60)}`;
}

/** The form that stands for a category: its own, else that for all other numbers; a plain text stands for each. */
export function formFor(text: StringText, category: string | null): string | null {
  if (typeof text === "string") return text;
  const own = category !== null && Object.hasOwn(text, category) ? text[category] : text.other;
  return own ?? null;
}

/** Where a text stands, and what it is to agree with. */
interface TextPlace {
  readonly language: Language;
  /** The text that stood there; null where there was none. */
  readonly earlier: StringText | null;
  /** Of a translation: the text that it translates, now and when `earlier` stood there. */
  readonly source: StringText | null;
  readonly earlierSource: StringText | null;
}

/** A form that the app has written: an untouched one is not its doing. */
export interface ChangedForm extends TextForm {
  readonly place: TextPlace;
}

/** Every form of the text and of its translations that the app has changed or added, but for blank ones. */
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

function changedIn(path: string, text: StringText, place: TextPlace): ChangedForm[] {
  const { earlier, language } = place;
  if (text === earlier) return [];
  return formsOf(path, text, language)
    .filter(({ category, form }) => !isBlank(form) && (earlier === null || formFor(earlier, category) !== form))
    .map(({ path, category, form }) => ({ path, category, form, place }));
}

export function isBlank(form: string): boolean {
  return !/\S/.test(form);
}
