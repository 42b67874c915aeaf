import type { LoadedConfig } from "../config/load.ts";
import { secretsOf } from "../config/secrets.ts";
import { createListeners } from "../journal/listeners.ts";
import type { JournalRecord, VerificationRecord } from "../journal/record.ts";
import { Grouping } from "./grouping.ts";
import { Rows } from "./rows.ts";
import type { FeedEntry, GroupView, RowView } from "./view.ts";

/** Entries that are kept for pages that come later: more than any journal in memory makes. */
const MOST_ENTRIES = 400_000;

/** The list as it grows: every entry has a number, from which a page that lost its connection goes on. */
export class Feed {
  readonly #rows: Rows;
  readonly #grouping = new Grouping();
  readonly #entries: FeedEntry[] = [];
  readonly #rowOf = new Map<string, RowView>();
  readonly #listeners = createListeners<[]>();
  /** How many entries are no longer kept. */
  #dropped = 0;

  constructor({ config, choices }: Pick<LoadedConfig, "config" | "choices">) {
    this.#rows = new Rows(config.apps, choices, secretsOf(config));
  }

  /** The number of the next entry. */
  get end(): number {
    return this.#dropped + this.#entries.length;
  }

  /** The number of the first entry that is kept. */
  get start(): number {
    return this.#dropped;
  }

  /** Entries from this number on, at most so many. */
  from(number: number, most: number): readonly FeedEntry[] {
    const first = Math.max(0, number - this.#dropped);
    return this.#entries.slice(first, first + most);
  }

  /** Calls the listener when there are more entries; the returned function removes it. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  row(id: string): RowView | null {
    return this.#rowOf.get(id) ?? null;
  }

  group(id: string): { readonly group: GroupView; readonly rows: readonly RowView[] } | null {
    const group = this.#grouping.find(id);
    return group && { group, rows: [...this.#rowOf.values()].filter((row) => row.group === id) };
  }

  add(record: JournalRecord): void {
    const { group, groups } = this.#grouping.place(record);
    for (const each of groups) {
      this.#push({ group: each });
      for (const id of each.claims) {
        const claimed = this.#rowOf.get(id);
        if (claimed !== undefined) this.#rowOf.set(id, { ...claimed, group: each.id });
      }
    }
    const decided = record.type === "oauth" ? this.#rowOf.get(record.exchange) : undefined;
    const row =
      record.type === "oauth" && decided !== undefined
        ? this.#rows.decided(decided, record)
        : this.#rows.rowOf(record, group);
    this.#replace(row);
    if (record.type === "verification") for (const failed of this.#failedRows(record)) this.#replace(failed);
    this.#listeners.notify();
  }

  #replace(row: RowView): void {
    this.#rowOf.set(row.id, row);
    this.#push({ row });
  }

  /** What a check was failed by: an app that takes a wrong request answers it as a right one. */
  #failedRows({ checks }: VerificationRecord): RowView[] {
    return checks.flatMap(({ result, twin, exchanges: [first], id, reason }) => {
      const row = result === "fail" ? this.#rowOf.get(twin ?? first ?? "") : undefined;
      return row === undefined ? [] : [this.#rows.failed(row, id, reason)];
    });
  }

  #push(entry: FeedEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length <= MOST_ENTRIES) return;
    this.#dropped += 1;
    this.#entries.shift();
  }
}
