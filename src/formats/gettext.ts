import { findLanguage } from "../config/languages.ts";
import { readPluralExpression } from "../config/plural-expression.ts";
import type { Language } from "../protocol/language.ts";
import { type GettextEntry, gettextEntries } from "./gettext-entries.ts";
import { languageNamed } from "./language-names.ts";
import type { LeftOut, ParsedFile, ParsedString, ParsedTranslation, SourceText } from "./parsed-file.ts";

/**
 * A gettext PO or POT file: the msgid is both identifier and source text; msgctxt, comments and references are the
 * context. Its language, from the header or else from the path, is that of the translations.
 */
export function parseGettext(source: SourceText): ParsedFile {
  const [first, ...rest] = gettextEntries(source);
  const hasHeader = first?.id === "" && first.context === null;
  const header = headerOf(hasHeader ? first.texts.join("") : "");
  const entries = hasHeader || first === undefined ? rest : [first, ...rest];
  const named = header.get("language") ?? "";
  const language = findLanguage(languageNamed(named) ?? source.language ?? "");
  const leftOut: LeftOut[] = [];
  if (language === undefined && entries.some(({ texts }) => texts.some((text) => text !== ""))) {
    const why = "translations left out: neither the header nor the path says a known language";
    leftOut.push({ why, what: named === "" ? source.file : named });
  }
  if (language === undefined)
    return { sourceLanguage: null, strings: entries.map(stringOf), translations: [], leftOut };
  const forms = formCategories(header.get("plural-forms") ?? "", language);
  if (forms === null && entries.some(({ plural }) => plural !== null)) {
    const why = `Plural-Forms is no plural rule, so the forms are taken for ${language.pluralCategoryNames.join(", ")}`;
    leftOut.push({ why, what: header.get("plural-forms") ?? "none in the header" });
  }
  const categories = forms ?? language.pluralCategoryNames;
  const strings = entries.map((entry) => translationOf(entry, categories));
  for (const { id, plural, texts } of entries) {
    const lost =
      plural === null ? [] : texts.flatMap((text, form) => (text !== "" && categories[form] == null ? [form] : []));
    for (const form of lost)
      leftOut.push({ why: `form ${form} is of no plural category in ${language.id}, left out`, what: id });
  }
  return {
    sourceLanguage: null,
    strings: entries.map(stringOf),
    translations: [{ language: language.id, strings }],
    leftOut,
  };
}

function headerOf(text: string): ReadonlyMap<string, string> {
  const pairs = text.split("\n").map((line) => /^([\w-]+):\s*(.*)$/.exec(line));
  return new Map(pairs.map((pair) => [pair?.[1]?.toLowerCase() ?? "", pair?.[2] ?? ""]));
}

function keyOfEntry({ context, id }: GettextEntry): string {
  return context === null ? id : `${context}\u0004${id}`;
}

/** In the source language, which is English where nobody says otherwise, the msgid is the form for one. */
function stringOf(entry: GettextEntry): ParsedString {
  const { id, plural, comments, references } = entry;
  const context = [...(entry.context === null ? [] : [entry.context]), ...comments, ...references].join("\n");
  return {
    key: keyOfEntry(entry),
    identifier: id,
    text: plural === null ? id : { one: id, other: plural },
    ...(context === "" ? {} : { context }),
  };
}

function translationOf(entry: GettextEntry, forms: readonly (string | null)[]): ParsedTranslation {
  const { id, plural, texts, flags } = entry;
  const byCategory = texts.flatMap((text, index) => {
    const category = forms[index];
    return category == null ? [] : [[category, text] as const];
  });
  return {
    key: keyOfEntry(entry),
    identifier: id,
    text: plural === null ? (texts[0] ?? "") : Object.fromEntries(byCategory),
    ...(flags.includes("fuzzy") ? { status: "untranslated" as const } : {}),
  };
}

/** Up to here every rule of CLDR has shown all that it tells apart, but for round millions. */
const COMPARED_NUMBERS = 1000;

/**
 * The plural category that each form of the file stands for: the one that most of the form's numbers have in the
 * language, a category being taken once. Null where the header has no rule.
 */
export function formCategories(pluralForms: string, language: Language): readonly (string | null)[] | null {
  const [, count = "0", expression = ""] = /nplurals\s*=\s*(\d+)\s*;\s*plural\s*=\s*([^;]+)/.exec(pluralForms) ?? [];
  const formAt = expressionOrNull(expression);
  if (formAt === null) return null;
  const categoryAt = readPluralExpression(language.pluralRules);
  const names = language.pluralCategoryNames;
  const shared = Array.from({ length: Math.min(Number(count), 10) }, () => names.map(() => 0));
  for (let n = 0; n < COMPARED_NUMBERS; n++) {
    const row = shared[formAt(n)];
    const category = categoryAt(n);
    if (row !== undefined) row[category] = (row[category] ?? 0) + 1;
  }
  const pairs = shared.flatMap((row, form) => row.map((numbers, category) => ({ form, category, numbers })));
  const taken = new Map<number, string>();
  for (const { form, category, numbers } of pairs.sort((a, b) => b.numbers - a.numbers)) {
    const name = names[category] ?? "other";
    if (numbers > 0 && !taken.has(form) && ![...taken.values()].includes(name)) taken.set(form, name);
  }
  return shared.map((_, form) => taken.get(form) ?? null);
}

function expressionOrNull(text: string): ((n: number) => number) | null {
  try {
    return readPluralExpression(text);
  } catch {
    return null;
  }
}
