import type { Exchange } from "./exchange.ts";

/** The end of one login, written once, after its exchanges. */
export interface LoginRecord {
  readonly type: "login";
  readonly id: string;
  /** When the login ended, ISO 8601 in UTC. */
  readonly at: string;
  readonly user: { readonly id: number; readonly role: string };
  readonly outcome: "granted" | "denied" | "needs-user";
  readonly deniedBy: string | null;
  readonly reason: string | null;
  /** Ids of the exchanges that the login made, in order. */
  readonly exchanges: readonly string[];
}

/** One line of the journal. */
export type JournalRecord = Exchange | LoginRecord;
