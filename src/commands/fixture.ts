import path from "node:path";
import { didYouMeanLanguage, findLanguage } from "../config/languages.ts";
import type { FixtureResult, FixtureRow } from "../formats/fixture-result.ts";
import type { FormatName } from "../formats/format-names.ts";
import { languageNamed, languageOfPath } from "../formats/language-names.ts";
import { fixtureNotes, makeFixture } from "../formats/make-fixture.ts";
import type { LeftOut, ParsedTranslations } from "../formats/parsed-file.ts";
import type { ShortFixture } from "../protocol/fixture.ts";
import { clip } from "../protocol/harmless.ts";
import type { Language } from "../protocol/language.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { fixtureText } from "../report/fixture-text.ts";
import { jsonText } from "../report/json.ts";
import type { Invocation } from "./invocation.ts";
import { localizationFiles } from "./localization-files.ts";
import { type ReadFile, readLocalization } from "./read-localization.ts";
import { type FixtureFile, isDirectory, refuseExisting, targetsOf, writeAll } from "./write-fixtures.ts";

export interface FixtureOptions {
  readonly out?: string;
  readonly source?: string;
  /** `language=file` each. */
  readonly translations?: readonly string[];
  readonly type?: string;
  readonly force?: boolean;
}

/** `app-sim fixture FILE…` */
export async function fixture(
  { cwd, format, out, paint }: Invocation,
  options: FixtureOptions,
  names: readonly string[],
): Promise<number> {
  const files = await localizationFiles(cwd, names);
  const pairs = (options.translations ?? []).map(translationPair);
  if (pairs.length > 0 && files.length > 1) {
    throw new UsageError(
      "translations-unclear",
      `--translations belongs to one file, and there are ${files.length}`,
      "make one fixture at a time where a file has its translations in others",
    );
  }
  const source = options.source === undefined ? null : knownLanguage(options.source, "--source");
  const folder = options.out === undefined ? await usualFolder(cwd) : path.resolve(cwd, options.out);
  const places = files.map((file) => path.resolve(cwd, file));
  const targets = targetsOf(places, folder);
  const made: (FixtureFile & { readonly row: FixtureRow })[] = [];
  for (const [index, file] of files.entries()) {
    const target = targets[index] ?? "";
    const parsed = await readLocalization(file, { cwd, type: options.type, language: source?.id ?? null });
    const translated: ParsedTranslations[] = [];
    for (const pair of pairs) translated.push(await readTranslations(pair, cwd, options.type));
    made.push({ target, ...fixtureOf({ cwd, file, target, parsed, source, translated }) });
  }
  const written = made.filter(({ row }) => row.fixture !== null);
  if (written.length === 0) throw withoutStrings(made.map(({ row }) => row));
  await refuseExisting(
    written.map(({ target, row }) => ({ target, file: row.file })),
    [...places, ...pairs.map((pair) => path.resolve(cwd, pair.file))],
    options.force === true,
  );
  await writeAll(written);
  const result: FixtureResult = {
    command: "fixture",
    fixtures: made.map(({ row }) => (row.fixture === null ? withoutFixture(row) : row)),
  };
  out(format === "json" ? jsonText(result) : `${fixtureText(result, paint).join("\n")}\n`);
  return 0;
}

/** Where fixtures are kept, if they are kept at all; null for beside the file. */
async function usualFolder(cwd: string): Promise<string | null> {
  const folder = path.join(cwd, "fixtures", "jobs");
  return (await isDirectory(folder)) ? folder : null;
}

function withoutStrings(rows: readonly FixtureRow[]): UsageError {
  const [only, ...others] = rows;
  return new UsageError(
    "no-strings",
    others.length === 0 ? `${only?.file} holds no strings` : `none of the ${rows.length} files holds a string`,
    "give a file with texts in it",
    rows.flatMap(({ file, notes }) =>
      notes.map((note) => ({ path: "", message: others.length === 0 ? note : `${file}: ${note}` })),
    ),
  );
}

function withoutFixture(row: FixtureRow): FixtureRow {
  return { ...row, notes: ["holds no strings, so no fixture was made of it", ...row.notes] };
}

interface Pair {
  readonly language: Language;
  readonly file: string;
}

function translationPair(text: string): Pair {
  const [, language, file] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (language !== undefined && file !== undefined)
    return { language: knownLanguage(language, "--translations"), file };
  throw new UsageError(
    "translations-unclear",
    `--translations ${text} does not say language and file`,
    "give it as language=file, such as uk=locales/uk.json",
  );
}

function knownLanguage(id: string, where: string): Language {
  const found = findLanguage(languageNamed(id) ?? id);
  if (found !== undefined) return found;
  throw new UsageError(
    "unknown-language",
    `${where}: "${clip(id, 60)}" is not a known language id.${didYouMeanLanguage(id)}`,
    "known are such as en, pt-BR, zh-CN, sr-Latn; --source names the source language",
  );
}

/** The translations that a file holds: those of a bilingual one, else its own texts. */
async function readTranslations(
  { language, file }: Pair,
  cwd: string,
  type: string | undefined,
): Promise<ParsedTranslations> {
  const parsed = await readLocalization(file, { cwd, type, language: language.id });
  const inside = parsed.translations.find((each) => each.language === language.id);
  return { language: language.id, strings: inside?.strings ?? parsed.strings };
}

interface Parts {
  readonly cwd: string;
  readonly file: string;
  readonly target: string;
  readonly parsed: ReadFile;
  readonly source: Language | null;
  readonly translated: readonly ParsedTranslations[];
}

function fixtureOf({ cwd, file, target, parsed, source, translated }: Parts): {
  content: ShortFixture;
  row: FixtureRow;
} {
  const { format } = parsed;
  const supposed: LeftOut[] = [];
  const place = path.resolve(cwd, file);
  const said = parsed.sourceLanguage ?? languageOfSource(place, format);
  if (said === null && source === null && parsed.strings.length > 0) {
    supposed.push({
      why: "neither the file nor its path says its source language (--source does), taken for",
      what: "en",
    });
  }
  const sourceLanguage = source ?? knownLanguage(said ?? "en", `${file}: the source language`);
  const translations = [...parsed.translations, ...translated].flatMap(({ language, strings }) => {
    const found = findLanguage(language);
    if (found !== undefined && found.id !== sourceLanguage.id) return [{ language: found, strings }];
    supposed.push({ why: "translations into the source language, left out", what: language });
    return [];
  });
  const { strings, leftOut } = makeFixture({ format, sourceLanguage, strings: parsed.strings, translations });
  const targetLanguages = [...new Set(translations.map(({ language }) => language.id))];
  const content: ShortFixture = {
    file: { path: path.relative(path.dirname(target), place).split(path.sep).join("/") },
    sourceLanguage: sourceLanguage.id,
    targetLanguages,
    strings: [...strings],
  };
  const counted = strings.map((each) => Object.keys(each.translations ?? {}).length);
  const row: FixtureRow = {
    file,
    format,
    fixture: strings.length === 0 ? null : path.relative(cwd, target),
    strings: strings.length,
    plurals: strings.filter(({ hasPlurals }) => hasPlurals === true).length,
    withContext: strings.filter(({ context }) => context !== undefined).length,
    sourceLanguage: sourceLanguage.id,
    targetLanguages,
    translations: counted.reduce((sum, each) => sum + each, 0),
    notes: fixtureNotes([...supposed, ...parsed.leftOut, ...leftOut]),
  };
  return { content, row };
}

/** The path of a bilingual file tells the language of the translations. */
function languageOfSource(place: string, format: FormatName): string | null {
  return format === "gettext" || format === "xliff" ? null : languageOfPath(place);
}
