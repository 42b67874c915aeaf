import { once } from "node:events";
import { unwatchFile, watchFile } from "node:fs";
import type { CommandCall } from "../action/command-call.ts";
import type { Config } from "../config/schema.ts";
import type { JournalRecord } from "../journal/record.ts";
import { Redactor, redactText } from "../journal/redact.ts";
import { recordForJson, withoutOwnCredentials } from "../log/log-records.ts";
import { jsonLine } from "../output/json.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import { tell } from "../output/tell.ts";
import { manifestSource } from "../platform/manifests.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { variablesFor } from "../settings/variables.ts";
import { guardCallbackPath, loginPath } from "../web/login-paths.ts";
import type { ServeFlags } from "./action.ts";
import { liveLines } from "./live-text.ts";
import { type ServedSimulator, servePlatform } from "./serve-platform.ts";
import { manifestNewsText, type ServeFacts, serveText } from "./serve-text.ts";
import { clockText, faultsLine } from "./steer-text.ts";

/** Soon enough for a person who saves a file, and cheap. */
const WATCH_INTERVAL_MS = 500;

/** `app-sim serve` */
export async function serveCommand(call: CommandCall<ServedSimulator, ServeFlags>): Promise<number> {
  const { invocation } = call;
  await serveUntilAborted(call);
  // The terminal shows ^C on this row.
  if (invocation.isInteractive && invocation.signal.aborted) invocation.err("\n");
  tell(invocation, "The platform has ended.");
  return 0;
}

async function serveUntilAborted(call: CommandCall<ServedSimulator, ServeFlags>): Promise<void> {
  const { invocation } = call;
  const { format, out, paint } = invocation;
  const ended = AbortSignal.any([invocation.signal, invocation.outClosed]);
  await using platform = await servePlatform("serve", call, call.flags, {
    onManifest: (news, hidden) => {
      for (const line of manifestNewsText(news)) tell(invocation, redactText(line, hidden));
    },
    onSteered: (what) => {
      const { clock, oauth } = platform.simulator;
      const state = what === "clock" ? clockText(clock.state()) : faultsLine(oauth.faults.list());
      tell(invocation, `${what}: ${state}`);
    },
  });
  const { simulator, config, secrets } = platform;
  if (ended.aborted) return;
  invocation.expectInterrupt();
  const facts = factsOf(simulator, config, platform.inspector);
  out(format === "json" ? jsonLine(facts) : `${serveText(facts, paint).join("\n")}\n`);
  if (call.flags.open === true) openInBrowser(platform.inspector);

  const { journal } = simulator;
  const redactor = new Redactor(secrets);
  const show = (record: JournalRecord) => {
    const shown = withoutOwnCredentials(record, journal.find);
    if (format === "json") out(jsonLine(recordForJson(shown, redactor)));
    else for (const line of liveLines(shown, secrets, paint)) out(`${line}\n`);
  };
  for (const record of journal.list()) show(record);
  journal.subscribe(show);

  const warn = (message: string) => tell(invocation, `warning: ${message}`);
  const readManifests = () => void readAll(simulator, warn);
  const files = config.apps.map(manifestSource).filter((source) => !isHttpUrl(source));
  // Polled, because then it does not matter how an editor or a build replaces a file, or its directory.
  for (const file of files) watchFile(file, { interval: WATCH_INTERVAL_MS }, readManifests);
  readManifests();
  try {
    await once(ended, "abort");
  } finally {
    for (const file of files) unwatchFile(file, readManifests);
  }
}

/** Wrong manifests are reported by `onManifest`; any other error is a bug. */
async function readAll(simulator: ServedSimulator, warn: (message: string) => void): Promise<void> {
  try {
    await simulator.manifest();
  } catch (error) {
    if (!(error instanceof UsageError)) warn(`a bug of app-sim, please report it: ${String(error)}`);
  }
}

function factsOf({ url, oauth }: ServedSimulator, config: Config, inspector: string): ServeFacts {
  const { id, domain } = config.organization;
  return {
    command: "serve",
    url,
    addresses: {
      authorize: `${url}/oauth/authorize`,
      token: `${url}/oauth/token`,
      projects: `${url}/api/v2/projects`,
      guardCallback: url + guardCallbackPath(domain),
      login: url + loginPath(domain),
      script: `${url}/host.js`,
      metadata: `${url}/.well-known/oauth-authorization-server`,
    },
    inspector,
    organization: { id, domain },
    consent: config.oauth.consent,
    apps: config.apps,
    faults: oauth.faults.list().map(({ fault }) => fault),
    journal: config.journal,
    environment: variablesFor(config, "PLATFORM_"),
  };
}
