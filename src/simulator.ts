import type { AppCall, AppGateway, Clock, Ids } from "./app-client/ports.ts";
import { waitUntilListening } from "./app-client/wait-for-app.ts";
import { createChromium } from "./browser/chromium.ts";
import type { Choices } from "./config/choices.ts";
import type { Config } from "./config/schema.ts";
import { runExplore } from "./guard/explore/explore.ts";
import { type ExploreOptions, exploreOptionsSchema } from "./guard/explore/explore-options.ts";
import type { ExploreResult } from "./guard/explore/explore-result.ts";
import { type LoginOptions, loginOptionsSchema } from "./guard/login/login-options.ts";
import { type Begun, createLogins, type Logins } from "./guard/login/logins.ts";
import { beginLogin, runLogin } from "./guard/login/run-login.ts";
import { type InstallOptions, installOptionsSchema, runInstall } from "./install/run-install.ts";
import type { Exchange } from "./journal/exchange.ts";
import type { Journal } from "./journal/journal.ts";
import type { ArtilleryExport } from "./load/export/export-artillery.ts";
import type { LoadOptions } from "./load/load-options.ts";
import type { LoadResult } from "./load/load-result.ts";
import { runManifest } from "./manifest/run-manifest.ts";
import { createOAuth, type OAuth } from "./oauth/endpoints/oauth.ts";
import { type OAuthLoginOptions, oauthLoginOptionsSchema } from "./oauth-login/oauth-login-options.ts";
import type { Progress, SimulatorContext } from "./platform/context.ts";
import { createHooks, type Hooks } from "./platform/hooks.ts";
import type { KeyStore } from "./platform/key-pairs.ts";
import { createManifestMemory, type ManifestNews } from "./platform/manifest-memory.ts";
import { checkOptions } from "./platform/options.ts";
import type { PlatformClock } from "./platform/platform-clock.ts";
import type { GuardResult, ImportResult, InstallResult, ManifestResult, OAuthLoginResult } from "./platform/results.ts";
import { createTokenSigner } from "./platform/tokens.ts";
import { createUnderWay, type UnderWay } from "./platform/under-way.ts";
import { createWaitFor, type WaitFor } from "./platform/wait-for.ts";
import type { ImportSource } from "./post-import/files/plan-jobs.ts";
import { type ImportOptions, importOptionsSchema } from "./post-import/run/import-options.ts";
import { createPatternMatcher } from "./post-import/run/match-pattern.ts";
import { createPreviews, type Previews } from "./post-import/run/previews.ts";
import type { ScenarioResult } from "./scenario/scenario-result.ts";
import { createHostedFiles, type HostedFiles } from "./web/hosted-files.ts";
import { type ChangeableDelivery, changeableSchemas } from "./webhook/changeable.ts";
import type { ReplayOptions } from "./webhook/replay.ts";
import type { SignatureResult } from "./webhook/signature-result.ts";
import { eventNamesSchema, type WebhookOptions, webhookOptionsSchema } from "./webhook/webhook-options.ts";
import type { WebhookResult } from "./webhook/webhook-result.ts";

/** What the simulator needs from outside. */
export interface SimulatorParts {
  readonly config: Config;
  readonly choices: Choices;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Turns that clock; default: it cannot be turned. */
  readonly clockFace?: PlatformClock | undefined;
  readonly ids: Ids;
  readonly gateway: AppGateway;
  /** Keeps the platform's private keys from run to run; null: this simulator has its own. */
  readonly keys?: KeyStore | null;
  /** Address of the platform, without a trailing slash; known once a server listens. */
  readonly baseUrl: () => string;
  /** Makes the platform listen, if it does not yet, and resolves with its address. Default: it is never needed. */
  readonly listen?: (() => Promise<string>) | undefined;
  /** Told of each call to the app when it begins; its end is the exchange in the journal. */
  readonly onCall?: ((call: AppCall) => void) | undefined;
  /** Told of each pause before a further attempt when it begins. */
  readonly onPause?: ((milliseconds: number) => void) | undefined;
  /** Told how far a long job has come. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Told of each manifest that is read and of what changes in it or is wrong with it; the last good one then stands
   * in for a wrong one (hardening R38). Default: an action with a wrong manifest fails.
   */
  readonly onManifest?: ((news: ManifestNews) => void) | undefined;
  /** Ends every call under way with the outcome `interrupted`. */
  readonly signal?: AbortSignal | undefined;
  /** Wrong things for the authorization server and the REST API to do, such as `token=500x2`. */
  readonly faults?: readonly string[] | undefined;
  /** For what happens by chance; the same seed makes the same happen. Default 1. */
  readonly seed?: number | undefined;
}

/** The platform, seen from the side of whoever drives it. */
export interface Simulator {
  /** One login with its guards (interface 3.1). */
  guard(options?: LoginOptions): Promise<GuardResult>;
  /** The same login, but as soon as it began: to look at it, and to act as its user. */
  login(options?: LoginOptions): Promise<Begun>;
  /** Every transition of interface 3.1 that the guards can take, by real logins. */
  explore(options?: ExploreOptions): Promise<ExploreResult>;
  /** Every login of the organization; the platform's own pages work with it. */
  readonly logins: Logins;
  /**
   * Imports files: one post-import call per job (interface 2.3, 2.4). A source is a fixture file, or a job at hand
   * with a name for it.
   */
  postImport(sources: ImportSource | readonly ImportSource[], options?: ImportOptions): Promise<ImportResult>;
  /**
   * Delivers events, in signed batches, to each webhook module that names some of them (interface 2.6, 6). No events:
   * those that the payload in `data` names.
   */
  webhook(events: string | readonly string[], options?: WebhookOptions): Promise<WebhookResult>;
  /** How the first delivery of such a run is signed; nothing is sent. */
  explainSignature(events: string | readonly string[], options?: WebhookOptions): Promise<SignatureResult>;
  /**
   * Sends an earlier delivery again: an exchange, or the id of one that the journal has in memory, or of a delivery.
   * @throws UsageError for what is no delivery, or for none of the installed apps
   */
  replay(delivery: Exchange | string, options?: ReplayOptions): Promise<WebhookResult>;
  /** Many deliveries, at a rate or as fast as so many senders get answers; not kept in the journal one by one. */
  load(events: string | readonly string[], options?: LoadOptions): Promise<LoadResult>;
  /** The same load as a test for Artillery, which runs it on many machines; nothing is delivered. */
  exportLoad(events: string | readonly string[], options?: LoadOptions): Promise<ArtilleryExport>;
  /** Takes the steps of scenario files, one file after another. */
  run(files: string | readonly string[]): Promise<ScenarioResult>;
  /**
   * The oldest exchange that matches and that was not waited for before: one that is there already, else the next.
   * @throws UsageError when the time is over, with what came instead
   */
  readonly waitFor: WaitFor;
  /** Changes the next list of `events`, or the next attempt at a `delivery` after it was signed, and only that. */
  readonly once: Hooks<ChangeableDelivery>["once"];
  /**
   * One login of an app by OAuth, and the use of its tokens (interface 5.2 to 5.4), without a person: the user's
   * browser is played from the app's own login link on. The platform's clock is turned past the life of the access
   * token, twice, and put back as it was, so that tokens that expired meanwhile are good again. A second login, in
   * another browser, ends with a forged callback, which the app is to refuse.
   */
  oauthLogin(options: OAuthLoginOptions): Promise<OAuthLoginResult>;
  /** Tells the apps that they were installed, and waits for what they make of it (choice `install.event`). */
  install(options?: InstallOptions): Promise<InstallResult>;
  /** Tells the apps that they are installed no more; afterwards nothing is granted to them (choice `install.event`). */
  uninstall(options?: InstallOptions): Promise<InstallResult>;
  /** How the manifests of the installed apps are read (interface 2.1). */
  manifest(): Promise<ManifestResult>;
  /** Resolves to true once something listens at every installed app's URL, or to false when the time is over. */
  waitForApp(timeoutMs: number): Promise<boolean>;
  /** Logins, visits to the pages of guards, and whatever else its users count in. */
  readonly underWay: UnderWay;
  /** What is served to the app while a job runs (interface 2.3). */
  readonly files: HostedFiles;
  /** HTML previews that apps answered (interface 2.4). */
  readonly previews: Previews;
  /** The authorization server and the REST API, as the platform's addresses show them (interface 5.2 to 5.4). */
  readonly oauth: OAuth;
  /** Public keys of the tokens, as a JWK Set: of access tokens, and of the modules' tokens unless they are HMAC's. */
  jwks(): Promise<{ readonly keys: readonly unknown[] }>;
  readonly config: Config;
  readonly choices: Choices;
  readonly journal: Journal;
}

/** Puts the simulator together. It does nothing by itself. */
export function createSimulator(parts: SimulatorParts): Simulator {
  const signer = createTokenSigner(parts.keys ?? null);
  const listen = parts.listen ?? (async () => parts.baseUrl());
  const context: SimulatorContext = {
    ...parts,
    signer,
    onCall: parts.onCall ?? (() => {}),
    onPause: parts.onPause ?? (() => {}),
    onProgress: parts.onProgress ?? (() => {}),
    listen,
    signal: parts.signal,
    manifests: parts.onManifest === undefined ? null : createManifestMemory(parts.onManifest),
    chromium: createChromium(),
    underWay: createUnderWay(),
    files: createHostedFiles({ ...parts, listen }),
    previews: createPreviews(parts),
    patterns: createPatternMatcher(),
    hooks: createHooks<ChangeableDelivery>("once()", changeableSchemas),
  };
  const logins = createLogins(context);
  const { keys = null, faults = [], seed = 1 } = parts;
  const oauth = createOAuth(context, { keys, faults, seed });
  const simulator: Simulator = {
    logins,
    guard: async (options = {}) => runLogin(context, logins, checkOptions("guard()", loginOptionsSchema, options)),
    explore: async (options = {}) =>
      runExplore(context, logins, checkOptions("explore()", exploreOptionsSchema, options)),
    login: async (options = {}) => beginLogin(context, logins, checkOptions("login()", loginOptionsSchema, options)),
    postImport: async (sources, options = {}) => {
      const checked = checkOptions("postImport()", importOptionsSchema, options);
      // Loaded here, because most runs import nothing.
      const { runImport } = await import("./post-import/run/run-import.ts");
      return runImport(context, [sources].flat(), checked);
    },
    webhook: async (events, options = {}) => {
      const checked = checkOptions("webhook()", webhookOptionsSchema, options);
      const names = checkNames("webhook()", events, checked.data);
      const { runWebhook } = await import("./webhook/run-webhook.ts");
      return runWebhook(context, names, checked);
    },
    explainSignature: async (events, options = {}) => {
      const checked = checkOptions("explainSignature()", webhookOptionsSchema, options);
      const names = checkNames("explainSignature()", events, checked.data);
      const { explainSignature } = await import("./webhook/explain-signature.ts");
      return explainSignature(context, names, checked);
    },
    replay: async (delivery, options = {}) => {
      const { replay, replayOptionsSchema } = await import("./webhook/replay.ts");
      const checked = checkOptions("replay()", replayOptionsSchema, options);
      return replay(context, delivery, checked);
    },
    load: async (events, options = {}) => {
      const { loadOptionsSchema } = await import("./load/load-options.ts");
      const checked = checkOptions("load()", loadOptionsSchema, options);
      const names = checkNames("load()", events, checked.data);
      const { runLoad } = await import("./load/run-load.ts");
      return runLoad(context, names, checked);
    },
    exportLoad: async (events, options = {}) => {
      const { loadOptionsSchema } = await import("./load/load-options.ts");
      const checked = checkOptions("exportLoad()", loadOptionsSchema, options);
      const names = checkNames("exportLoad()", events, checked.data);
      const { exportArtillery } = await import("./load/export/export-artillery.ts");
      return exportArtillery(context, names, checked);
    },
    run: async (files) => {
      const { runScenarios } = await import("./scenario/run-scenario.ts");
      return runScenarios(context, simulator, parts.clockFace ?? null, [files].flat());
    },
    waitFor: createWaitFor(context),
    once: context.hooks.once,
    oauthLogin: async (options) => {
      const checked = checkOptions("oauthLogin()", oauthLoginOptionsSchema, options);
      // Loaded here, because most runs log nobody in by OAuth.
      const { runOAuthLogin } = await import("./oauth-login/run-oauth-login.ts");
      return runOAuthLogin(context, oauth, parts.clockFace ?? null, checked);
    },
    install: async (options = {}) =>
      runInstall(context, oauth, "install", checkOptions("install()", installOptionsSchema, options)),
    uninstall: async (options = {}) =>
      runInstall(context, oauth, "uninstall", checkOptions("uninstall()", installOptionsSchema, options)),
    manifest: () => runManifest(context),
    waitForApp: async (timeoutMs) => {
      const waits = parts.config.apps.map(({ url }) => waitUntilListening(url, timeoutMs, parts.clock, parts.signal));
      return (await Promise.all(waits)).every(Boolean);
    },
    underWay: context.underWay,
    files: context.files,
    previews: context.previews,
    oauth,
    jwks: async () => {
      const ofModules = await signer.jwks(parts.choices["guard.jwt.algorithm"]);
      return { keys: [...ofModules.keys, ...(await oauth.jwks()).keys] };
    },
    config: parts.config,
    choices: parts.choices,
    journal: parts.journal,
  };
  return simulator;
}

/**
 * Names of events; none where a payload names them.
 * @throws UsageError where nothing does
 */
function checkNames(method: string, events: string | readonly string[], data: unknown): readonly string[] {
  const names = [events].flat();
  return names.length === 0 && data !== undefined ? names : checkOptions(method, eventNamesSchema, { names }).names;
}
