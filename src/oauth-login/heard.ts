import type { App } from "../config/schema.ts";
import { type IssuedSecret, issuedSecrets } from "../journal/issued-secrets.ts";
import type { Journal } from "../journal/journal.ts";
import type { JournalRecord, OAuthRecord } from "../journal/record.ts";
import type { AppVisit, PlatformRequest } from "./checks/oauth-login-facts.ts";

/** What the journal gets to hear during one login. */
export interface Heard {
  /** A place in what was heard so far. */
  mark(): number;
  /** What the app asked of the platform since then, and the exchanges of both with the given ones, in order. */
  since(mark: number, visited: readonly string[]): Pick<AppVisit, "requests" | "exchanges">;
  /** The last decision of this kind about the app. */
  last(step: OAuthRecord["step"]): OAuthRecord | null;
  issued(): IssuedSecret[];
  stop(): void;
}

/**
 * Listens to the journal.
 * @param others clients that are not this app, whose requests are left out
 */
export function hear(journal: Journal, app: App, apps: readonly App[]): Heard {
  const records: JournalRecord[] = [];
  const others = new Set(apps.flatMap(({ clientId }) => (clientId === app.clientId ? [] : [clientId])));
  const stop = journal.subscribe((record) => records.push(record));
  const isOwn = (record: JournalRecord): record is OAuthRecord =>
    record.type === "oauth" && (record.client === null || !others.has(record.client));
  const requestOf = (record: OAuthRecord): PlatformRequest[] => {
    const exchange = records.find(({ id }) => id === record.exchange);
    return exchange?.type === "exchange" ? [{ record, exchange }] : [];
  };
  return {
    mark: () => records.length,
    since: (mark, visited) => {
      const requests = records
        .slice(mark)
        .filter(isOwn)
        .filter(({ step }) => step !== "authorize" && step !== "consent")
        .flatMap(requestOf);
      const ids = new Set([...visited, ...requests.map(({ exchange }) => exchange.id)]);
      return { requests, exchanges: records.flatMap(({ id }) => (ids.has(id) ? [id] : [])) };
    },
    last: (step) => records.filter(isOwn).findLast((record) => record.step === step) ?? null,
    issued: () => records.flatMap((record) => (record.type === "exchange" ? issuedSecrets(record) : [])),
    stop,
  };
}
