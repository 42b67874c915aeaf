import type { StringRecord, StringText } from "../protocol/import-job.ts";
import type { Language } from "../protocol/language.ts";

/**
 * The prefix of our own uniqIds: the example of interface 2.5 has the form `<hash>::<number>`. Its letters have mixed
 * case, to catch case-insensitive comparisons.
 */
export const HASH = "5F1c9a70d2e84b6c93A1";

/** More bytes than characters, because limits are in bytes; with trailing spaces, which many apps change. */
export const SENTENCE = "Речення з файлу, наприкінці якого є пропуски.  ";

/** Records of these keys and texts (interface 2.5). */
export function recordsOfTexts(texts: Readonly<Record<string, StringText>>, hash = HASH): StringRecord[] {
  return Object.entries(texts).map(([identifier, text], index) => ({
    uniqId: `${hash}::${index + 1}`,
    identifier,
    ...(typeof text === "string" ? {} : { hasPlurals: true }),
    text,
  }));
}

export function idsOf(records: readonly StringRecord[]): Set<string> {
  return new Set(records.map(({ uniqId }) => uniqId));
}

/** A few strings that no app has a reason to refuse. */
export function plainStrings(): StringRecord[] {
  return recordsOfTexts({ greeting: "Hello", farewell: "See you soon" });
}

/** Strings of each usual kind; most apps change some of them. */
export function mixedStrings(): StringRecord[] {
  return recordsOfTexts({
    greeting: "Hello, world",
    padded: "  Hello again  ",
    named: "Hello, {name}",
    counted: "%d of %s files",
    markup: "<b>Save</b> &amp; close",
    shouted: "OK",
    number: "42",
    placeholder: "%s",
    lines: " First line\nSecond line\n",
    quoted: "Say \"yes\" or 'no'",
    long: "A longer sentence, which goes on for a while, so that there is something to read in this string. ",
    accents: "Größe: übermäßig – „naïve“ façade",
    last: "Goodbye  ",
  });
}

/** Texts by group: all are legal, and all in a group are alike for code that does not look at single characters. */
export const oddTexts = {
  unicode: {
    emoji: "Well done \u{1F389}\u{1F468}\u200d\u{1F469}\u200d\u{1F467}",
    astral: "Old letters \u{1D538}\u{1F1FA}\u{1F1E6} \u{20BB7}",
    combining: "Combined e\u0301 n\u0303 a\u0323\u0302",
    rightToLeft: "\u05e9\u05dc\u05d5\u05dd \u200f\u05e2\u05d5\u05dc\u05dd\u200e \u0645\u0631\u062d\u0628\u0627",
    separators: "One line\u2028another\u2029paragraph\u0085next",
    mark: "mid\ufeffdle \u200bzero width",
    cyrillic: "Привіт, світе: їжак",
    kanji: "日本語の文字列です",
    // Longer than a line, without a space for a line break.
    sentence:
      "第1章のこの文章は長くて空白がひとつもないため、改行する場所を探すプログラムは文字の途中で切ってしまうことがあります。",
    // Their UTF-8 starts or ends with a byte that is a space in Latin-1: code that trims bytes breaks them.
    nonBreaking: "© déjà",
    nextLine: "Å låta bli, Å",
    // Characters that compatibility normalization (NFKC) replaces.
    compatible: "Mix 1½ cups on 20 m² of \ufb01lm № 5™\u00a0%, full\uff0dwidth Ａ…",
  },
  escapes: {
    backslashes: "Path C:\\new\\table \\u0041 \\\\ end",
    quotes: "Say \"yes\" `no` 'maybe' «so»",
    control: "Bell \u0007 escape \u001b[31m delete \u007f form \f end",
    breaks: "One\r\ntwo\nthree\tfour\rfive",
    slashes: "a/b </script> <!-- --> ]]> end",
  },
  markup: {
    html: "<p class=\"x\">Read <a href='/a?b=1&amp;c=2'>this</a> &lt;b&gt; now</p>",
    icu: "{count, plural, one {# file} other {# files}}",
    printf: "%1$s has %2$d%% of %@",
    braces: "{{name}} $\u007bvalue} #{other} %{percent} {0}",
    regex: "Costs $1 and $& and \\1 (.*) [a-z]+",
    ampersand: "Fish & chips",
    capitals: "Hello, {userName}: %(fileCount)d",
  },
  typography: {
    ellipsis: "Loading... please wait...",
    dashes: "Monday -- Friday, 9-17, pages 3 - 5",
    apostrophe: "It's the user's \"own\" file",
    marks: "(c) 2026 Example(TM), 1/2 price, 2 x 3",
    spaces: "Two  spaces.  No space,here",
    address: "See https://example.com/a?b=1 or write to help@example.com",
    shout: "SAVE ALL FILES NOW!!!",
    note: "TODO: ask for 1 file(s)",
    colon: "Name : value !",
  },
  edges: {
    empty: "",
    space: "   ",
    padded: " \t padded \n",
    nothing: "null",
    truth: "true",
    zero: "0",
    // The name of a member of every object: a plain object that is used as a table seems to have it.
    member: "constructor",
    long: "Long text. ".repeat(2000),
    __proto__name: "A name that objects have",
  },
  literals: {
    digits: "007",
    decimal: "1.50",
    exponent: "1e3",
    hexadecimal: "0x1F",
    serial: "12345678901234567890",
    date: "2026-01-31",
    moment: "2026-01-31T10:00:00Z",
    // An app that changes nothing may answer with no strings.
    padded: "  Hello  ",
  },
} as const;

/** Markup that runs a script, and says from which field it comes; a sanitizer that keeps harmless tags removes it. */
export const activeMarkup = (field: string) => `1 < 2 --> </title> <svg onload=${field}>`;

/** Longer than the columns in which careless apps store them. */
const LONG_KEY = `long${".section".repeat(40)}`;
const LONG_CONTEXT = "A note for translators. ".repeat(40).trim();

/** What people read about a string, in letters that careless code loses. */
const foreignFields = { context: "Überschrift – «Größe» на сторінці", labels: ["Größe", "заголовок"] } as const;

/** Strings of one group of unusual texts and keys. The trailing space makes most apps change them. */
export function oddStrings(group: keyof typeof oddTexts): StringRecord[] {
  const records = recordsOfTexts(oddTexts[group]);
  const odd = {
    html: "a.b[0]/c d",
    nothing: "constructor",
    __proto__name: "__proto__",
    emoji: "ключ.\u{1F511}",
    cyrillic: "привіт.text",
    nonBreaking: "déjà.vu",
    // A number as the key of an array or object, in some languages.
    padded: "404",
    slashes: `nav ${activeMarkup("identifier")}`,
  } as Record<string, string>;
  const end = group === "edges" || group === "literals" ? "" : " ";
  return records.map((record) => ({
    ...record,
    identifier: odd[record.identifier] ?? record.identifier,
    text: record.text + end,
    ...(group === "unicode" && { ...foreignFields, labels: [...foreignFields.labels] }),
    ...(record.identifier === "long" && { identifier: LONG_KEY, context: LONG_CONTEXT }),
    ...(group === "escapes" && { context: activeMarkup("context"), labels: [activeMarkup("label")] }),
  }));
}

/**
 * Strings with unusual lists of labels; most apps change their texts, which have spaces, quotes and dots. The uniqIds of
 * two differ only in letter case, as hashes in base64 may.
 */
export function labelledStrings(): StringRecord[] {
  const labels = {
    repeated: ["web", "web", "title"],
    blank: ["web", "", "title"],
    digits: ["404", "title"],
    none: [],
    separated: ["red, green", "one;two", "left|right"],
  };
  const records = recordsOfTexts({
    repeated: 'One  "step"... ',
    blank: 'Two  "steps"... ',
    digits: 'Three  "steps"... ',
    none: 'Four  "steps"... ',
    separated: 'Five  "steps"... ',
  });
  const [first, second, ...others] = records.map((record) => ({
    ...record,
    labels: [...labels[record.identifier as keyof typeof labels]],
  }));
  if (first === undefined || second === undefined) return [];
  return [first, { ...second, uniqId: first.uniqId.toLowerCase() }, ...others];
}

const fields = {
  context: "The title of the first page",
  maxLength: 200,
  labels: ["web", "title page"],
  attributes: { platformType: "json" },
} as const;

/** The strings with every optional field except translations (interface 2.5). */
export function detailed(records: readonly StringRecord[]): StringRecord[] {
  return records.map((record) => ({
    ...record,
    ...fields,
    labels: [...fields.labels],
    attributes: { ...fields.attributes },
  }));
}

/** Strings with every optional field, some of which most apps change (interface 2.5). */
export function detailedStrings(): StringRecord[] {
  return detailed(mixedStrings()).map((record, index) => ({ ...record, isHidden: index % 2 === 1 }));
}

const statuses = ["approved", "translated", "untranslated"] as const;

/**
 * The strings, each with a translation for these languages, of all statuses (interface 2.5): one language says nothing
 * about the others.
 */
export function translated(records: readonly StringRecord[], languages: readonly Language[]): StringRecord[] {
  if (languages.length === 0) return [...records];
  return records.map((record, index) => ({
    ...record,
    translations: Object.fromEntries(
      languages.map(({ id }, place) => [
        id,
        { text: inLanguage(String(record.text), id), status: statuses[(index + place) % 3] ?? "approved" },
      ]),
    ),
  }));
}

/** The text with the language named in it; the space around a text is what many apps change. */
function inLanguage(text: string, id: string): string {
  return text.replace(/^\s*/, (space) => `${space}(${id}) `);
}

/** Nouns of plural strings; the plural of the last one is like its singular. */
const nouns = ["files", "words", "sheep"] as const;
type Noun = (typeof nouns)[number];

function pluralText({ pluralCategoryNames }: Language, noun: Noun, after = ""): Record<string, string> {
  const form = (category: string) => (noun === "sheep" ? "" : ` (${category})`);
  // Members of a JSON object have no order: an app must go by their names.
  const categories = noun === "words" ? pluralCategoryNames.toReversed() : pluralCategoryNames;
  return Object.fromEntries(categories.map((category) => [category, ` %d ${noun}${after}${form(category)} `]));
}

/**
 * A translation whose forms need no changes, so that each may keep its status.
 * @param place that of the language, so that no two neighbours have the same status in a category
 */
function tidyTranslation(text: Readonly<Record<string, string>>, place: number) {
  const forms = Object.entries(text);
  return {
    text: Object.fromEntries(forms.map(([category, form]) => [category, form.trim()])),
    status: Object.fromEntries(
      forms.map(([category], index) => [category, statuses[(index + place) % 3] ?? "approved"]),
    ),
  };
}

/** Plural strings between plain ones, with translations for these languages, each in its plural categories. */
export function pluralStrings(source: Language, targets: readonly Language[]): StringRecord[] {
  const [first, ...others] = translated(plainStrings(), targets);
  const plurals = nouns.map((noun, index): StringRecord => {
    const translations = targets.map((language, place) => {
      const text = pluralText(language, noun, `, ${language.id}`);
      return [
        language.id,
        index === 0 ? tidyTranslation(text, place) : { text, status: "translated" as const },
      ] as const;
    });
    return {
      uniqId: `${HASH}::p${index + 1}`,
      identifier: `${noun}_count`,
      hasPlurals: true,
      text: pluralText(source, noun),
      ...(targets.length === 0 ? {} : { translations: Object.fromEntries(translations) }),
    };
  });
  return [...(first === undefined ? [] : [first]), ...plurals, ...others];
}

/** Plural strings with forms that are empty, or falsy for careless code. */
export function emptyPluralStrings(source: Language, target: Language): StringRecord[] {
  return pluralStrings(source, [target]).map((record, index) => {
    const emptied = (text: StringText) =>
      typeof text === "string"
        ? text
        : Object.fromEntries(
            Object.entries(text).map(([category, form]) => [
              category,
              category === "one" ? (index % 2 === 0 ? "" : "0") : form,
            ]),
          );
    const translations = Object.entries(record.translations ?? {}).map(
      ([id, each]) => [id, { ...each, text: emptied(each.text) }] as const,
    );
    return { ...record, text: emptied(record.text), translations: Object.fromEntries(translations) };
  });
}

/**
 * Strings that differ only in their number: an app should treat all of them alike. They have what apps look for in texts:
 * a tag, a placeholder, an entity, two spaces, an apostrophe, quotes, two hyphens, three dots, and a space at the end.
 */
export function alikeStrings(count: number, hash = HASH): StringRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    uniqId: `${hash}::${index + 1}`,
    identifier: `key.${index + 1}`,
    text: `Sentence <b>number  ${index + 1}</b> &amp; {name} isn't "done" -- wait... `,
  }));
}

/** The strings as newline-delimited JSON, line feeds included. */
export function linesOfStrings(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
