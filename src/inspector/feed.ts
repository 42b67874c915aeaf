import type { LoadedConfig } from "../config/load.ts";
import { secretsOf } from "../config/secrets.ts";
import { createListeners } from "../journal/listeners.ts";
import type { JournalRecord, VerificationRecord } from "../journal/record.ts";
import { Grouping } from "./grouping.ts";
import { Rows } from "./rows.ts";
import type { FeedEntry, GroupView, RowView } from "./view.ts";

/** Entries kept for pages that connect later: as many as a large journal has. */
const MOST_ENTRIES = 400_000;

/** A row, and the number of the latest entry with it. */
interface KeptRow {
  readonly row: RowView;
  readonly entry: number;
}

/** The growing list: every entry has a number, from which a page continues after a lost connection. */
export class Feed {
  readonly #rows: Rows;
  readonly #grouping = new Grouping();
  readonly #entries: FeedEntry[] = [];
  readonly #mostEntries: number;
  readonly #kept = new Map<string, KeptRow>();
  readonly #listeners = createListeners<[]>();
  /** How many entries have been dropped. */
  #dropped = 0;

  /** @param mostEntries entries to keep; a row, and what is known about it, is dropped with its last entry */
  constructor({ config, choices }: Pick<LoadedConfig, "config" | "choices">, mostEntries = MOST_ENTRIES) {
    this.#rows = new Rows(config.apps, choices, secretsOf(config));
    this.#mostEntries = mostEntries;
  }

  /** The sizes of everything that is kept. */
  get counts(): Readonly<Record<string, number>> {
    return { entries: this.#entries.length, rows: this.#kept.size, ...this.#grouping.counts };
  }

  /** The number of the next entry. */
  get end(): number {
    return this.#dropped + this.#entries.length;
  }

  /** The number of the first entry that is kept. */
  get start(): number {
    return this.#dropped;
  }

  /** Up to `most` entries from this number on. */
  from(number: number, most: number): readonly FeedEntry[] {
    const first = Math.max(0, number - this.#dropped);
    return this.#entries.slice(first, first + most);
  }

  /** Calls the listener when there are more entries; the returned function removes it. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  row(id: string): RowView | null {
    return this.#kept.get(id)?.row ?? null;
  }

  group(id: string): { readonly group: GroupView; readonly rows: readonly RowView[] } | null {
    const group = this.#grouping.find(id);
    if (group === null) return null;
    const rows = [...this.#kept.values()].map(({ row }) => row);
    return { group, rows: rows.filter((row) => row.group === id) };
  }

  add(record: JournalRecord): void {
    const { group, groups } = this.#grouping.place(record);
    for (const each of groups) {
      this.#push({ group: each });
      for (const id of each.claims) {
        const claimed = this.#kept.get(id);
        if (claimed !== undefined) this.#kept.set(id, { ...claimed, row: { ...claimed.row, group: each.id } });
      }
    }
    const decided = record.type === "oauth" ? this.row(record.exchange) : null;
    const row =
      record.type === "oauth" && decided !== null
        ? this.#rows.decided(decided, record)
        : this.#rows.rowOf(record, group);
    this.#replace(row);
    if (record.type === "verification") for (const failed of this.#failedRows(record)) this.#replace(failed);
    this.#listeners.notify();
  }

  #replace(row: RowView): void {
    this.#kept.set(row.id, { row, entry: this.end });
    this.#push({ row });
  }

  /** The rows that made a check fail: an app that accepts an invalid request answers it like a valid one. */
  #failedRows({ checks }: VerificationRecord): RowView[] {
    return checks.flatMap(({ result, twin, exchanges: [first], id, reason }) => {
      const row = result === "fail" ? this.row(twin ?? first ?? "") : null;
      return row === null ? [] : [this.#rows.failed(row, id, reason)];
    });
  }

  #push(entry: FeedEntry): void {
    this.#entries.push(entry);
    while (this.#entries.length > this.#mostEntries) this.#drop();
  }

  #drop(): void {
    const number = this.#dropped;
    const entry = this.#entries.shift();
    this.#dropped += 1;
    if (entry === undefined) return;
    if ("row" in entry) {
      const { id } = entry.row;
      if (this.#kept.get(id)?.entry !== number) return;
      this.#kept.delete(id);
      this.#grouping.forget(id);
    } else if (this.#grouping.find(entry.group.id) === entry.group) {
      // Pages that connect later need the groups of the rows that are still kept.
      this.#entries.push({ group: this.#grouping.renew(entry.group) });
    }
  }
}
