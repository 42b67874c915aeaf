import { isDeepStrictEqual } from "node:util";
import type { FieldChange } from "../post-import/import-result.ts";
import { changedFields } from "../post-import/rules/string-changes.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import type { ReadImport } from "./reading.ts";

/** What an app did to the strings of a job, in whichever form it answered. */
export interface ImportEffect {
  /** Changes of returned strings, and added strings, by uniqId. */
  readonly changed: ReadonlyMap<string, readonly FieldChange[]>;
  /** Strings that did not come back; null: any or none, as after a 304. */
  readonly omitted: ReadonlySet<string> | null;
  /** How many strings came back. */
  readonly returned: number;
}

/** What an answer did to the strings of a job; null if not completely known. */
export function effectOf({ verdict, strings }: ReadImport, sent: readonly StringRecord[]): ImportEffect | null {
  if (verdict?.kind === "not-modified") return { changed: new Map(), omitted: null, returned: 0 };
  if (verdict?.kind !== "strings" || strings === null) return null;
  const known = new Map(sent.map((record) => [record.uniqId, record]));
  const changes = strings.map((record) => [record.uniqId, changesOf(known.get(record.uniqId), record)] as const);
  const came = new Set(strings.map(({ uniqId }) => uniqId));
  return {
    changed: new Map(changes.filter(([, fields]) => fields.length > 0)),
    omitted: new Set([...known.keys()].filter((uniqId) => !came.has(uniqId))),
    returned: strings.length,
  };
}

function changesOf(before: StringRecord | undefined, after: StringRecord): FieldChange[] {
  const from = before ?? { uniqId: after.uniqId, identifier: "", text: "" };
  return changedFields(from, after).toSorted((a, b) => (a.field < b.field ? -1 : 1));
}

/**
 * How two effects on the same strings differ, as the end of a sentence; null: not at all.
 * @param only the strings that are compared; default all
 */
export function effectDifference(one: ImportEffect, other: ImportEffect, only?: ReadonlySet<string>): string | null {
  const isCompared = (uniqId: string) => only === undefined || only.has(uniqId);
  const lost = lostStrings(one, other, isCompared) ?? lostStrings(other, one, isCompared);
  if (lost !== null) return `the string ${shortText(lost)} is in only one of the two answers`;
  for (const uniqId of new Set([...one.changed.keys(), ...other.changed.keys()])) {
    if (!isCompared(uniqId)) continue;
    const [before, after] = [one.changed.get(uniqId) ?? [], other.changed.get(uniqId) ?? []];
    if (!isDeepStrictEqual(withoutBefore(before), withoutBefore(after))) return differingField(uniqId, before, after);
  }
  return null;
}

function withoutBefore(fields: readonly FieldChange[]): unknown {
  return fields.map(({ field, after }) => [field, inOneOrder(field, after)]);
}

/** Labels have no order (interface 2.5). */
function inOneOrder(field: string, value: unknown): unknown {
  return field === "labels" ? [...(value as readonly string[])].sort() : value;
}

function differingField(uniqId: string, one: readonly FieldChange[], other: readonly FieldChange[]): string {
  // A field that did not change has the value that was sent.
  const valueIn = (changes: readonly FieldChange[], { field, before }: FieldChange) =>
    inOneOrder(field, (changes.find((each) => each.field === field) ?? { after: before }).after);
  for (const change of [...one, ...other]) {
    const [was, is] = [valueIn(one, change), valueIn(other, change)];
    if (isDeepStrictEqual(was, is)) continue;
    const [first, second] = fromDifference(JSON.stringify(was), JSON.stringify(is));
    return `${shortText(change.field)} of the string ${shortText(uniqId)} is ${second} instead of ${first}`;
  }
  return `the string ${shortText(uniqId)} is not the same`;
}

/** How much of two long values is shown before the first character in which they differ. */
const COMMON_CHARACTERS = 20;

/** Two texts from shortly before their first difference on. */
function fromDifference(one: string, other: string): readonly [string, string] {
  const [ones, others] = [[...one], [...other]];
  const at = ones.findIndex((character, index) => character !== others[index]);
  const from = Math.max(0, (at < 0 ? ones.length : at) - COMMON_CHARACTERS);
  const part = (characters: readonly string[]) => (from === 0 ? "" : "…") + shortText(characters.slice(from).join(""));
  return [part(ones), part(others)];
}

/** A string that only one answer omitted. After a 304 all or none may be omitted. */
function lostStrings(one: ImportEffect, other: ImportEffect, isCompared: (uniqId: string) => boolean): string | null {
  if (one.omitted === null || (other.omitted === null && one.returned === 0)) return null;
  return [...one.omitted].find((uniqId) => isCompared(uniqId) && other.omitted?.has(uniqId) !== true) ?? null;
}

/** A text from an app, harmless and short enough for a reason. */
export function shortText(text: string): string {
  return clip(harmlessLine(text), 80);
}
