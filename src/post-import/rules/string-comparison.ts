import type { StringRecord } from "../../protocol/import-job.ts";
import type { Changes, FieldChange, StringChange } from "../import-result.ts";
import { IdIndex } from "./id-index.ts";
import { changedFields, givenFields } from "./string-changes.ts";

/** Strings to compare with: in memory or on disk, read one at a time. */
export interface KnownStrings {
  readonly count: number;
  /** The position of the string with this uniqId, or -1. */
  find(uniqId: string): number;
  record(position: number): StringRecord;
  /** The string as one line of newline-delimited JSON, without its line feed; valid until the next call. */
  line(position: number): Uint8Array;
}

/** Further changes are only counted, so that a million of them fit into memory. */
export const LISTED_STRINGS = 5000;
/** Beyond this total size of JSON, changes are only counted: a hostile app may send gigabytes of them. */
const LISTED_BYTES = 16 * 1024 * 1024;

/** How many added strings' identifiers are remembered, and their maximum length. */
const REMEMBERED_STRINGS = 10_000;
const REMEMBERED_CHARACTERS = 500;

/** How a received string compares with the known ones. */
export type Compared =
  | { readonly kind: "unchanged" }
  | { readonly kind: "changed"; readonly before: StringRecord; readonly after: StringRecord }
  | { readonly kind: "added"; readonly after: StringRecord }
  /** Its uniqId repeats that of an earlier one, received at `first`. */
  | { readonly kind: "repeated"; readonly after: StringRecord; readonly first: number };

/** A change as JSON bytes outside the heap, where garbage would grow to several times the live data. */
interface ListedChange {
  readonly position: number;
  readonly json: Buffer;
}

/**
 * Compares received strings, one after another, with the known ones (interface 2.4, 2.5). Memory stays constant,
 * however many there are. The place of a string is its number, such as its line number.
 */
export class StringComparison {
  readonly #known: KnownStrings;
  readonly #omittedAre: "removed" | "unchanged";
  /** By position of a known string: the place where it was received, plus 1; 0 if it was not received. */
  readonly #placeOfKnown: Uint32Array;
  readonly #added = new IdIndex();
  readonly #placesOfAdded: number[] = [];
  readonly #idsOfAdded = new Map<string, string>();
  readonly #listed: Record<"changed" | "added", ListedChange[]> = { changed: [], added: [] };
  readonly #counts = { changed: 0, added: 0, unchanged: 0, hidden: 0, relabelled: 0 };
  #listedBytes = 0;
  #next = 0;

  /** @param omittedAre the meaning of a known string that is not received (choice `postImport.omitted`) */
  constructor(known: KnownStrings, omittedAre: "removed" | "unchanged") {
    this.#known = known;
    this.#omittedAre = omittedAre;
    this.#placeOfKnown = new Uint32Array(known.count);
  }

  /**
   * Accepts a string unparsed if it equals the next known one byte for byte: most apps leave most strings unchanged and
   * in order, so a million of them need no parsing. If false, the string must still be passed to `take`.
   */
  takeUnread(line: Uint8Array, place: number): boolean {
    const next = this.#next;
    if (next >= this.#known.count || this.#placeOfKnown[next] !== 0) return false;
    if (Buffer.compare(this.#known.line(next), line) !== 0) return false;
    this.#placeOfKnown[next] = place + 1;
    this.#next++;
    this.#counts.unchanged++;
    return true;
  }

  take(after: StringRecord, place: number): Compared {
    const position = this.#known.find(after.uniqId);
    const before = position < 0 ? null : this.#known.record(position);
    // The index may find another string with the same hash.
    if (before?.uniqId !== after.uniqId) return this.#takeAdded(after, place);
    const earlier = this.#placeOfKnown[position] ?? 0;
    if (earlier > 0) return { kind: "repeated", after, first: earlier - 1 };
    this.#placeOfKnown[position] = place + 1;
    this.#next = position + 1;
    const fields = changedFields(before, after);
    if (fields.length === 0) {
      this.#counts.unchanged++;
      return { kind: "unchanged" };
    }
    if (fields.some(({ field }) => field === "labels")) this.#counts.relabelled++;
    this.#list("changed", position, before, fields);
    if (after.isHidden === true && fields.some(({ field }) => field === "isHidden")) this.#counts.hidden++;
    return { kind: "changed", before, after };
  }

  #takeAdded(after: StringRecord, place: number): Compared {
    const { uniqId, identifier } = after;
    const earlier = this.#added.add(uniqId);
    if (earlier >= 0) return { kind: "repeated", after, first: this.#placesOfAdded[earlier] ?? 0 };
    this.#placesOfAdded.push(place);
    if (this.#idsOfAdded.size < REMEMBERED_STRINGS && identifier.length + uniqId.length < REMEMBERED_CHARACTERS)
      this.#idsOfAdded.set(identifier, uniqId);
    this.#list("added", place, after, givenFields(after));
    if (after.isHidden === true) this.#counts.hidden++;
    return { kind: "added", after };
  }

  #list(change: "changed" | "added", position: number, record: StringRecord, fields: FieldChange[]): void {
    this.#counts[change]++;
    const list = this.#listed[change];
    if (list.length === LISTED_STRINGS || this.#listedBytes === LISTED_BYTES) return;
    const json = Buffer.from(JSON.stringify({ ...named(record), change, fields }));
    if (this.#hasRoom(json.length)) list.push({ position, json });
  }

  /** Reserves bytes of the list. Once it is full, nothing more is listed. */
  #hasRoom(bytes: number): boolean {
    const isThere = this.#listedBytes + bytes < LISTED_BYTES;
    this.#listedBytes = isThere ? this.#listedBytes + bytes : LISTED_BYTES;
    return isThere;
  }

  /** The positions of the known strings that were not received. */
  *missing(): Generator<number, void> {
    for (let position = 0; position < this.#known.count; position++)
      if (this.#placeOfKnown[position] === 0) yield position;
  }

  /** The uniqId of an added string with this identifier, one of the first {@link REMEMBERED_STRINGS}; or null. */
  addedAs(identifier: string): string | null {
    return this.#idsOfAdded.get(identifier) ?? null;
  }

  /** Changes in the order of the known strings, the added ones last. */
  changes(): Changes {
    const removed: { position: number; string: StringChange }[] = [];
    let count = 0;
    for (const position of this.missing()) {
      count++;
      if (this.#omittedAre === "unchanged" || removed.length === LISTED_STRINGS) continue;
      const string = { ...named(this.#known.record(position)), change: "removed" as const, fields: [] };
      if (this.#hasRoom(string.uniqId.length + string.identifier.length)) removed.push({ position, string });
    }
    const inOrder = [...this.#listed.changed.map(parsed), ...removed].sort((a, b) => a.position - b.position);
    const strings = [...inOrder, ...this.#listed.added.map(parsed)].slice(0, LISTED_STRINGS);
    const areRemoved = this.#omittedAre === "removed";
    return {
      ...this.#counts,
      removed: areRemoved ? count : 0,
      unchanged: this.#counts.unchanged + (areRemoved ? 0 : count),
      strings: strings.map(({ string }) => string),
    };
  }
}

function parsed({ position, json }: ListedChange): { position: number; string: StringChange } {
  return { position, string: JSON.parse(json.toString()) };
}

function named({ uniqId, identifier }: StringRecord): { uniqId: string; identifier: string } {
  return { uniqId, identifier };
}
