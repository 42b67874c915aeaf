import type { App, Config } from "../config/schema.ts";
import type { JournalRecord, OAuthRecord } from "../journal/record.ts";
import type { SimulatorContext } from "./context.ts";

/** The app's own requests to the platform during a call to it. */
interface OwnRequests {
  /** The decisions about them so far; later ones are not added. */
  end(): readonly OAuthRecord[];
}

/** Records what the platform decides about requests of this app, or of a client that is not configured. */
export function listenForRequests({ journal, config }: SimulatorContext, app: App): OwnRequests {
  const decisions: OAuthRecord[] = [];
  const isOwn = isDecisionAbout(app, config);
  const stop = journal.subscribe((record) => {
    if (isOwn(record)) decisions.push(record);
  });
  return {
    end: () => {
      stop();
      return decisions;
    },
  };
}

/** Whether a record is a decision about a request of this app, or of a client that is not configured. */
export function isDecisionAbout(app: App, { apps }: Config): (record: JournalRecord) => record is OAuthRecord {
  const others = new Set(apps.map(({ clientId }) => clientId).filter((clientId) => clientId !== app.clientId));
  return (record): record is OAuthRecord =>
    record.type === "oauth" && (record.client === null || !others.has(record.client));
}

/** Why the platform refused one of these requests, which may be why the app failed; null if it refused none. */
export function refusalAmong(decisions: readonly OAuthRecord[]): string | null {
  const refused = decisions.findLast(({ outcome }) => outcome === "refused");
  if (refused === undefined) return null;
  const { step, error, reason, hint } = refused;
  const what = step === "api" ? "called the REST API" : "asked for a token";
  const why = [error, reason].filter((each) => each !== null).join(": ");
  return `meanwhile the app ${what} and was refused: ${why}${hint === null ? "" : ` (${hint})`}`;
}
