import type { StringRecord } from "../../protocol/import-job.ts";
import { createIdIndex } from "./id-index.ts";
import { changedFields, type FieldChange, givenFields } from "./string-changes.ts";

/** Strings that others are compared with: in memory or on disk, read one at a time. */
export interface KnownStrings {
  readonly count: number;
  /** The position of the string with this uniqId, or -1. */
  find(uniqId: string): number;
  record(position: number): StringRecord;
  /** The string as one line of newline-delimited JSON, without the line's end; as it is until the next one is asked for. */
  line(position: number): Uint8Array;
}

/** One string that was changed, added or left out. */
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
  /** Of the changed and added ones, those that are hidden now. */
  readonly hidden: number;
  /** Of the changed ones, those with other labels. */
  readonly relabelled: number;
  /**
   * The first {@link LISTED_STRINGS} that are not unchanged: in the order in which they are known, the added ones
   * last.
   */
  readonly strings: readonly StringChange[];
}

/** Of more changes than these the rest is only counted, so that a million of them fit into memory. */
export const LISTED_STRINGS = 5000;

/** So it is when they are longer than this in all, as JSON: a hostile app may send gigabytes of them. */
const LISTED_BYTES = 16 * 1024 * 1024;

/** Added strings of which the identifier is remembered, if it is no longer than this. */
const REMEMBERED_STRINGS = 10_000;
const REMEMBERED_CHARACTERS = 500;

/** What became of one string. */
export type Compared =
  | { readonly kind: "unchanged" }
  | { readonly kind: "changed"; readonly before: StringRecord; readonly after: StringRecord }
  | { readonly kind: "added"; readonly after: StringRecord }
  /** Its uniqId is that of an earlier one, which came at the place `first`. */
  | { readonly kind: "repeated"; readonly after: StringRecord; readonly first: number };

export interface StringComparison {
  /**
   * Takes the next string that came, unread, if it is byte for byte the next known one: most apps leave most strings
   * as they are and in their order, and a million of them need not be parsed. Else it is still to be taken.
   * @param place where it stands, from 0, such as the number of its line
   */
  takeUnread(line: Uint8Array, place: number): boolean;
  /** Takes the next string that came, and stands at this place. */
  take(received: StringRecord, place: number): Compared;
  /** The positions of the known strings that did not come. */
  missing(): Generator<number, void>;
  /** The uniqId of an added string with this identifier, one of the first {@link REMEMBERED_STRINGS}; or null. */
  addedAs(identifier: string): string | null;
  changes(): StringChanges;
}

/**
 * Compares strings, as they come, with the known ones (interface 2.4, 2.5). Memory stays flat whatever their number.
 * @param omittedAre what it means when a known string does not come (choice `postImport.omitted`)
 */
export function compareStrings(known: KnownStrings, omittedAre: "removed" | "unchanged"): StringComparison {
  const came = createIdIndex();
  /** By position of a known string: the place where it came, plus 1; 0 where it has not come. */
  const placeOfKnown = new Uint32Array(known.count);
  const placesOfAdded: number[] = [];
  const idsOfAdded = new Map<string, string>();
  const listed: { readonly changed: Listed[]; readonly added: Listed[] } = { changed: [], added: [] };
  const counts = { changed: 0, added: 0, unchanged: 0, hidden: 0, relabelled: 0 };
  let listedBytes = 0;
  let next = 0;

  const note = (
    list: Listed[],
    position: number,
    record: StringRecord,
    change: "changed" | "added",
    fields: FieldChange[],
    asKnown = record,
  ) => {
    counts[change]++;
    if (record.isHidden === true && fields.some(({ field }) => field === "isHidden" || change === "added"))
      counts.hidden++;
    if (change === "changed" && fields.some(({ field }) => field === "labels")) counts.relabelled++;
    if (list.length === LISTED_STRINGS || listedBytes === LISTED_BYTES) return;
    const json = Buffer.from(JSON.stringify({ ...named(asKnown), change, fields }));
    if (hasRoom(json.length)) list.push({ position, json });
  };

  /** Takes the room for so many bytes; behind what has none, nothing is listed. */
  const hasRoom = (bytes: number): boolean => {
    const isThere = listedBytes + bytes < LISTED_BYTES;
    listedBytes = isThere ? listedBytes + bytes : LISTED_BYTES;
    return isThere;
  };

  /** The known string with this uniqId: the index may know several by the same bits. */
  const knownAs = (uniqId: string): { readonly position: number; readonly before: StringRecord } | null => {
    const position = known.find(uniqId);
    if (position < 0) return null;
    const before = known.record(position);
    return before.uniqId === uniqId ? { position, before } : null;
  };

  const takeKnown = (position: number, before: StringRecord, after: StringRecord): Compared => {
    const fields = changedFields(before, after);
    if (fields.length === 0) {
      counts.unchanged++;
      return { kind: "unchanged" };
    }
    note(listed.changed, position, after, "changed", fields, before);
    return { kind: "changed", before, after };
  };

  function* missing() {
    for (let position = 0; position < known.count; position++) if (placeOfKnown[position] === 0) yield position;
  }

  return {
    takeUnread(line, place) {
      if (next >= known.count || placeOfKnown[next] !== 0 || !isSame(known.line(next), line)) return false;
      placeOfKnown[next++] = place + 1;
      counts.unchanged++;
      return true;
    },
    take(after, place) {
      const same = knownAs(after.uniqId);
      if (same === null) {
        const earlier = came.add(after.uniqId);
        if (earlier >= 0) return { kind: "repeated", after, first: placesOfAdded[earlier] ?? 0 };
        placesOfAdded.push(place);
        if (
          idsOfAdded.size < REMEMBERED_STRINGS &&
          after.identifier.length + after.uniqId.length < REMEMBERED_CHARACTERS
        )
          idsOfAdded.set(after.identifier, after.uniqId);
        note(listed.added, place, after, "added", givenFields(after));
        return { kind: "added", after };
      }
      const { position, before } = same;
      const earlier = placeOfKnown[position] ?? 0;
      if (earlier > 0) return { kind: "repeated", after, first: earlier - 1 };
      placeOfKnown[position] = place + 1;
      next = position + 1;
      return takeKnown(position, before, after);
    },
    missing,
    addedAs: (identifier) => idsOfAdded.get(identifier) ?? null,
    changes() {
      const removed: Placed[] = [];
      let count = 0;
      for (const position of missing()) {
        count++;
        if (omittedAre === "unchanged" || removed.length === LISTED_STRINGS) continue;
        const string = { ...named(known.record(position)), change: "removed", fields: [] } as const;
        if (hasRoom(string.uniqId.length + string.identifier.length)) removed.push({ position, string });
      }
      const inOrder = [...listed.changed.map(placed), ...removed].sort((one, other) => one.position - other.position);
      const strings = [...inOrder, ...listed.added.map(placed)].slice(0, LISTED_STRINGS).map(({ string }) => string);
      const areRemoved = omittedAre === "removed";
      return {
        ...counts,
        removed: areRemoved ? count : 0,
        unchanged: counts.unchanged + (areRemoved ? 0 : count),
        strings,
      };
    },
  };
}

interface Placed {
  readonly position: number;
  readonly string: StringChange;
}

/** As bytes, because the collector lets garbage grow to several times what it finds alive in its own memory. */
interface Listed {
  readonly position: number;
  readonly json: Buffer;
}

function placed({ position, json }: Listed): Placed {
  return { position, string: JSON.parse(json.toString()) };
}

function named({ uniqId, identifier }: StringRecord): { uniqId: string; identifier: string } {
  return { uniqId, identifier };
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && Buffer.compare(one, other) === 0;
}
