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

/** What the platform decided about one request to its authorization server or REST API, written after its exchange. */
export interface OAuthRecord {
  readonly type: "oauth";
  readonly id: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly step: OAuthStep;
  /** Client id, as far as it is known. */
  readonly client: string | null;
  /** In whose name, as far as it is known. */
  readonly user: { readonly id: number; readonly role: string } | null;
  /** `asked`: the user has not decided yet. */
  readonly outcome: "ok" | "asked" | "refused";
  /** The code that the app was told, such as invalid_grant, or an HTTP status. */
  readonly error: string | null;
  readonly reason: string | null;
  /** What to try, where the app is not told. */
  readonly hint: string | null;
  readonly warnings: readonly string[];
  /** Id of the exchange. */
  readonly exchange: string;
}

export type OAuthStep =
  | "authorize"
  | "consent"
  | "exchange"
  | "refresh"
  | "installation"
  | "token"
  | "revoke"
  | "introspect"
  | "api";

/** One line of the journal. */
export type JournalRecord = Exchange | LoginRecord | OAuthRecord;
