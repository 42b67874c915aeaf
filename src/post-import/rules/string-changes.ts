import { isDeepStrictEqual } from "node:util";
import type { StringRecord } from "../../protocol/import-job.ts";
import type { FieldChange } from "../import-result.ts";

/** The fields that differ, with the defaults of interface 2.5 filled in: writing out a default is not a change. */
export function changedFields(before: StringRecord, after: StringRecord): FieldChange[] {
  const [old, now] = [comparable(before), comparable(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((field) => !isDeepStrictEqual(old[field], now[field]))
    .map((field) =>
      field === "labels"
        ? // Compared regardless of order, but shown in order.
          { field, before: before.labels ?? [], after: after.labels ?? [] }
        : { field, before: old[field] ?? null, after: now[field] ?? null },
    );
}

/** The fields of a new string: its text, and non-default values. */
export function givenFields(record: StringRecord): FieldChange[] {
  const { uniqId, identifier, text } = record;
  const others = changedFields({ uniqId, identifier, text }, record);
  return [{ field: "text", before: null, after: text }, ...others.map((change) => ({ ...change, before: null }))];
}

/** A record as a flat map of its fields with every default filled in. */
function comparable(record: StringRecord): Record<string, unknown> {
  const attributes = Object.entries(record.attributes ?? {}).filter(([, value]) => (value ?? null) !== null);
  const translations = Object.entries(record.translations ?? {}).flatMap(([language, { text, status }]) => [
    [`translations.${language}.text`, text],
    [`translations.${language}.status`, statusByCategory(text, status ?? "translated")],
  ]);
  return {
    identifier: record.identifier,
    text: record.text,
    context: record.context ?? "",
    maxLength: record.maxLength ?? null,
    isHidden: record.isHidden ?? false,
    hasPlurals: record.hasPlurals ?? false,
    labels: [...(record.labels ?? [])].sort(),
    attributes: Object.fromEntries(attributes),
    ...Object.fromEntries(translations),
  };
}

/** A single status of a plural translation applies to each of its categories. */
function statusByCategory(text: StringRecord["text"], status: StringRecord["text"]): unknown {
  if (typeof text === "string" || typeof status === "object") return status;
  return Object.fromEntries(Object.keys(text).map((category) => [category, status]));
}
