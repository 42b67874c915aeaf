import type { Language } from "../protocol/language.ts";
import type { LeftOut, ParsedTranslation, PluralTexts, TextStatus } from "./parsed-file.ts";

/** What a translation object holds (interface 2.5); a status that is `translated`, the default, is left out. */
type Translation = {
  readonly text: string | Record<string, string>;
  readonly status?: TextStatus | Record<string, TextStatus>;
};

/**
 * A source text by exactly the plural categories of its language: one that the file lacks has the text of `other`,
 * as formats do it.
 */
export function sourcePlural(forms: PluralTexts, { pluralCategoryNames }: Language): Record<string, string> {
  const texts = new Map(Object.entries(forms));
  const standIn = texts.get("other") ?? [...texts.values()].at(-1) ?? "";
  return Object.fromEntries(pluralCategoryNames.map((category) => [category, texts.get(category) ?? standIn]));
}

/** A translation by exactly the plural categories of its language: one that the file lacks is untranslated. */
export function pluralTranslation({ text, status }: ParsedTranslation, language: Language): Translation {
  const texts = new Map(Object.entries(text));
  const categories = language.pluralCategoryNames.map((category) => ({ category, text: texts.get(category) ?? "" }));
  const statuses = categories.map((each) => [each.category, statusOf(each.text, status)] as const);
  return {
    text: Object.fromEntries(categories.map((each) => [each.category, each.text])),
    ...(statuses.every(([, each]) => each === "translated") ? {} : { status: Object.fromEntries(statuses) }),
  };
}

export function plainTranslation(text: string, given: TextStatus | undefined): Translation {
  const status = statusOf(text, given);
  return { text, ...(status === "translated" ? {} : { status }) };
}

function statusOf(text: string, given: TextStatus = "translated"): TextStatus {
  return text === "" ? "untranslated" : given;
}

/** The forms of the file that the language has no category for. */
export function strangeForms(identifier: string, forms: PluralTexts, language: Language): LeftOut[] {
  const names = language.pluralCategoryNames;
  const strange = Object.keys(forms).filter((category) => !names.includes(category));
  return strange.map((category) => ({
    why: `plural form "${category}" is none of ${language.id} (${names.join(", ")}), left out`,
    what: identifier,
  }));
}
