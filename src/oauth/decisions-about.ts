import type { App, Config } from "../config/schema.ts";
import type { JournalRecord, OAuthRecord } from "../journal/record.ts";

/** Tells whether a record is a decision about a request of this app, or of a client that is not configured. */
export function isDecisionAbout(app: App, { apps }: Config): (record: JournalRecord) => record is OAuthRecord {
  const others = new Set(apps.map(({ clientId }) => clientId).filter((clientId) => clientId !== app.clientId));
  return (record): record is OAuthRecord =>
    record.type === "oauth" && (record.client === null || !others.has(record.client));
}
