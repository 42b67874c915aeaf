/// <reference lib="esnext.disposable" preserve="true" />

import { createAppGateway } from "./app-client/app-gateway.ts";
import { type AppCall, randomIds, systemClock } from "./app-client/ports.ts";
import { DEFAULT_PORT } from "./config/default-world.ts";
import { configure } from "./config/load.ts";
import type { ConfigInput } from "./config/schema.ts";
import { createJournal, type Journal } from "./journal/journal.ts";
import { type JournalFile, JournalVersionError, openJournalFile } from "./journal/journal-file.ts";
import type { Progress } from "./platform/context.ts";
import { keyFiles } from "./platform/key-file.ts";
import type { ManifestNews } from "./platform/manifest-memory.ts";
import { createPlatformClock, type PlatformClock } from "./platform/platform-clock.ts";
import { valueText } from "./protocol/problems.ts";
import { UsageError } from "./protocol/usage-error.ts";
import type { SteeringAccess } from "./serve/control-routes.ts";
import { createSimulator, type Simulator } from "./simulator.ts";
import type { Platform } from "./web/platform.ts";
import type { PlatformServer } from "./web/server.ts";

export type { ChoiceId, Choices } from "./config/choices.ts";
export { type ConfigInput, configJsonSchema, type Role } from "./config/schema.ts";
export type { ExploreOptions } from "./guard/explore/explore-options.ts";
export { type ExploreResult, exploreResultSchema } from "./guard/explore/explore-result.ts";
export type { Interaction } from "./guard/login/interaction.ts";
export type { LoginOptions } from "./guard/login/login-options.ts";
export type { LoginSession } from "./guard/login/login-session.ts";
export type { LoginView } from "./guard/login/login-view.ts";
export type { Begun } from "./guard/login/logins.ts";
export type { InstallOptions } from "./install/run-install.ts";
export type { Exchange, Outcome } from "./journal/exchange.ts";
export type { Journal } from "./journal/journal.ts";
export type { JournalRecord } from "./journal/record.ts";
export type { ArtilleryExport } from "./load/export/export-artillery.ts";
export type { LoadOptions } from "./load/load-options.ts";
export {
  type LoadExportResult,
  type LoadResult,
  loadExportResultSchema,
  loadResultSchema,
} from "./load/load-result.ts";
export type { Changeable } from "./oauth/endpoints/changeable.ts";
export type { FaultPlace } from "./oauth/rules/faults.ts";
export type { OAuthLoginOptions } from "./oauth-login/oauth-login-options.ts";
export type { Progress } from "./platform/context.ts";
export type { ExchangeMatcher } from "./platform/exchange-matcher.ts";
export type { ManifestNews } from "./platform/manifest-memory.ts";
export type { ClockState, PlatformClock } from "./platform/platform-clock.ts";
export {
  type DemoResult,
  demoResultSchema,
  type GuardResult,
  guardResultSchema,
  type ImportResult,
  type InstallResult,
  importResultSchema,
  installResultSchema,
  type ManifestResult,
  manifestResultSchema,
  type OAuthLoginResult,
  oauthLoginResultSchema,
} from "./platform/results.ts";
export { NothingCameError, type WaitedFor, type WaitFor } from "./platform/wait-for.ts";
export type { ImportSource } from "./post-import/files/plan-jobs.ts";
export type { ImportOptions } from "./post-import/run/import-options.ts";
export type { ImportJob, StringRecord } from "./protocol/import-job.ts";
export { UsageError } from "./protocol/usage-error.ts";
export type { WireAnswer } from "./protocol/wire-answer.ts";
export { type ScenarioResult, scenarioResultSchema } from "./scenario/scenario-result.ts";
export type { ChangeableDelivery } from "./webhook/changeable.ts";
export type { ReplayOptions } from "./webhook/replay.ts";
export { type SignatureResult, signatureResultSchema } from "./webhook/signature-result.ts";
export type { WebhookOptions } from "./webhook/webhook-options.ts";
export { type WebhookResult, webhookResultSchema } from "./webhook/webhook-result.ts";

/** The configuration, in the shape of a config file, and how to run. */
export interface SimulatorOptions extends ConfigInput {
  /** Port of the platform's server; default 0, a free one. */
  readonly port?: number;
  /** Directory in which the journal is kept; default none, it stays in memory. */
  readonly journal?: string;
  /**
   * Whether the platform's own addresses are served; default true. `when-needed`: from when the first login needs
   * a page of the platform.
   */
  readonly listen?: boolean | "when-needed";
  /** Told of each call to the app when it begins. */
  readonly onCall?: (call: Pick<AppCall, "method" | "url" | "timeoutMs">) => void;
  /** Told of each pause before a further attempt when it begins. */
  readonly onPause?: (milliseconds: number) => void;
  /** Told how far a long import has come. */
  readonly onProgress?: (progress: Progress) => void;
  /** Told when the journal cannot be written, which goes on in memory, and of a bug behind a page. Default: nobody. */
  readonly onTrouble?: (message: string) => void;
  /**
   * Told of each manifest that is read and of what changes in it or is wrong with it; the last good one then stands
   * in for a wrong one. Default: an action with a wrong manifest fails.
   */
  readonly onManifest?: (news: ManifestNews) => void;
  /** Wrong things for the authorization server and the REST API to do, such as `token=500x2` (see `app-sim serve --help`). */
  readonly faults?: readonly string[];
  /** For what happens by chance; the same seed makes the same happen. Default 1. */
  readonly seed?: number;
  /**
   * Lets whoever knows it turn the clock and ask for faults over HTTP; at least 128 bits that nobody can guess.
   * Default: nobody can.
   */
  readonly controlToken?: string;
  /** Told when whoever knows the token turned the clock, or changed the faults. Default: nobody. */
  readonly onSteered?: (what: "clock" | "faults") => void;
  /** Ends every call under way. */
  readonly signal?: AbortSignal;
}

/** A simulator that runs until it is closed. */
export interface RunningSimulator extends Simulator, AsyncDisposable {
  /** Address of the platform ({base_url}, {auth_url} and {api_url} of the interface), without a trailing slash. */
  readonly url: string;
  readonly journal: Journal;
  /** The platform's time: codes, tokens, guard JWTs and states expire by it, the deadlines of requests do not. */
  readonly clock: PlatformClock;
  close(): Promise<void>;
}

/**
 * Starts the platform.
 *
 * ```ts
 * await using sim = await startSimulator({ app: { url: "http://127.0.0.1:3000" } });
 * const { outcome } = await sim.guard({ user: "member" });
 * ```
 * @throws UsageError for options that are not allowed, a port that is taken, or a journal of a newer app-sim
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  if (typeof options !== "object" || options === null) {
    throw new UsageError(
      "options-invalid",
      `startSimulator(): ${valueText(options)} is not an object of options`,
      "for example { app: { url } }",
    );
  }
  const {
    listen = true,
    onCall,
    onPause,
    onProgress,
    onTrouble,
    onManifest,
    signal,
    faults,
    seed,
    controlToken,
    onSteered = () => {},
    journal: directory,
    ...input
  } = options;
  if (controlToken !== undefined && !/^[\x21-\x7e]{22,}$/.test(controlToken)) {
    throw new UsageError(
      "control-token-invalid",
      "startSimulator(): controlToken is not one that nobody can guess",
      "at least 22 visible ASCII characters, such as 256 random bits in base64url",
    );
  }
  if (seed !== undefined && !Number.isSafeInteger(seed)) {
    throw new UsageError(
      "seed-invalid",
      `startSimulator(): ${valueText(seed)} is no seed`,
      "a whole number, such as 7",
    );
  }
  const { config, choices } = await configure({ port: 0, ...input }, process.cwd());
  const control = controlToken === undefined ? undefined : { token: controlToken, onSteered };
  const closing = new AbortController();
  const journal = createJournal(directory === undefined ? {} : { file: openJournal(directory, onTrouble) });
  let url = `http://127.0.0.1:${config.port || DEFAULT_PORT}`;
  let server: Promise<PlatformServer> | null = null;
  const startServing = async () => {
    if (closing.signal.aborted) throw closed();
    const starting =
      server ?? startPlatformServer({ ...simulator, clock: clock.face }, config.port, onTrouble, control);
    server = starting;
    // A port that was taken may be free at the next try.
    starting.catch(() => {
      server = null;
    });
    ({ url } = await starting);
    return url;
  };
  const clock = createPlatformClock(systemClock);
  const simulator = createSimulator({
    config,
    choices,
    journal,
    clock,
    clockFace: clock.face,
    ids: randomIds,
    gateway: createAppGateway(systemClock),
    keys: directory === undefined ? null : keyFiles(directory),
    baseUrl: () => url,
    listen: listen === false ? async () => url : startServing,
    onCall,
    onPause,
    onProgress,
    onManifest,
    faults,
    seed,
    signal: AbortSignal.any([closing.signal, ...(signal === undefined ? [] : [signal])]),
  });
  if (listen === true) await startServing();
  const { underWay } = simulator;
  const whileOpen = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (closing.signal.aborted) throw closed();
    return underWay.add(run());
  };
  const close = async () => {
    closing.abort();
    await underWay.ended();
    await (await server?.catch(() => null))?.close();
    // What the last requests began: the signal has ended it.
    await underWay.ended();
    journal.close();
  };
  return {
    ...simulator,
    clock: clock.face,
    guard: (options) => whileOpen(() => simulator.guard(options)),
    login: (options) => whileOpen(() => simulator.login(options)),
    explore: (options) => whileOpen(() => simulator.explore(options)),
    postImport: (...sources) => whileOpen(() => simulator.postImport(...sources)),
    webhook: (events, options) => whileOpen(() => simulator.webhook(events, options)),
    explainSignature: (events, options) => whileOpen(() => simulator.explainSignature(events, options)),
    replay: (delivery, options) => whileOpen(() => simulator.replay(delivery, options)),
    load: (events, options) => whileOpen(() => simulator.load(events, options)),
    exportLoad: (events, options) => whileOpen(() => simulator.exportLoad(events, options)),
    run: (files) => whileOpen(() => simulator.run(files)),
    waitFor: (what, options) => whileOpen(() => simulator.waitFor(what, options)),
    oauthLogin: (options) => whileOpen(() => simulator.oauthLogin(options)),
    install: (options) => whileOpen(() => simulator.install(options)),
    uninstall: (options) => whileOpen(() => simulator.uninstall(options)),
    manifest: () => whileOpen(() => simulator.manifest()),
    get url() {
      return url;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function openJournal(directory: string, onTrouble: SimulatorOptions["onTrouble"] = () => {}): JournalFile {
  try {
    return openJournalFile(directory, onTrouble);
  } catch (error) {
    if (!(error instanceof JournalVersionError)) throw error;
    throw new UsageError("journal-version", error.message, `the journal is in ${directory}`);
  }
}

/** Loads the server only where it is needed: it is the heaviest part to start. */
async function startPlatformServer(
  platform: Platform,
  port: number,
  onTrouble: SimulatorOptions["onTrouble"] = () => {},
  control: SteeringAccess | undefined,
): Promise<PlatformServer> {
  const { startServer } = await import("./web/server.ts");
  const onBug = (id: string, error: unknown) =>
    onTrouble(error instanceof UsageError ? error.message : `bug ${id} of app-sim: ${String(error)}`);
  return startServer(platform, port, onBug, control);
}

function closed(): UsageError {
  return new UsageError("closed", "this simulator is closed", "start another one with startSimulator()");
}
