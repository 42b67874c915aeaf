/// <reference lib="esnext.disposable" preserve="true" />
import { DEFAULT_PORT } from "./config/default-world.ts";
import { configure } from "./config/load.ts";
import type { ConfigInput } from "./config/schema.ts";
import { createJournal, type Journal } from "./journal/journal.ts";
import { type JournalFile, JournalVersionError, openJournalFile } from "./journal/journal-file.ts";
import { valueText } from "./protocol/problems.ts";
import { UsageError } from "./protocol/usage-error.ts";
import type { PlatformServer } from "./server/server.ts";
import { createAppGateway } from "./simulator/app-gateway.ts";
import { keyFiles } from "./simulator/key-file.ts";
import { type AppCall, randomIds, systemClock } from "./simulator/ports.ts";
import { createSimulator, type Simulator } from "./simulator/simulator.ts";

export { type ConfigInput, configJsonSchema, type Role } from "./config/schema.ts";
export type { Exchange, Outcome } from "./journal/exchange.ts";
export type { Journal } from "./journal/journal.ts";
export type { JournalRecord } from "./journal/record.ts";
export type { ChoiceId, Choices } from "./protocol/choices.ts";
export type { ImportJob, StringRecord } from "./protocol/import-job.ts";
export { UsageError } from "./protocol/usage-error.ts";
export type { ExploreOptions } from "./simulator/explore/explore-options.ts";
export { type ExploreResult, exploreResultSchema } from "./simulator/explore/explore-result.ts";
export type { Interaction } from "./simulator/login/interaction.ts";
export type { LoginOptions } from "./simulator/login/login-options.ts";
export type { LoginSession } from "./simulator/login/login-session.ts";
export type { LoginView } from "./simulator/login/login-view.ts";
export type { Begun } from "./simulator/login/logins.ts";
export {
  type DemoResult,
  demoResultSchema,
  type GuardResult,
  guardResultSchema,
  type ImportResult,
  importResultSchema,
  type ManifestResult,
  manifestResultSchema,
  type WebhookResult,
  webhookResultSchema,
} from "./simulator/results.ts";
export type { ImportSource } from "./simulator/run-import.ts";
export type { WebhookOptions } from "./simulator/run-webhook.ts";

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
  /** Told when the journal cannot be written, which goes on in memory, and of a bug behind a page. Default: nobody. */
  readonly onTrouble?: (message: string) => void;
  /** Ends every call under way. */
  readonly signal?: AbortSignal;
}

/** A simulator that runs until it is closed. */
export interface RunningSimulator extends Simulator, AsyncDisposable {
  /** Address of the platform ({base_url}, {auth_url} and {api_url} of the interface), without a trailing slash. */
  readonly url: string;
  readonly journal: Journal;
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
  const { listen = true, onCall, onPause, onTrouble, signal, journal: directory, ...input } = options;
  const { config, choices } = await configure({ port: 0, ...input }, process.cwd());
  const closing = new AbortController();
  const journal = createJournal(directory === undefined ? {} : { file: openJournal(directory, onTrouble) });
  let url = `http://127.0.0.1:${config.port || DEFAULT_PORT}`;
  let server: Promise<PlatformServer> | null = null;
  const startServing = async () => {
    if (closing.signal.aborted) throw closed();
    const starting = server ?? startPlatformServer(simulator, config.port, onTrouble);
    server = starting;
    // A port that was taken may be free at the next try.
    starting.catch(() => {
      server = null;
    });
    ({ url } = await starting);
    return url;
  };
  const simulator = createSimulator({
    config,
    choices,
    journal,
    clock: systemClock,
    ids: randomIds,
    gateway: createAppGateway(systemClock),
    keys: directory === undefined ? null : keyFiles(directory),
    baseUrl: () => url,
    listen: listen === false ? async () => url : startServing,
    onCall,
    onPause,
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
    guard: (options) => whileOpen(() => simulator.guard(options)),
    login: (options) => whileOpen(() => simulator.login(options)),
    explore: (options) => whileOpen(() => simulator.explore(options)),
    postImport: (...sources) => whileOpen(() => simulator.postImport(...sources)),
    webhook: (events, options) => whileOpen(() => simulator.webhook(events, options)),
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
  simulator: Simulator,
  port: number,
  onTrouble: SimulatorOptions["onTrouble"] = () => {},
): Promise<PlatformServer> {
  const { startServer } = await import("./server/server.ts");
  return startServer(simulator, port, (id, error) => onTrouble(`bug ${id} of app-sim: ${String(error)}`));
}

function closed(): UsageError {
  return new UsageError("closed", "this simulator is closed", "start another one with startSimulator()");
}
