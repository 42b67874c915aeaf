import { once } from "node:events";
import type { Config } from "../config/schema.ts";
import type { ManifestNews, RunningSimulator } from "../index.ts";
import type { JournalRecord } from "../journal/record.ts";
import { redactText } from "../journal/redact.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { jsonLine } from "../report/json.ts";
import { recordForJson, withoutOwnCredentials } from "../report/log-records.ts";
import { logLine } from "../report/log-text.ts";
import { manifestNewsText, type ServeFacts, serveText } from "../report/serve-text.ts";
import { manifestSource } from "../simulator/manifests.ts";
import { variablesFor } from "./env.ts";
import type { Invocation } from "./invocation.ts";
import type { ServeFlags } from "./serve-flags.ts";
import { servePlatform } from "./serve-platform.ts";
import { watchFiles } from "./serve-watch.ts";

/** `app-sim serve` */
export async function serve(invocation: Invocation, flags: ServeFlags): Promise<number> {
  const { format, out, err, paint, signal } = invocation;
  const tellManifest = (news: ManifestNews, hidden: readonly string[]) => {
    for (const line of manifestNewsText(news)) err(`${redactText(line, hidden)}\n`);
  };
  await using platform = await servePlatform(invocation, flags, tellManifest);
  const { simulator, config, secrets } = platform;
  if (signal.aborted) return 0;
  const facts = factsOf(simulator, config);
  out(format === "json" ? jsonLine(facts) : `${serveText(facts, paint).join("\n")}\n`);

  const { journal } = simulator;
  const show = (record: JournalRecord) => {
    const shown = withoutOwnCredentials(record, journal.list());
    const line = format === "json" ? jsonLine(recordForJson(shown, secrets)) : logLine(shown, secrets, paint);
    if (line !== null) out(format === "json" ? line : `${line}\n`);
  };
  for (const record of journal.list()) show(record);
  journal.subscribe(show);

  const readManifests = () => void readAll(simulator, err);
  const files = config.apps.map(manifestSource).filter((source) => !isHttpUrl(source));
  using _watching = watchFiles(files, readManifests, (message) => err(`warning: ${message}\n`));
  readManifests();
  await once(signal, "abort");
  return 0;
}

/** What comes of it is told as news; only what is nobody's mistake is left to be said here. */
async function readAll(simulator: RunningSimulator, err: Invocation["err"]): Promise<void> {
  try {
    await simulator.manifest();
  } catch (error) {
    if (!(error instanceof UsageError)) err(`warning: a bug of app-sim, please report it: ${String(error)}\n`);
  }
}

function factsOf({ url, oauth }: RunningSimulator, config: Config): ServeFacts {
  const { id, domain } = config.organization;
  return {
    command: "serve",
    url,
    addresses: {
      authorize: `${url}/oauth/authorize`,
      token: `${url}/oauth/token`,
      projects: `${url}/api/v2/projects`,
      guardCallback: `${url}/${domain}/guard/callback`,
      login: `${url}/${domain}/login`,
      script: `${url}/host.js`,
      metadata: `${url}/.well-known/oauth-authorization-server`,
    },
    organization: { id, domain },
    consent: config.oauth.consent,
    apps: config.apps,
    faults: oauth.faults.list().map(({ fault }) => fault),
    journal: config.journal,
    environment: variablesFor(config, "PLATFORM_"),
  };
}
