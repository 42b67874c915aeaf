import type { FeedEntry, GroupView, RowView } from "../view.ts";
import { type Server, ServerError } from "./server.ts";

export type Connection = "connecting" | "live" | "lost" | "refused";

/** What the list shows at a moment. A new object after each change. */
export interface JournalState {
  /** Rows in the order in which they happened. */
  readonly rows: readonly RowView[];
  readonly groups: ReadonlyMap<string, GroupView>;
  readonly connection: Connection;
  readonly isPaused: boolean;
  /** Rows that came while the list was paused. */
  readonly waiting: number;
}

const RETRY_MS = 1000;
const LONG_ROWS = 5000;
const LONG_MS = 250;

/** The journal as the page has it, which follows the platform and survives a lost connection. */
export class JournalStore {
  readonly #server: Server;
  readonly #rows = new Map<string, RowView>();
  readonly #groups = new Map<string, GroupView>();
  readonly #listeners = new Set<() => void>();
  #held: FeedEntry[] = [];
  #state: JournalState = { rows: [], groups: new Map(), connection: "connecting", isPaused: false, waiting: 0 };
  #isScheduled = false;
  #lastId = "";

  constructor(server: Server) {
    this.#server = server;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): JournalState => this.#state;

  row(id: string): RowView | null {
    return this.#rows.get(id) ?? null;
  }

  /** Pauses the list, or resumes it with everything that came meanwhile. */
  pause(isPaused: boolean): void {
    const held = this.#held;
    if (!isPaused) {
      this.#held = [];
      this.#apply(held);
    }
    this.#change({ isPaused, waiting: 0 });
  }

  /** Follows the platform for as long as the page is open. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#server.follow(
          this.#lastId,
          { onReset: this.#reset, onEntries: this.#take, onComplete: () => this.#change({ connection: "live" }) },
          signal,
          (id) => {
            this.#lastId = id;
          },
        );
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ServerError && (error.status === 401 || error.status === 403)) {
          this.#change({ connection: "refused" });
          return;
        }
      }
      this.#change({ connection: "lost" });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  readonly #reset = (): void => {
    this.#rows.clear();
    this.#groups.clear();
    this.#held = [];
    this.#publish();
  };

  readonly #take = (entries: readonly FeedEntry[]): void => {
    if (this.#state.isPaused) {
      for (const entry of entries) this.#held.push(entry);
      this.#change({ waiting: this.#held.filter((entry) => "row" in entry).length });
    } else this.#apply(entries);
  };

  #apply(entries: readonly FeedEntry[]): void {
    for (const entry of entries) {
      if ("row" in entry) this.#rows.set(entry.row.id, entry.row);
      else {
        this.#groups.set(entry.group.id, entry.group);
        for (const id of entry.group.claims) {
          const row = this.#rows.get(id);
          if (row !== undefined) this.#rows.set(id, { ...row, group: entry.group.id });
        }
      }
    }
    this.#publish();
  }

  /** Publishes everything that came since the last time at once; a long list is rebuilt less often. */
  #publish(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const show = () => {
      this.#isScheduled = false;
      this.#change({ rows: [...this.#rows.values()], groups: new Map(this.#groups) });
    };
    if (this.#rows.size < LONG_ROWS) requestAnimationFrame(show);
    else setTimeout(show, LONG_MS);
  }

  #change(change: Partial<JournalState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
