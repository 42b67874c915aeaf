import type { App } from "../config/schema.ts";
import { type IssuedSecret, issuedSecrets } from "../journal/issued-secrets.ts";
import type { JournalRecord, OAuthRecord } from "../journal/record.ts";
import { isDecisionAbout } from "../oauth/decisions-about.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { AppVisit, PlatformRequest } from "./checks/oauth-login-facts.ts";

/** What an app asks of the platform during one login. */
export interface PlatformRequests {
  /** The place in the record at this moment, for `since`. */
  mark(): number;
  /** What the app has asked of the platform since then, and the ids of these exchanges and the given ones, in order. */
  since(mark: number, visited: readonly string[]): Pick<AppVisit, "requests" | "exchanges">;
  /** The last decision of this kind about the app. */
  last(step: OAuthRecord["step"]): OAuthRecord | null;
  issued(): IssuedSecret[];
  /** Ends the recording. */
  stop(): void;
}

/** Records what an app asks of the platform from now on; requests of other configured apps are left out. */
export function recordPlatformRequests({ journal, config }: SimulatorContext, app: App): PlatformRequests {
  const records: JournalRecord[] = [];
  const stop = journal.subscribe((record) => records.push(record));
  const isOwn = isDecisionAbout(app, config);
  const withExchange = (record: OAuthRecord): PlatformRequest[] => {
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
        .flatMap(withExchange);
      const ids = new Set([...visited, ...requests.map(({ exchange }) => exchange.id)]);
      return { requests, exchanges: records.flatMap(({ id }) => (ids.has(id) ? [id] : [])) };
    },
    last: (step) => records.filter(isOwn).findLast((record) => record.step === step) ?? null,
    issued: () => records.flatMap((record) => (record.type === "exchange" ? issuedSecrets(record) : [])),
    stop,
  };
}
