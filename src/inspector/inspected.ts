import type { Choices } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { Feed } from "./feed.ts";

/** What the inspector shows: the journal of a running platform, or a saved one. */
export interface Inspected {
  readonly config: Config;
  readonly choices: Choices;
  readonly feed: Feed;
  readonly records: () => readonly JournalRecord[];
  readonly find: (id: string) => JournalRecord | null;
  /** The platform's public keys; empty for a saved journal. */
  readonly publicKeys: () => Promise<readonly unknown[]>;
  /** Address of the running platform; null: a saved journal. */
  readonly url: (() => string) | null;
  /** The directory of a saved journal; null for a running platform's. */
  readonly directory: string | null;
}
