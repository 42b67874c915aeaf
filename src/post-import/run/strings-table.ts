import type { Choices } from "../../config/choices.ts";
import { isJsonObject } from "../../protocol/json-object.ts";
import type { ImportFinding } from "../import-result.ts";
import type { StringsTable, TableString, TableText } from "../rules/table-strings.ts";
import { type ImportCall, jobLanguages, type StringValues, stringsAnswered, stringsSent } from "./recorded-import.ts";

/** A string record as received, which may not have the shape of interface 2.5. */
type LooseRecord = Readonly<Record<string, unknown>>;

/** A record, and its findings, by path. */
interface KnownRecord {
  readonly record: LooseRecord;
  readonly notes: readonly (readonly [path: string, note: string])[];
}

/**
 * An import as the table of its strings, languages in columns; a text says why there is none.
 * @param call without its secrets
 */
export function stringsTable(
  call: ImportCall,
  findings: readonly Pick<ImportFinding, "path" | "message">[],
  choices: Choices,
): StringsTable | string {
  const [sent, came] = [stringsSent(call), stringsAnswered(call)];
  if (typeof sent === "string") return sent;
  if (typeof came === "string") return came;
  const isCut = sent.isCut || came.isCut;
  const [before, after] = [recordsById(sent, []), recordsById(came, findings)];
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  const known = isCut ? ids.filter((id) => before.has(id) && after.has(id)) : ids;
  const { source, targets } = jobLanguages(call);
  const records = [...before.values(), ...after.values()];
  const translated = records.flatMap(({ record }) => Object.keys(objectOf(record.translations)));
  const others = [...new Set([...targets, ...translated])];
  const isKept = choices["postImport.omitted"] === "unchanged";
  return {
    languages: [source, ...others],
    strings: known.flatMap((id) => {
      const sentRecord = before.get(id) ?? null;
      const cameRecord = after.get(id) ?? (isKept ? sentRecord : null);
      return stringsOf(id, sentRecord, cameRecord, others);
    }),
    isCut,
  };
}

function recordsById(
  { values }: StringValues,
  findings: readonly Pick<ImportFinding, "path" | "message">[],
): Map<string, KnownRecord> {
  const notes = new Map<string, (readonly [string, string])[]>();
  for (const { path, message } of findings) {
    const [, place = "", inside = ""] = /^(data\.strings\[\d+\]|data\.stringsUrl line \d+)\.?(.*)$/s.exec(path) ?? [];
    notes.set(place, [...(notes.get(place) ?? []), [inside, message]]);
  }
  return new Map(
    values.flatMap(({ value, place }) => {
      const record = objectOf(value);
      return typeof record.uniqId === "string" ? [[record.uniqId, { record, notes: notes.get(place) ?? [] }]] : [];
    }),
  );
}

/** The rows of one string: one, or one for each plural form. */
function stringsOf(
  id: string,
  before: KnownRecord | null,
  after: KnownRecord | null,
  languages: readonly string[],
): TableString[] {
  const columns = [null, ...languages];
  const sides = columns.map((language) => [formsOf(before, language), formsOf(after, language)] as const);
  // The language with the most plural forms sets their order.
  const forms = sides.flat().sort((a, b) => b.size - a.size);
  const categories = [...new Set(forms.flatMap((each) => [...each.keys()]))];
  const placed = (after?.notes ?? []).map(([path, note]) => ({ ...placeIn(path, languages), path, note }));
  return categories.map((category, index) => {
    const isHere = (of: string | null) => of === category || (index === 0 && !categories.includes(of));
    const textOf = ([old, now]: (typeof sides)[number], column: number): TableText | null => {
      const [was = null, is = null] = [old.get(category), now.get(category)];
      const own = placed.flatMap((each) => (each.column === column && isHere(each.category) ? [each.note] : []));
      return was === null && is === null ? null : { before: was, after: is, notes: own };
    };
    return {
      id,
      identifier: String(after?.record.identifier ?? before?.record.identifier ?? ""),
      category,
      isHidden: after?.record.isHidden === true,
      isRemoved: after === null,
      texts: sides.map(textOf),
      notes:
        index > 0 ? [] : placed.flatMap(({ column, path, note }) => (column === null ? `${path} ${note}`.trim() : [])),
    };
  });
}

/** The column and plural form that a path within a record is about; null: the whole record. */
function placeIn(path: string, languages: readonly string[]): { column: number | null; category: string | null } {
  const category = /(?:^|\.)text\.(\w+)$/.exec(path)?.[1] ?? null;
  if (/^text(?:\.|$)/.test(path)) return { column: 0, category };
  const index = languages.findIndex((id) => `${path}.`.startsWith(`translations.${id}.`));
  return { column: index < 0 ? null : index + 1, category };
}

/** The text of a record in a language, or its plural forms, by their categories. */
function formsOf(known: KnownRecord | null, language: string | null): Map<string | null, string> {
  const translations = objectOf(known?.record.translations);
  const text = language === null ? known?.record.text : objectOf(translations[language]).text;
  if (typeof text === "string") return new Map([[null, text]]);
  return new Map(
    Object.entries(objectOf(text)).flatMap(([category, form]) => (typeof form === "string" ? [[category, form]] : [])),
  );
}

function objectOf(value: unknown): LooseRecord {
  return isJsonObject(value) ? (value as LooseRecord) : {};
}
