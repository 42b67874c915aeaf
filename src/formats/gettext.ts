import { type GetTextTranslation, po } from "gettext-parser";
import { findLanguage } from "../config/languages.ts";
import { pluralIndex } from "../config/plural-index.ts";
import type { Language } from "../protocol/language.ts";
import { invalidFile, quoted } from "./invalid-file.ts";
import { languageNamed } from "./language-names.ts";
import type { LeftOut, ParsedFile, ParsedString, ParsedTranslation, SourceText } from "./parsed-file.ts";

/**
 * A gettext PO or POT file: the msgid is both identifier and source text; msgctxt, comments and references are the
 * context. Its language, from the header or else from the path, is that of the translations.
 * https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html
 * @throws UsageError with the line
 */
export function parseGettext(source: SourceText): ParsedFile {
  const [first, ...rest] = entryTexts(source).flatMap(entriesOf);
  const hasHeader = first?.msgid === "" && first.msgctxt === undefined;
  const header = headerOf(hasHeader ? textsOf(first).join("") : "");
  const entries = hasHeader || first === undefined ? rest : [first, ...rest];
  const named = header.get("language") ?? "";
  const language = findLanguage(languageNamed(named) ?? source.language ?? "");
  const leftOut: LeftOut[] = [];
  if (language === undefined && entries.some((entry) => textsOf(entry).some((text) => text !== ""))) {
    const why = "translations left out: neither the header nor the path says a known language";
    leftOut.push({ why, what: named === "" ? source.file : named });
  }
  if (language === undefined)
    return { sourceLanguage: null, strings: entries.map(stringOf), translations: [], leftOut };
  const forms = formCategories(header.get("plural-forms") ?? "", language);
  if (forms === null && entries.some(({ msgid_plural }) => msgid_plural !== undefined)) {
    const why = `Plural-Forms is not a plural rule, so the forms are taken for ${language.pluralCategoryNames.join(", ")}`;
    leftOut.push({ why, what: header.get("plural-forms") ?? "none in the header" });
  }
  const categories = forms ?? language.pluralCategoryNames;
  for (const entry of entries.filter(({ msgid_plural }) => msgid_plural !== undefined)) {
    for (const [form, text] of textsOf(entry).entries()) {
      if (text === "" || categories[form] != null) continue;
      leftOut.push({ why: `form ${form} has no plural category in ${language.id}, left out`, what: entry.msgid });
    }
  }
  return {
    sourceLanguage: null,
    strings: entries.map(stringOf),
    translations: [{ language: language.id, strings: entries.map((entry) => translationOf(entry, categories)) }],
    leftOut,
  };
}

const lineSyntax = /^(?:#~\s*)?(?:(msgctxt|msgid_plural|msgid|msgstr(?:\[\d{1,2}\])?)\s*)?"[^"\\]*(?:\\.[^"\\]*)*"$/;

/**
 * The file cut into its entries. The package is given one at a time: of a whole file it keeps neither the order of
 * the entries nor a repeated one, and it takes a text without an end.
 */
function entryTexts(source: SourceText): string[] {
  const texts: string[][] = [[]];
  let last = "";
  for (const [index, raw] of source.text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "") continue;
    const syntax = lineSyntax.exec(line);
    const [, keyword] = syntax ?? [];
    const isComment = syntax === null && line.startsWith("#");
    if (!isComment && (syntax === null || (keyword ?? last) === "")) {
      const what = `expected a comment, or a keyword such as msgid with "a text", found ${quoted(line)}`;
      throw invalidFile(source, index + 1, what);
    }
    if (last.startsWith("msgstr") && (isComment || keyword === "msgctxt" || keyword === "msgid")) {
      texts.push([]);
      last = "";
    }
    last = keyword ?? last;
    texts.at(-1)?.push(line);
  }
  return texts.map((lines) => lines.join("\n"));
}

/** The entry in the text of one, without those that are obsolete. */
function entriesOf(text: string): GetTextTranslation[] {
  return Object.values(po.parse(text).translations).flatMap((byId) => Object.values(byId));
}

/** The translation, or its plural forms; the package leaves them out where the entry has none. */
function textsOf({ msgstr }: Partial<GetTextTranslation>): readonly string[] {
  return msgstr ?? [];
}

function headerOf(text: string): ReadonlyMap<string, string> {
  const pairs = text.split("\n").map((line) => /^([\w-]+):\s*(.*)$/.exec(line));
  return new Map(pairs.map((pair) => [pair?.[1]?.toLowerCase() ?? "", pair?.[2] ?? ""]));
}

function keyOfEntry({ msgctxt, msgid }: GetTextTranslation): string {
  return msgctxt === undefined ? msgid : `${msgctxt}\u0004${msgid}`;
}

/** In the source language, which is English where nothing says otherwise, the msgid is the form for one. */
function stringOf(entry: GetTextTranslation): ParsedString {
  const {
    msgctxt = "",
    msgid,
    msgid_plural,
    comments: { translator = "", extracted = "", reference = "" } = {},
  } = entry;
  const context = [msgctxt, translator, extracted, reference].flatMap((text) => text.trim() || []).join("\n");
  return {
    key: keyOfEntry(entry),
    identifier: msgid,
    text: msgid_plural === undefined ? msgid : { one: msgid, other: msgid_plural },
    ...(context === "" ? {} : { context }),
  };
}

function translationOf(entry: GetTextTranslation, forms: readonly (string | null)[]): ParsedTranslation {
  const { msgid, msgid_plural, comments } = entry;
  const texts = textsOf(entry);
  const byCategory = texts.flatMap((text, index) => {
    const category = forms[index];
    return category == null ? [] : [[category, text] as const];
  });
  return {
    key: keyOfEntry(entry),
    identifier: msgid,
    text: msgid_plural === undefined ? (texts[0] ?? "") : Object.fromEntries(byCategory),
    ...(comments?.flag?.split(/[\s,]+/).includes("fuzzy") ? { status: "untranslated" as const } : {}),
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
  const [formAt, categoryAt] = [pluralIndex(expression), pluralIndex(language.pluralRules)];
  if (formAt === null || categoryAt === null) return null;
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
