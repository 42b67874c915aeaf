import path from "node:path";
import { languageIds } from "../config/languages.ts";

/**
 * The known language that a file means: `pt_BR` as `pt-BR`, `uk-UA` as `uk`, `zh-Hans` as `zh-CN`, `sr@latin` as
 * `sr-Latn`, `en_US.UTF-8` as `en-US`. Null where none is known.
 */
export function languageNamed(name: string): string | null {
  const tag = name
    .replace(/\..*$/, "")
    .replace(/@latin$/i, "-Latn")
    .replace(/@.*$/, "")
    .replaceAll("_", "-");
  const locale = localeOf(tag);
  if (locale === null) return null;
  const { language, region } = locale.maximize();
  return knownWithin(locale.baseName) ?? (tag === language ? null : knownAs(`${language}-${region}`));
}

function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch {
    return null;
  }
}

function knownAs(tag: string): string | null {
  return languageIds.find((id) => id.toLowerCase() === tag.toLowerCase()) ?? null;
}

/** The tag, or the longest beginning of it that is known. */
function knownWithin(tag: string): string | null {
  const known = knownAs(tag);
  const end = tag.lastIndexOf("-");
  return known !== null || end === -1 ? known : knownWithin(tag.slice(0, end));
}

/**
 * The language that a file's path says: `values-pl/strings.xml`, `uk.lproj/…`, `en.json`, `app_en.arb`,
 * `messages_pt_BR.properties`, `messages.pl.xlf`, `pl/LC_MESSAGES/app.po`, `locales/uk/common.json`. Null where it
 * says none.
 */
export function languageOfPath(file: string): string | null {
  const folders = path.dirname(file).split(path.sep).reverse();
  const [folder = ""] = folders;
  const [, android] = /^values-([a-z]{2,3}(?:-r[A-Z]{2})?|b\+[\w+]+)$/.exec(folder) ?? [];
  if (android !== undefined) return languageNamed(android.replace(/^b\+/, "").replace("-r", "-").replaceAll("+", "-"));
  if (/^values\b/.test(folder)) return null;
  const [, apple] = /^(.+)\.lproj$/.exec(folder) ?? [];
  if (apple !== undefined) return languageNamed(apple);
  const stem = path.basename(file).replace(/(?<=.)\.[^.]*$/, "");
  const ends = [/^(.+)$/, /[._-]([a-z]{2,3}[_-][A-Za-z]{2,4})$/, /[._-]([a-z]{2,3})$/];
  const named = ends.map((end) => end.exec(stem)?.[1]).concat(folder === "LC_MESSAGES" ? folders[1] : folder);
  return named.map((name) => (name === undefined ? null : exactlyNamed(name))).find((id) => id !== null) ?? null;
}

/**
 * A part of a path is a language only as a whole, so `en-marketing` is none; and only by the code in use, so the
 * `in` of `sign_in.json` is not Indonesian.
 */
function exactlyNamed(name: string): string | null {
  const [, language] = /^([A-Za-z]{2,3})(?:[_-](?:[A-Za-z]{2}|[A-Za-z]{4}|\d{3}))*(?:@\w+)?$/.exec(name) ?? [];
  const id = language === undefined ? null : languageNamed(name);
  return id?.split("-")[0] === language?.toLowerCase() ? id : null;
}
