import { didYouMean } from "../protocol/nearest.ts";

/**
 * Every language that CLDR covers at its "modern" level, others used by public bodies, and the usual regional variants.
 */
export const languageIds: readonly string[] = `
  af ak am ar ar-EG ar-SA as az ba be bg bn br bs ca chr cs cv cy da de de-AT de-CH dsb el
  en en-AU en-CA en-GB en-IN en-NZ en-US es es-419 es-AR es-ES es-MX es-US et eu
  fa fi fil fr fr-CA fr-CH ga gd gl gu ha he hi hr hsb ht hu hy id ig is it ja jv ka kk km kn ko kok ky
  lb lo lt lv mk ml mn mr ms mt my nb ne nl nl-BE nn no or pa pcm pl ps pt pt-BR pt-PT qu rm ro ru
  sd shn si sk sl so sq sr sr-Latn sv sw ta te th ti tk tr uk ur uz vi yo yue zh-CN zh-HK zh-TW zu`
  .trim()
  .split(/\s+/);

/**
 * ` Did you mean "uk"?` for something that is not a language id: for a country code (`ua`, `jp`) the language most
 * likely spoken there, for a name (`ukrainian`) its language, otherwise the most similar id; "" if there is none.
 */
export function didYouMeanLanguage(wrong: string): string {
  return didYouMean(languageOfCountry(wrong) ?? languageOfName(wrong) ?? wrong, languageIds);
}

/** The language of an English name, such as Ukrainian. */
function languageOfName(name: string): string | undefined {
  const names = new Intl.DisplayNames("en", { type: "language" });
  return languageIds.find((id) => names.of(id)?.toLowerCase() === name.toLowerCase());
}

function languageOfCountry(code: string): string | undefined {
  const [, country] = /^([a-z]{2})(?:[-_]\1)?$/i.exec(code) ?? [];
  const region = country?.toUpperCase();
  const isKnown = region !== undefined && new Intl.DisplayNames("en", { type: "region", fallback: "none" }).of(region);
  if (!isKnown) return undefined;
  const { language } = new Intl.Locale("und", { region }).maximize();
  return [`${language}-${region}`, language].find((id) => languageIds.includes(id));
}
