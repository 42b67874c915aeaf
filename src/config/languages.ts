import aliases from "cldr-core/supplemental/aliases.json" with { type: "json" };
import plurals from "cldr-core/supplemental/plurals.json" with { type: "json" };
import type { Language } from "../protocol/language.ts";
import { languageIds } from "./language-ids.ts";
import { type CardinalRules, pluralForms } from "./plural-rules.ts";

/** Names whose customary form is not "language, region". */
const customaryNames: Readonly<Record<string, string>> = { "pt-BR": "Portuguese, Brazilian" };

interface Sources {
  readonly rules: CardinalRules;
  /** Three-letter code and the shorter tag that it stands for, such as `["ukr", "uk"]`. */
  readonly threeLetterCodes: readonly (readonly [code: string, tag: string])[];
  readonly languageNames: Intl.DisplayNames;
  readonly regionNames: Intl.DisplayNames;
}

/** A BCP 47 tag and its likely parts. */
interface Tag {
  readonly id: string;
  readonly language: string;
  readonly script: string;
  readonly region: string;
  /** Whether the id itself names the script, the region. */
  readonly names: { readonly script: boolean; readonly region: boolean };
}

/**
 * The languages that the platform offers (interface 2.3, "Language object fields"), ordered by id.
 *
 * Computed on each call from CLDR and from the English names in Node's ICU: keep the result.
 */
export function languageTable(): readonly Language[] {
  const sources = loadSources();
  return languageIds.map((id) => makeLanguage(id, sources));
}

/**
 * The language with this id (BCP 47, as spelled in the table: `uk`, `en-GB`), computed on its own; undefined if not
 * offered.
 */
export function findLanguage(id: string): Language | undefined {
  return languageIds.includes(id) ? makeLanguage(id, loadSources()) : undefined;
}

function loadSources(): Sources {
  const { languageAlias }: { languageAlias: LanguageAliases } = aliases.supplemental.metadata.alias;
  return {
    rules: plurals.supplemental["plurals-type-cardinal"],
    threeLetterCodes: Object.entries(languageAlias)
      .filter(([, alias]) => alias._reason === "overlong")
      .map(([code, alias]) => [code, alias._replacement]),
    languageNames: new Intl.DisplayNames("en", { type: "language", languageDisplay: "standard" }),
    regionNames: new Intl.DisplayNames("en", { type: "region" }),
  };
}

type LanguageAliases = Readonly<Record<string, { readonly _reason: string; readonly _replacement: string }>>;

function makeLanguage(id: string, sources: Sources): Language {
  const tag = parseTag(id);
  const osxLocale = appleLocale(tag);
  return {
    id,
    name: customaryNames[id] ?? englishName(tag, sources),
    editorCode: id.replaceAll("-", "").toLowerCase(),
    // As in BCP 47, the three-letter code if ISO 639 has no shorter one.
    twoLettersCode: tag.language,
    threeLettersCode: threeLetters(tag.language, sources),
    locale: [tag.language, ...(tag.names.script ? [tag.script] : []), tag.region].join("-"),
    androidCode: androidQualifier(tag),
    osxCode: `${osxLocale}.lproj`,
    osxLocale,
    ...pluralForms(id, sources.rules),
  };
}

function parseTag(id: string): Tag {
  const given = new Intl.Locale(id);
  const { language, script = "Zyyy", region = "001" } = given.maximize();
  const names = { script: given.script !== undefined, region: given.region !== undefined };
  return { id, language, script, region, names };
}

/** "English, United Kingdom"; Chinese is distinguished by script first: "Chinese Traditional, Hong Kong". */
function englishName(tag: Tag, { languageNames, regionNames }: Sources): string {
  const byScript = tag.names.script || tag.language === "zh";
  const code = byScript ? `${tag.language}-${tag.script}` : tag.language;
  const language = languageNames.of(code)?.replace(/[()]/g, "") ?? code;
  if (!tag.names.region || impliedByScript(tag)) return language;
  return `${language}, ${regionNames.of(tag.region)?.replace(" SAR China", "") ?? tag.region}`;
}

/** Whether this is Chinese in its script's usual region: `zh-CN`, `zh-TW`. */
function impliedByScript({ language, script, region }: Tag): boolean {
  return language === "zh" && new Intl.Locale(`${language}-${script}`).maximize().region === region;
}

function appleLocale(tag: Tag): string {
  return impliedByScript(tag) ? `${tag.language}-${tag.script}` : tag.id;
}

/** Android's short form covers only a language and a two-letter region; everything else uses its BCP 47 form. */
function androidQualifier({ id, language, region, names }: Tag): string {
  const short = !names.script && region.length === 2;
  return short ? `${language}-r${region}` : `b+${id.replaceAll("-", "+")}`;
}

/** ISO 639-2/T. If CLDR maps two codes to one language (`ron`, `mol`), its own begins with the short code. */
function threeLetters(language: string, { threeLetterCodes }: Sources): string {
  if (language.length === 3) return language;
  const codes = threeLetterCodes.filter(([, tag]) => tag === language).map(([code]) => code);
  return codes.find((code) => code.startsWith(language)) ?? codes[0] ?? language;
}
