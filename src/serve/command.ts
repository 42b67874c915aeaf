import { once } from "node:events";
import { unwatchFile, watchFile } from "node:fs";
import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import type { Config } from "../config/schema.ts";
import type { JournalRecord } from "../journal/record.ts";
import { Redactor, redactText } from "../journal/redact.ts";
import { recordForJson, withoutOwnCredentials } from "../log/log-records.ts";
import { exitCodes } from "../output/exit-code.ts";
import { fitLines } from "../output/fit-lines.ts";
import { isCi } from "../output/is-ci.ts";
import { jsonLine } from "../output/json.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import type { Paint } from "../output/paint.ts";
import { tell, tellWarning } from "../output/tell.ts";
import { manifestSource } from "../platform/manifests.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { guardCallbackPath, loginPath } from "../web/login-paths.ts";
import type { ServeFlags } from "./action.ts";
import type { KeyedPlatform } from "./keys/key-actions.ts";
import type { Keyboard } from "./keys/keyboard.ts";
import { type Drawing, Transcript } from "./keys/transcript.ts";
import { liveEntry, liveHead, liveLines } from "./live-text.ts";
import { type ServedPlatform, type ServedSimulator, servePlatform } from "./serve-platform.ts";
import { manifestNewsText, type ServeFacts, serveText } from "./serve-text.ts";
import { clockText, faultsLine } from "./steer-text.ts";

/** Short enough for a person who saves a file, and cheap. */
const WATCH_INTERVAL_MS = 500;

type ServeCall = Pick<CommandCall<ServedSimulator>, "invocation" | "startSimulator"> & { readonly flags: ServeFlags };

/** What a command does while its platform is up. */
interface Serving {
  readonly command: ServeFacts["command"];
  /** @throws UsageError before anything is printed about the platform */
  readonly require?: (config: Config) => Promise<void>;
  readonly facts: (facts: ServeFacts, paint: Paint) => string[];
  /** @param ended aborted when the platform has to end */
  readonly whileUp: (served: Served, ended: AbortSignal) => Promise<number>;
}

/** The running platform, for the command that serves it. */
export interface Served {
  readonly config: Config;
  readonly simulator: ServedSimulator;
  /** Reads the manifests of all apps and reports what is new or wrong. */
  readonly readManifests: () => void;
  /** Prints above the footer, if there is one. */
  readonly invocation: Invocation;
  /** Whether keys are read, so that no other program can use the keyboard. */
  readonly hasKeys: boolean;
}

/** `app-sim serve` */
export function serveCommand(call: CommandCall<ServedSimulator, ServeFlags>): Promise<number> {
  return serveWhile(call, {
    command: "serve",
    facts: serveText,
    whileUp: async ({ readManifests }, ended) => {
      readManifests();
      if (!ended.aborted) await once(ended, "abort");
      return exitCodes.asExpected;
    },
  });
}

/** Serves the platform, and shows what happens on it, while something else runs; resolves with its exit code. */
export async function serveWhile(call: ServeCall, serving: Serving): Promise<number> {
  const { invocation } = call;
  const code = await serveAndShow(call, serving);
  // The terminal shows ^C on this row.
  if (invocation.isInteractive && invocation.signal.aborted) invocation.err("\n");
  tell(invocation, "The platform has ended.");
  return code;
}

async function serveAndShow(call: ServeCall, { command, require, facts: textOf, whileUp }: Serving): Promise<number> {
  const screen: { keyboard: Keyboard | null; isBusy: () => boolean } = { keyboard: null, isBusy: () => false };
  // While the footer is shown, output goes above it.
  const transcript = new Transcript();
  const put = (write: (text: string) => void, written: Drawing | string) => {
    if (screen.keyboard !== null) return screen.keyboard.write(written);
    transcript.add(written);
    write(typeof written === "string" ? written : written(widthOf(call.invocation)));
  };
  const above = (write: (text: string) => void) => (text: string | Uint8Array) => put(write, text.toString());
  const { out: plainOut, err: plainErr } = call.invocation;
  const invocation = { ...call.invocation, out: above(plainOut), err: above(plainErr) };
  const { format, out, paint } = invocation;
  const stopped = new AbortController();
  const ended = AbortSignal.any([invocation.ended, stopped.signal]);
  await using platform = await servePlatform(command, { ...call, invocation }, call.flags, {
    onManifest: (news, hidden) => {
      for (const line of manifestNewsText(news)) tell(invocation, redactText(line, hidden));
    },
    onSteered: (what) => {
      const { clock, oauth } = platform.simulator;
      const state = what === "clock" ? clockText(clock.state()) : faultsLine(oauth.faults.list());
      tell(invocation, `${what}: ${state}`);
      screen.keyboard?.steered();
    },
  });
  const { simulator, config, secrets } = platform;
  if (ended.aborted) return exitCodes.asExpected;
  await require?.(config);
  invocation.expectInterrupt();
  const facts = factsOf(command, simulator, config, platform.inspector);
  if (format === "json") out(jsonLine(facts));
  else put(plainOut, (width) => `${fitLines(textOf(facts, { ...paint, width }), width).join("\n")}\n`);
  if (call.flags.open === true) openInBrowser(platform.inspector);

  const { journal } = simulator;
  const redactor = new Redactor(secrets);
  let isFirst = true;
  const showLive = (record: JournalRecord) => {
    const entry = liveEntry(record, redactor);
    if (entry === null) return;
    if (isFirst) put(plainOut, (width) => `${liveHead({ ...paint, width })}\n`);
    isFirst = false;
    put(plainOut, (width) => `${liveLines(entry, { ...paint, width }).join("\n")}\n`);
  };
  const show = (record: JournalRecord) => {
    const shown = withoutOwnCredentials(record, journal.find);
    if (format === "json") out(jsonLine(recordForJson(shown, redactor)));
    else if (!screen.isBusy()) showLive(shown);
    // An exchange may have used up a fault.
    screen.keyboard?.steered();
  };
  for (const record of journal.list()) show(record);
  journal.subscribe(show);

  const readManifests = () => void readAll(simulator, invocation);
  const files = config.apps.map(manifestSource).filter((source) => !isHttpUrl(source));
  // Polled, because then it does not matter how an editor or a build replaces a file, or its directory.
  for (const file of files) watchFile(file, { interval: WATCH_INTERVAL_MS }, readManifests);
  const keyboard = await keyboardOf({ flags: call.flags, invocation, transcript }, platform, () => stopped.abort());
  // Hides what is interrupted at the end, too.
  if (keyboard !== null) Object.assign(screen, { keyboard, isBusy: keyboard.isBusy });
  try {
    return await whileUp({ config, simulator, readManifests, invocation, hasKeys: keyboard !== null }, ended);
  } finally {
    for (const file of files) unwatchFile(file, readManifests);
    await keyboard?.[Symbol.asyncDispose]();
    screen.keyboard = null;
  }
}

/** A terminal may be resized. */
function widthOf({ terminal, paint }: Invocation): number {
  return terminal?.stdout.columns || paint.width;
}

/** The keyboard, if a user at a terminal wants keys; null otherwise. */
async function keyboardOf(
  {
    flags: { keys },
    invocation,
    transcript,
  }: { readonly flags: ServeFlags; readonly invocation: Invocation; readonly transcript: Transcript },
  { simulator, config, secrets, newInspectorLink }: ServedPlatform,
  onEnd: () => void,
): Promise<Keyboard | null> {
  const { terminal, format, env } = invocation;
  if (terminal === null || format !== "text" || keys === false || isCi(env)) return null;
  const { startKeyboard } = await import("./keys/keyboard.ts");
  return startKeyboard({
    ...{ invocation, terminal, transcript, config, onEnd, url: simulator.url, inspector: newInspectorLink },
    loginLink: simulator.url + loginPath(config.organization.domain),
    // A served simulator has every method.
    platform: simulator as unknown as KeyedPlatform,
    steered: () => ({ clock: simulator.clock.state(), faults: simulator.oauth.faults.list() }),
    redact: (text) => redactText(text, secrets),
  });
}

/** Invalid manifests are reported by `onManifest`; any other error is a bug. */
async function readAll(simulator: ServedSimulator, invocation: Invocation): Promise<void> {
  try {
    await simulator.manifest();
  } catch (error) {
    if (!(error instanceof UsageError)) tellWarning(invocation, `a bug in app-sim, please report it: ${String(error)}`);
  }
}

function factsOf(
  command: ServeFacts["command"],
  simulator: ServedSimulator,
  config: Config,
  inspector: string,
): ServeFacts {
  const { url, localUrl, tls, oauth } = simulator;
  const { id, domain } = config.organization;
  return {
    command,
    url,
    localUrl,
    tls: tls === null ? null : { caFile: tls.caFile },
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
    environment: simulator.env(),
  };
}
