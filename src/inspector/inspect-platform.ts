import type { Choices } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import { type Journal, KEPT_RECORDS } from "../journal/journal.ts";
import type { AddRoutes } from "../web/routes.ts";
import type { Inspected } from "./inspected.ts";
import { inspectorRoutes } from "./inspector-routes.ts";
import { pageFileRoutes } from "./page-file-routes.ts";

/** Entries kept for pages that connect later; exchanges older than the journal's memory cannot be opened. */
const MOST_ENTRIES_OF_RUN = 4 * KEPT_RECORDS;

/** What the inspector sees of a running platform. */
interface InspectedPlatform {
  readonly config: Config;
  readonly choices: Choices;
  readonly journal: Journal;
  /** The public keys of all tokens (RFC 7517). */
  jwks(): Promise<{ readonly keys: readonly unknown[] }>;
  readonly context: { readonly baseUrl: () => string };
}

/** Serves the inspector of a running platform to holders of the token of this run. */
export function inspectPlatform(
  server: Parameters<AddRoutes<unknown>>[0],
  { config, choices, journal, jwks, context }: InspectedPlatform,
  token: string,
): void {
  pageFileRoutes(server);
  let inspected: Promise<Inspected> | null = null;
  let stop = () => {};
  const load = async (): Promise<Inspected> => {
    const { Feed } = await import("./feed.ts");
    const feed = new Feed({ config, choices }, MOST_ENTRIES_OF_RUN);
    for (const record of journal.list()) feed.add(record);
    stop = journal.subscribe((record) => feed.add(record));
    const publicKeys = async () => (await jwks()).keys;
    const facts = { config, choices, records: journal.list, find: journal.find };
    return { ...facts, feed, publicKeys, url: context.baseUrl, directory: null };
  };
  server.addHook("onClose", async () => stop());
  server.register(async (scope) =>
    inspectorRoutes(
      scope,
      () => {
        inspected ??= load();
        return inspected;
      },
      token,
    ),
  );
}
