import type { ShortString } from "../protocol/fixture.ts";
import type { Language } from "../protocol/language.ts";
import type { FormatName } from "./format-names.ts";
import { formKeys } from "./key-tree.ts";
import {
  keyOf,
  type LeftOut,
  type ParsedString,
  type ParsedTranslation,
  type PluralTexts,
  type TextStatus,
} from "./parsed-file.ts";

export interface FixtureParts {
  readonly format: FormatName;
  readonly sourceLanguage: Language;
  readonly strings: readonly ParsedString[];
  readonly translations: readonly { readonly language: Language; readonly strings: readonly ParsedTranslation[] }[];
}

export interface MadeFixture {
  readonly strings: readonly ShortString[];
  readonly leftOut: readonly LeftOut[];
}

/** The strings of a fixture in the short form: plurals completed, translations found by their keys. */
export function makeFixture({ format, sourceLanguage, strings, translations }: FixtureParts): MadeFixture {
  const leftOut: LeftOut[] = [];
  const sources = byKey(strings, "stands there more than once, the last one is taken", leftOut);
  const found = translations.map(({ language, strings: translated }) => {
    const why = `${language.id}: stands there more than once, the last one is taken`;
    const { taken, unknown } = translationsOf(sources, byKey(translated, why, leftOut));
    for (const { identifier } of unknown) {
      leftOut.push({ why: `${language.id}: the source has no such string, left out`, what: identifier });
    }
    return { language, taken };
  });
  const made = [...sources.values()].map((string) => {
    const pairs = found.flatMap(({ language, taken }) => {
      const translation = taken.get(string);
      const completed = translation === undefined ? null : complete(string, translation, language, leftOut);
      return completed === null ? [] : [[language.id, completed] as const];
    });
    return shortString(string, format, sourceLanguage, Object.fromEntries(pairs), leftOut);
  });
  return { strings: made, leftOut };
}

/** The strings by their keys, in the order of their first places; formats and their libraries let the last one win. */
function byKey<Each extends ParsedTranslation>(
  strings: readonly Each[],
  why: string,
  leftOut: LeftOut[],
): ReadonlyMap<string, Each> {
  const index = new Map<string, Each>();
  for (const string of strings) {
    const key = keyOf(string);
    if (index.has(key)) leftOut.push({ why, what: string.identifier });
    index.set(key, string);
  }
  return index;
}

/** The translation of each source string that has one, and those of none. */
function translationsOf(
  sources: ReadonlyMap<string, ParsedString>,
  index: ReadonlyMap<string, ParsedTranslation>,
): {
  readonly taken: ReadonlyMap<ParsedString, ParsedTranslation>;
  readonly unknown: readonly ParsedTranslation[];
} {
  const taken = new Map<ParsedString, ParsedTranslation>();
  const unknown = new Map([...index].filter(([key]) => !sources.has(key)));
  for (const [key, string] of sources) {
    const translation = index.get(key) ?? fromLoneForms(key, string, unknown);
    if (translation !== undefined) taken.set(string, translation);
  }
  return { taken, unknown: [...unknown.values()] };
}

/** The forms of a plural string that have keys of their own, taken out of what belongs to no source string. */
function fromLoneForms(
  key: string,
  { identifier, text }: ParsedString,
  unknown: Map<string, ParsedTranslation>,
): ParsedTranslation | undefined {
  if (typeof text === "string") return undefined;
  const forms = [...formKeys(key)].flatMap(([category, keys]) =>
    keys.flatMap((formKey) => {
      const form = unknown.get(formKey)?.text;
      if (typeof form !== "string") return [];
      unknown.delete(formKey);
      return [[category, form] as const];
    }),
  );
  return forms.length === 0 ? undefined : { key, identifier, text: Object.fromEntries(forms) };
}

function complete(
  string: ParsedString,
  translation: ParsedTranslation,
  language: Language,
  leftOut: LeftOut[],
): ReturnType<typeof plainTranslation> | null {
  const { identifier } = string;
  const { text, status } = translation;
  if (typeof text === "string" && typeof string.text === "string") return plainTranslation(text, status);
  if (typeof text === "string" || typeof string.text === "string") {
    leftOut.push({ why: `${language.id}: plural in one of the two files only, left out`, what: identifier });
    return null;
  }
  leftOut.push(...strangeForms(identifier, text, language));
  return pluralTranslation(translation, language);
}

function shortString(
  { identifier, text, context, labels, maxLength, isHidden }: ParsedString,
  format: FormatName,
  language: Language,
  translations: NonNullable<ShortString["translations"]>,
  leftOut: LeftOut[],
): ShortString {
  const isPlural = typeof text !== "string";
  if (isPlural) leftOut.push(...strangeForms(identifier, text, language));
  const texts = isPlural ? Object.values(text) : [text];
  return {
    identifier,
    ...(context === undefined ? {} : { context }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(isHidden === undefined ? {} : { isHidden }),
    ...(isPlural ? { hasPlurals: true } : {}),
    ...(labels === undefined ? {} : { labels: [...labels] }),
    attributes: { platformType: texts.some(hasHtml) ? "html" : format },
    text: isPlural ? sourcePlural(text, language) : text,
    ...(Object.keys(translations).length === 0 ? {} : { translations }),
  };
}

const htmlTag =
  /<\/?(?:a|abbr|b|big|blockquote|br|code|del|div|em|font|h[1-6]|hr|i|img|ins|li|mark|ol|p|pre|s|small|span|strike|strong|sub|sup|table|td|th|tr|tt|u|ul)(?:\s[^<>]*)?\/?>/i;

function hasHtml(text: string): boolean {
  return htmlTag.test(text);
}

/** What a translation object holds (interface 2.5); a status that is `translated`, the default, is left out. */
type Translation = {
  readonly text: string | Record<string, string>;
  readonly status?: TextStatus | Record<string, TextStatus>;
};

/**
 * A source text by exactly the plural categories of its language: one that the file lacks has the text of `other`,
 * as formats do it.
 */
function sourcePlural(forms: PluralTexts, { pluralCategoryNames }: Language): Record<string, string> {
  const texts = new Map(Object.entries(forms));
  const standIn = texts.get("other") ?? [...texts.values()].at(-1) ?? "";
  return Object.fromEntries(pluralCategoryNames.map((category) => [category, texts.get(category) ?? standIn]));
}

/** A translation by exactly the plural categories of its language: one that the file lacks is untranslated. */
function pluralTranslation({ text, status }: ParsedTranslation, language: Language): Translation {
  const texts = new Map(Object.entries(text));
  const categories = language.pluralCategoryNames.map((category) => ({ category, text: texts.get(category) ?? "" }));
  const statuses = categories.map((each) => [each.category, statusOf(each.text, status)] as const);
  return {
    text: Object.fromEntries(categories.map((each) => [each.category, each.text])),
    ...(statuses.every(([, each]) => each === "translated") ? {} : { status: Object.fromEntries(statuses) }),
  };
}

function plainTranslation(text: string, given: TextStatus | undefined): Translation {
  const status = statusOf(text, given);
  return { text, ...(status === "translated" ? {} : { status }) };
}

function statusOf(text: string, given: TextStatus = "translated"): TextStatus {
  return text === "" ? "untranslated" : given;
}

/** The forms of the file that the language has no category for. */
function strangeForms(identifier: string, forms: PluralTexts, language: Language): LeftOut[] {
  const names = language.pluralCategoryNames;
  const strange = Object.keys(forms).filter((category) => !names.includes(category));
  return strange.map((category) => ({
    why: `plural form "${category}" is none of ${language.id} (${names.join(", ")}), left out`,
    what: identifier,
  }));
}

/** Places that a note names; more would hide the next note. */
const NAMED = 3;

/** One line for each reason, with the first places that it is true of and how many there are further. */
export function fixtureNotes(leftOut: readonly LeftOut[]): string[] {
  const places = new Map<string, string[]>();
  for (const { why, what } of leftOut) {
    const named = places.get(why) ?? [];
    named.push(what);
    places.set(why, named);
  }
  return [...places].map(([why, named]) => {
    const more = named.length > NAMED ? ` and ${named.length - NAMED} more` : "";
    return `${why}: ${named.slice(0, NAMED).join(", ")}${more}`;
  });
}
