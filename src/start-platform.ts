import { createAppGateway } from "./app-client/app-gateway.ts";
import { type Clock, randomIds, systemClock } from "./app-client/ports.ts";
import { DEFAULT_PORT } from "./config/default-world.ts";
import { configure, type LoadedConfig } from "./config/load.ts";
import { listeningAddress } from "./config/platform-address.ts";
import type { Config } from "./config/schema.ts";
import { createJournal } from "./journal/journal.ts";
import { type JournalFile, JournalVersionError, openJournalFile } from "./journal/journal-file.ts";
import { checkRunOptions } from "./platform/check-run-options.ts";
import { keyFiles } from "./platform/key-file.ts";
import { createPlatformClock, type PlatformClock } from "./platform/platform-clock.ts";
import type { SimulatorFace, SimulatorOptions } from "./platform/simulator-options.ts";
import { stateFile } from "./platform/state-file.ts";
import { refuseFurther } from "./protocol/arguments.ts";
import type { FaultRequest } from "./protocol/fault-kinds.ts";
import { valueText } from "./protocol/problems.ts";
import { UsageError } from "./protocol/usage-error.ts";
import { checkPrefix, variablesFor } from "./settings/variables.ts";
import { createSimulator, type LazySimulator, type Simulator, withServices } from "./simulator.ts";
import type { ServerTls } from "./tls/server-tls.ts";
import type { PlatformServer } from "./web/server.ts";

/** A platform that runs until it is closed, as commands see it: parts that they do not need are not loaded. */
export type LazyPlatform = LazySimulator & SimulatorFace;

/** A platform that runs until it is closed, with every service. */
export type RunningPlatform = Simulator & SimulatorFace;

/**
 * Starts the platform with every service.
 * @param realTime the clock by which it waits
 * @throws UsageError for options that are not allowed, a port that is taken, or a journal of a newer app-sim
 */
export async function startPlatform(
  options: SimulatorOptions = {},
  realTime: Clock = systemClock,
): Promise<RunningPlatform> {
  const platform = await withServices(await startLazyPlatform(options, realTime));
  return Object.assign(platform, { oauth: changedWhileOpen(platform) });
}

/**
 * The authorization server as the library exposes it: once the simulator is closed, changes to later requests are
 * refused.
 */
function changedWhileOpen({ oauth, requireOpen }: Simulator): Simulator["oauth"] {
  const { once, faults } = oauth;
  return {
    ...oauth,
    once: whileOpen(requireOpen, once),
    faults: {
      ...faults,
      add: whileOpen(requireOpen, (...added: readonly (string | FaultRequest)[]) => {
        if (added.length === 0) throw noFault();
        faults.add(...added);
      }),
      clear: (...args: readonly unknown[]) => {
        refuseFurther("oauth.faults.clear()", args, 0);
        faults.clear();
      },
    },
  };
}

function noFault(): UsageError {
  return new UsageError("fault-invalid", "oauth.faults.add(): no fault is given", 'for example add("token=500x2")');
}

/** A function that can only be called while the simulator is open. */
function whileOpen<Values extends readonly unknown[]>(requireOpen: () => void, call: (...values: Values) => void) {
  return (...values: Values) => {
    requireOpen();
    call(...values);
  };
}

/** Options that say how a platform runs; they are not part of its configuration. */
const runOptionNames = [
  "listen",
  "onCall",
  "onPause",
  "onProgress",
  "onTrouble",
  "onManifest",
  "signal",
  "faults",
  "seed",
  "controlToken",
  "onSteered",
  "keepsState",
  "journal",
] as const satisfies readonly (keyof SimulatorOptions)[];
type RunOptions = Pick<SimulatorOptions, (typeof runOptionNames)[number]>;

/**
 * Starts the platform.
 * @param realTime the clock by which it waits
 * @throws UsageError for options that are not allowed, a port that is taken, or a journal of a newer app-sim
 */
export async function startLazyPlatform(
  options: SimulatorOptions = {},
  realTime: Clock = systemClock,
): Promise<LazyPlatform> {
  checkRunOptions(options);
  const { configFile, ...input } = options;
  for (const name of runOptionNames) delete input[name];
  return startConfigured(await configure(input, process.cwd(), configFile), options, realTime);
}

/**
 * Starts the platform with a configuration that is already parsed.
 * @param realTime the clock by which it waits
 * @throws UsageError for a port that is taken, or a journal of a newer app-sim
 */
export async function startConfigured(
  { config, choices }: Pick<LoadedConfig, "config" | "choices">,
  {
    listen = true,
    onCall,
    onPause,
    onProgress,
    onTrouble = () => {},
    onManifest,
    signal,
    faults,
    seed,
    controlToken,
    onSteered = () => {},
    keepsState = false,
    journal: directory,
  }: RunOptions,
  realTime: Clock = systemClock,
): Promise<LazyPlatform> {
  const closing = new AbortController();
  const journal = createJournal(directory === undefined ? {} : { file: openJournal(directory, onTrouble) });
  // A platform at a free port is a different one each time.
  const keeps = keepsState && directory !== undefined && config.port !== 0;
  const state = keeps ? stateFile(directory, config.port, onTrouble) : null;
  const clock = createPlatformClock(realTime);
  const requireOpen = () => {
    if (closing.signal.aborted) throw closedError();
  };
  const inFlight = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    requireOpen();
    return simulator.underWay.add(run());
  };
  const server = createLazyServer(
    async () => {
      requireOpen();
      const control = controlToken === undefined ? null : { token: controlToken, onSteered, ended: closing.signal };
      const tls = config.tls === false ? null : await serverTls(config, directory ?? null, onTrouble);
      // Loaded only now: the server takes longest to load.
      const { serveCapabilities } = await import("./serve-capabilities.ts");
      const served = await serveCapabilities({
        ...{ simulator: await withServices(simulator), clock: clock.face, port: config.port, tls, control },
        onBug: (id, error) => onTrouble(bugText(id, error)),
        onTurnedAway: onTrouble,
      });
      return { ...served, tls };
    },
    listeningAddress({ ...config, port: config.port || DEFAULT_PORT }),
  );
  const simulator = createSimulator({
    config,
    choices,
    journal,
    clock,
    clockFace: clock.face,
    ids: randomIds,
    gateway: createAppGateway(systemClock),
    keys: directory === undefined ? null : keyFiles(directory, onTrouble),
    state,
    baseUrl: () => platformUrl(config, server),
    platformTrust: async () => {
      if (config.tls !== false && listen !== false) await server.start();
      return server.tls?.trust ?? null;
    },
    listen: async () => {
      if (listen !== false) await server.start();
      return platformUrl(config, server);
    },
    ...{ onCall, onPause, onProgress, onManifest, faults, seed },
    inFlight,
    requireOpen,
    signal: AbortSignal.any([closing.signal, ...(signal === undefined ? [] : [signal])]),
  });
  if (listen === true) await server.start();
  const close = async () => {
    closing.abort();
    await simulator.underWay.ended();
    await server.close();
    // Ended by the signal; may have been started by the last requests.
    await simulator.underWay.ended();
    state?.close();
    journal.close();
  };
  return platformFace(simulator, { config, clock: turnedWhileOpen(clock.face, requireOpen), server, close });
}

/** A running simulator with the address, the clock and the end of its platform. */
function platformFace(simulator: LazySimulator, { config, clock, server, close }: PlatformParts): LazyPlatform {
  const url = () => platformUrl(config, server);
  return {
    ...simulator,
    clock,
    env: (prefix = "PLATFORM_") => {
      checkPrefix(prefix, `env(${valueText(prefix)})`);
      return variablesFor(config, prefix, { url: url(), caFile: server.tls?.caFile ?? null });
    },
    get url() {
      return url();
    },
    get localUrl() {
      return server.url;
    },
    get tls() {
      return server.tls === null ? null : { ...server.tls.trust, caFile: server.tls.caFile };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface PlatformParts {
  readonly config: Config;
  readonly clock: PlatformClock;
  readonly server: LazyServer;
  readonly close: () => Promise<void>;
}

/** Where apps and browsers reach the platform. */
function platformUrl({ publicUrl }: Config, { url }: LazyServer): string {
  return publicUrl ?? url;
}

async function serverTls(
  config: Config,
  directory: string | null,
  onTrouble: (message: string) => void,
): Promise<ServerTls> {
  const { prepareTls } = await import("./tls/server-tls.ts");
  return prepareTls(config, directory, { now: systemClock.now, onTrouble });
}

function bugText(id: string, error: unknown): string {
  return error instanceof UsageError ? error.message : `bug ${id} in app-sim: ${String(error)}`;
}

/** The clock, which cannot be changed once the simulator is closed: nothing would be there to notice. */
function turnedWhileOpen(clock: PlatformClock, requireOpen: () => void): PlatformClock {
  const { freeze, set, advance, resume, reset } = clock;
  return {
    ...clock,
    freeze: whileOpen(requireOpen, freeze),
    set: whileOpen(requireOpen, set),
    advance: whileOpen(requireOpen, advance),
    resume: whileOpen(requireOpen, resume),
    reset: whileOpen(requireOpen, reset),
  };
}

interface StartedServer extends PlatformServer {
  /** null: it serves plain HTTP. */
  readonly tls: ServerTls | null;
}

type LazyServer = ReturnType<typeof createLazyServer>;

/** A server that starts when its address is first needed; the address itself is known before. */
function createLazyServer(begin: () => Promise<StartedServer>, expectedUrl: string) {
  let url = expectedUrl;
  let tls: ServerTls | null = null;
  let server: Promise<StartedServer> | null = null;
  return {
    get url() {
      return url;
    },
    /** null: it has not started, or serves plain HTTP. */
    get tls() {
      return tls;
    },
    async start() {
      const starting = server ?? begin();
      server = starting;
      // If the port was taken, it may be free at the next attempt.
      starting.catch(() => {
        server = null;
      });
      ({ url, tls } = await starting);
      return url;
    },
    async close() {
      await (await server?.catch(() => null))?.close();
    },
  };
}

function openJournal(directory: string, onTrouble: (message: string) => void): JournalFile {
  try {
    return openJournalFile(directory, onTrouble);
  } catch (error) {
    if (!(error instanceof JournalVersionError)) throw error;
    throw new UsageError("journal-version", error.message, `the journal is in ${directory}`);
  }
}

function closedError(): UsageError {
  return new UsageError("closed", "this simulator is closed", "start another one with startSimulator()");
}
