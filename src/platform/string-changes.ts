import { isDeepStrictEqual } from "node:util";
import type { StringRecord, StringText } from "../protocol/import-job.ts";

/** One field of a string record that differs; `field` is a path such as `text` or `translations.uk.status`. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** One string that the app changed, added or left out. */
export interface StringChange {
  readonly uniqId: string;
  readonly identifier: string;
  readonly change: "changed" | "added" | "removed";
  readonly fields: readonly FieldChange[];
}

export interface StringChanges {
  readonly changed: number;
  readonly added: number;
  readonly removed: number;
  readonly unchanged: number;
  /** Every string that is not unchanged: in the order sent, the added ones last. */
  readonly strings: readonly StringChange[];
}

/**
 * What the app did to the strings. Records are compared with the defaults of interface 2.5 filled in, so
 * writing out a default, or leaving it out, is no change.
 * @param omittedAre what it means when a sent string does not come back (choice `postImport.omitted`)
 */
export function compareStrings(
  sent: readonly StringRecord[],
  received: readonly StringRecord[],
  omittedAre: "removed" | "unchanged",
): StringChanges {
  const receivedById = new Map(received.map((record) => [record.uniqId, record]));
  const sentIds = new Set(sent.map((record) => record.uniqId));
  const strings: StringChange[] = [];
  let unchanged = 0;
  for (const before of sent) {
    const after = receivedById.get(before.uniqId);
    const fields = after === undefined ? [] : fieldChanges(before, after);
    if (fields.length > 0) strings.push({ ...named(before), change: "changed", fields });
    else if (after === undefined && omittedAre === "removed")
      strings.push({ ...named(before), change: "removed", fields: [] });
    else unchanged++;
  }
  for (const record of receivedById.values()) {
    if (!sentIds.has(record.uniqId)) {
      strings.push({
        ...named(record),
        change: "added",
        fields: [{ field: "text", before: null, after: record.text }],
      });
    }
  }
  const count = (change: StringChange["change"]) => strings.filter((string) => string.change === change).length;
  return { changed: count("changed"), added: count("added"), removed: count("removed"), unchanged, strings };
}

function named(record: StringRecord): { uniqId: string; identifier: string } {
  return { uniqId: record.uniqId, identifier: record.identifier };
}

function fieldChanges(before: StringRecord, after: StringRecord): FieldChange[] {
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
