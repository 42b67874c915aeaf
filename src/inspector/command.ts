import { once } from "node:events";
import { resolve } from "node:path";
import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { randomIds, systemClock } from "../app-client/ports.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { createJournal } from "../journal/journal.ts";
import { mapYielding } from "../journal/map-yielding.ts";
import { readJournalAt } from "../journal/read-journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { jsonLine } from "../output/json.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import { tellWarning } from "../output/tell.ts";
import { plural } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { firstInspectorCode, inspectorLink } from "../serve/inspector-link.ts";
import { PlatformClient } from "../serve/platform-client.ts";
import { findRunningPlatform } from "../serve/running-platform.ts";
import { startServer } from "../web/server.ts";
import type { InspectFlags } from "./action.ts";
import { Feed } from "./feed.ts";
import type { Inspected } from "./inspected.ts";
import { savedHome } from "./inspector-page.ts";
import { inspectorRoutes } from "./inspector-routes.ts";
import { pageFileRoutes } from "./page-file-routes.ts";

/** `app-sim inspect [JOURNAL]` */
export async function inspectCommand({
  invocation,
  args: [given],
  flags: { open = false },
}: CommandCall<never, InspectFlags>): Promise<number> {
  const { settings, env, cwd, format, out, paint } = invocation;
  const loaded = await loadConfig(settings, env, cwd);
  const show = (link: string, words: string, facts: object) => {
    const head = paint.strong(harmlessLine(words));
    out(format === "json" ? jsonLine({ command: "inspect", url: link, ...facts }) : `${head}\n  ${link}\n`);
    if (open) openInBrowser(link);
  };
  const running = given === undefined ? findRunningPlatform(loaded.config, invocation) : null;
  const code = running === null ? null : await new PlatformClient(running).inspectorCode();
  if (running !== null && code !== null) {
    const { url, command, pid } = running;
    show(inspectorLink(url, code), `The inspector of app-sim ${command} (process ${pid})`, { journal: null });
    return 0;
  }
  const journal = given === undefined ? loaded.config.journal : resolve(cwd, given);
  const records = await readAll(invocation, journal);
  const token = randomIds.secret();
  const server = await serveSaved(invocation, loaded, { records, journal, token });
  invocation.expectInterrupt();
  const count = plural(records.length, "record");
  show(inspectorLink(server.url, firstInspectorCode(token)), `${count} of ${journal} (Ctrl-C ends it)`, {
    journal,
    records: records.length,
  });
  try {
    const { ended } = invocation;
    if (!ended.aborted) await once(ended, "abort");
  } finally {
    await server.close();
  }
  return 0;
}

/** A function of its own, so that everything but the records can be freed. */
async function readAll(invocation: Invocation, path: string): Promise<readonly JournalRecord[]> {
  const journal = await readJournalAt(path);
  const records = await journal.records(invocation.signal);
  const { unreadable } = journal;
  if (unreadable > 0) tellWarning(invocation, `${plural(unreadable, "line")} of the journal cannot be read`);
  return records;
}

interface Saved {
  readonly records: readonly JournalRecord[];
  readonly journal: string;
  readonly token: string;
}

/** Serves the inspector of a saved journal, and nothing else. */
async function serveSaved(
  invocation: Invocation,
  { config, choices }: LoadedConfig,
  { records, journal, token }: Saved,
) {
  const feed = new Feed({ config, choices });
  await mapYielding(records, invocation.signal, (record) => feed.add(record));
  const byId = new Map(records.map((record) => [record.id, record]));
  const inspected: Inspected = {
    ...{ config, choices, feed, url: null, directory: journal },
    records: () => records,
    find: (id) => byId.get(id) ?? null,
    publicKeys: async () => [],
  };
  return startServer({
    port: 0,
    domain: config.organization.domain,
    home: savedHome,
    addRoutes: (server) => {
      pageFileRoutes(server);
      server.register(async (scope) => inspectorRoutes(scope, async () => inspected, token));
    },
    onBug: (id, error) => tellWarning(invocation, `bug ${id} in app-sim: ${String(error)}`),
    record: { journal: createJournal(), ids: randomIds, clock: systemClock },
  });
}
