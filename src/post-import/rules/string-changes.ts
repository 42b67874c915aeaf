import { isDeepStrictEqual } from "node:util";
import type { StringRecord, StringText } from "../../protocol/import-job.ts";

/** One field of a string record that differs; `field` is a path such as `text` or `translations.uk.status`. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields that differ, with the defaults of interface 2.5 filled in: writing out a default is no change. */
export function changedFields(before: StringRecord, after: StringRecord): FieldChange[] {
  const [old, now] = [comparable(before), comparable(after)];
  const fields = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...fields]
    .filter((field) => !isDeepStrictEqual(old[field], now[field]))
    .map((field) =>
      field === "labels"
        ? labelsChange(before, after)
        : { field, before: old[field] ?? null, after: now[field] ?? null },
    );
}

/** The fields of a string that is new: its text, and what is not a default. */
export function givenFields(record: StringRecord): FieldChange[] {
  const { uniqId, identifier, text } = record;
  const others = changedFields({ uniqId, identifier, text }, record);
  return [{ field: "text", before: null, after: text }, ...others.map((change) => ({ ...change, before: null }))];
}

/** Labels are compared without their order, but shown in it. */
function labelsChange(before: StringRecord, after: StringRecord): FieldChange {
  return { field: "labels", before: before.labels ?? [], after: after.labels ?? [] };
}

/** A record as a flat map of its fields with every default filled in. */
function comparable(record: StringRecord): Record<string, unknown> {
  return {
    identifier: record.identifier,
    text: record.text,
    context: record.context ?? "",
    maxLength: record.maxLength ?? null,
    isHidden: record.isHidden ?? false,
    hasPlurals: record.hasPlurals ?? false,
    labels: [...(record.labels ?? [])].sort(),
    attributes: given(record.attributes ?? {}),
    ...Object.fromEntries(
      Object.entries(record.translations ?? {}).flatMap(([language, { text, status }]) => [
        [`translations.${language}.text`, text],
        [`translations.${language}.status`, statusByCategory(text, status ?? "translated")],
      ]),
    ),
  };
}

/** A null attribute is one that is left out. */
function given(attributes: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => (value ?? null) !== null));
}

/** One status for a plural translation means that status for each of its categories. */
function statusByCategory(text: StringText, status: StringText): StringText {
  if (typeof text === "string" || typeof status === "object") return status;
  return Object.fromEntries(Object.keys(text).map((category) => [category, status]));
}
