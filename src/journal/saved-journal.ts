import { idOfLine, isTorn, type JournalLine, journalLines, parseJournalLine, timeOfLine } from "./journal-lines.ts";
import { mapYielding } from "./map-yielding.ts";
import { type JournalRecord, timeOfRecord } from "./record.ts";

/** How many lines to parse before yielding to signals. */
const TURN_LINES = 64;

/** A line that apparently holds a record. */
interface SavedLine {
  readonly id: string;
  readonly line: JournalLine;
  /** null: it does not hold one after all; undefined: not parsed yet. */
  record?: JournalRecord | null;
}

/** A journal as read from disk. It may be large, so its lines are parsed on demand. */
export class SavedJournal {
  readonly #lines: SavedLine[] = [];
  readonly #places: ReadonlyMap<string, number>;
  /** Ids of all records, oldest first. */
  readonly ids: readonly string[];
  #unreadable = 0;

  /**
   * @param files the oldest first; only the last one may still be written to, and end in the middle of a line
   * @throws {JournalVersionError} if a header names a newer major version
   */
  constructor(files: readonly Uint8Array[]) {
    for (const [index, bytes] of files.entries()) {
      for (const line of journalLines(bytes)) this.#add(line, index === files.length - 1);
    }
    this.ids = this.#lines.map(({ id }) => id);
    this.#places = new Map(this.ids.map((id, place) => [id, place]));
  }

  #add(line: JournalLine, isNewest: boolean): void {
    const id = idOfLine(line);
    if (id !== null) {
      this.#lines.push({ id, line });
      return;
    }
    const content = parseJournalLine(line);
    if (content === null || (isNewest && isTorn(line, content))) return;
    if (typeof content === "string") this.#unreadable += 1;
    else this.#lines.push({ id: content.id, line, record: content });
  }

  /** How many lines are known not to be records of this version: complete once every line was parsed. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** The newest record of a kind. */
  findLast<Kind extends JournalRecord>(isOfKind: (record: JournalRecord) => record is Kind): Kind | null {
    for (const saved of this.#lines.toReversed()) {
      const record = this.#recordOf(saved);
      if (record !== null && isOfKind(record)) return record;
    }
    return null;
  }

  /** The record with this id, or the only one whose id begins with it; null if there are none or several. */
  find(idOrUniquePrefix: string): JournalRecord | null {
    const exact = this.recordWith(idOrUniquePrefix);
    if (exact !== null) return exact;
    const [only, ...others] = this.#lines.filter(({ id }) => id.startsWith(idOrUniquePrefix));
    return only === undefined || others.length > 0 ? null : this.#recordOf(only);
  }

  /** The record with exactly this id. */
  recordWith(id: string): JournalRecord | null {
    const saved = this.#lines[this.placeOf(id) ?? this.#lines.length];
    return saved === undefined ? null : this.#recordOf(saved);
  }

  /** A record and up to this many before it, oldest first. */
  upTo({ id }: JournalRecord, before: number): JournalRecord[] {
    const place = this.placeOf(id) ?? 0;
    return this.#recordsOf(this.#lines.slice(Math.max(0, place - before), place + 1));
  }

  /** The index of the record with this id; null if there is none. */
  placeOf(id: string): number | null {
    return this.#places.get(id) ?? null;
  }

  /** The index of the first record at this time or later. */
  placeSince(time: number): number {
    const place = this.#lines.findIndex((saved) => this.#timeOf(saved) >= time);
    return place < 0 ? this.#lines.length : place;
  }

  /**
   * All records from an index on, oldest first.
   * @throws the reason of the signal once it is aborted
   */
  async records(signal: AbortSignal, from = 0): Promise<JournalRecord[]> {
    const lines = this.#lines.slice(Math.max(0, from));
    const turns = Array.from({ length: Math.ceil(lines.length / TURN_LINES) }, (_, turn) => turn * TURN_LINES);
    const parsed = await mapYielding(turns, signal, (start) => this.#recordsOf(lines.slice(start, start + TURN_LINES)));
    return parsed.flat();
  }

  #recordsOf(lines: readonly SavedLine[]): JournalRecord[] {
    return lines.flatMap((saved) => this.#recordOf(saved) ?? []);
  }

  #recordOf(saved: SavedLine): JournalRecord | null {
    if (saved.record !== undefined) return saved.record;
    const content = parseJournalLine(saved.line);
    const isRecord = content !== null && typeof content !== "string";
    if (!isRecord) this.#unreadable += 1;
    saved.record = isRecord ? content : null;
    return saved.record;
  }

  #timeOf(saved: SavedLine): number {
    const time = saved.record === undefined ? timeOfLine(saved.line) : Number.NaN;
    if (!Number.isNaN(time)) return time;
    const record = this.#recordOf(saved);
    return record === null ? Number.NaN : Date.parse(timeOfRecord(record));
  }
}
