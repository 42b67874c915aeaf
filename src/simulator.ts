import { methodsOf } from "./action/methods.ts";
import { actions, type SimulatorMethods } from "./actions.ts";
import type { AppCall, AppGateway, Clock, Ids, ServerTrust } from "./app-client/ports.ts";
import { waitUntilListening } from "./app-client/wait-for-app.ts";
import type { Chromium } from "./browser/chromium.ts";
import type { Choices } from "./config/choices.ts";
import type { App, Config } from "./config/schema.ts";
import type { Logins } from "./guard/login/logins.ts";
import type { Journal } from "./journal/journal.ts";
import type { OAuth } from "./oauth/endpoints/oauth.ts";
import type { SimulatorContext } from "./platform/context.ts";
import { createHooks } from "./platform/hooks.ts";
import type { KeyStore } from "./platform/key-pairs.ts";
import { createManifestMemory, type ManifestNews } from "./platform/manifest-memory.ts";
import { saneTargetsOnly } from "./platform/own-targets.ts";
import type { PlatformClock } from "./platform/platform-clock.ts";
import type { Progress } from "./platform/simulator-options.ts";
import type { StateStore } from "./platform/state-file.ts";
import { createTokenSigner } from "./platform/tokens.ts";
import { createUnderWay } from "./platform/under-way.ts";
import { createWaitFor, type WaitFor } from "./platform/wait-for.ts";
import type { PatternMatcher } from "./post-import/run/match-pattern.ts";
import type { Previews } from "./post-import/run/previews.ts";
import type { FaultRequest } from "./protocol/fault-kinds.ts";
import { valueText } from "./protocol/problems.ts";
import { UsageError } from "./protocol/usage-error.ts";
import type { HostedFiles } from "./web/hosted-files.ts";
import { type ChangeableDelivery, changeableSchemas, type WebhookContext } from "./webhook/changeable.ts";

/** What the simulator needs from outside. */
export interface SimulatorParts {
  readonly config: Config;
  readonly choices: Choices;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Changes that clock; default: it cannot be changed. */
  readonly clockFace?: PlatformClock | undefined;
  readonly ids: Ids;
  readonly gateway: AppGateway;
  /** Keeps the platform's private keys from run to run; null: this simulator has its own. */
  readonly keys?: KeyStore | null;
  /** Keeps installations and tokens from run to run; null: they end with this simulator. */
  readonly state?: StateStore | null;
  /** Address of the platform, without a trailing slash; known once a server listens. */
  readonly baseUrl: () => string;
  /** The certificate of the platform's own server; null: it speaks plain HTTP. Default: null. */
  readonly platformTrust?: (() => Promise<ServerTrust | null>) | undefined;
  /** Makes the platform listen, unless it does already, and resolves with its address. Default: it is never needed. */
  readonly listen?: (() => Promise<string>) | undefined;
  /** Runs when a call to the app begins; its end is the exchange in the journal. */
  readonly onCall?: ((call: AppCall) => void) | undefined;
  /** Runs when a pause before a further attempt begins. */
  readonly onPause?: ((milliseconds: number) => void) | undefined;
  /** Runs as a long job progresses. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Runs when a manifest is read, changes or turns out to be invalid; the last good one then replaces it (hardening
   * R38). Default: an action with an invalid manifest fails.
   */
  readonly onManifest?: ((news: ManifestNews) => void) | undefined;
  /** Ends every call in flight with the outcome `interrupted`. */
  readonly signal?: AbortSignal | undefined;
  /** Faults of the authorization server and the REST API, such as `token=500x2`. */
  readonly faults?: readonly (string | FaultRequest)[] | undefined;
  /** Seed of everything that is random. Default 1. */
  readonly seed?: number | undefined;
  /** Counts a running method as in flight, or refuses to run it. */
  readonly inFlight?: (<Result>(run: () => Promise<Result>) => Promise<Result>) | undefined;
  /** @throws UsageError once the simulator is closed */
  readonly requireOpen?: (() => void) | undefined;
  /** The directory that relative file names start from; default the process's. */
  readonly cwd?: string | undefined;
}

/** What is specific to one command on a platform that others use as well. */
export type CommandParts = Pick<
  SimulatorContext,
  "config" | "choices" | "cwd" | "onCall" | "onPause" | "onProgress"
> & {
  /** Ends what the command has in flight; the platform's own signal does so too. */
  readonly signal: AbortSignal;
};

/** What capabilities share; loaded when an action or the platform's server needs it. */
export interface Services {
  readonly logins: Logins;
  readonly chromium: Chromium;
  readonly oauth: OAuth;
  /** What the platform serves to apps while a job runs (interface 2.3). */
  readonly files: HostedFiles;
  /** HTML previews that apps answered (interface 2.4). */
  readonly previews: Previews;
  readonly patterns: PatternMatcher;
}

/** The methods of the library, and what only commands see. */
export interface LazySimulator
  extends SimulatorMethods,
    Pick<SimulatorContext, "config" | "choices" | "journal" | "underWay"> {
  /**
   * Resolves with the oldest exchange that matches and that no earlier call returned: one already recorded, or the
   * next.
   * @throws NothingCameError when the time is over, with what came instead
   */
  readonly waitFor: WaitFor;
  /** Changes the next list of `events`, or the next attempt at a `delivery` after it was signed, and nothing else. */
  readonly once: WebhookContext["hooks"]["once"];
  /** Resolves to true once something listens at every installed app's URL, or to false when the time is over. */
  waitForApp(timeoutMs: number): Promise<boolean>;
  /** @throws UsageError once it is closed */
  requireOpen(): void;
  /** Loads a service, or resolves with the one already loaded. */
  service<Name extends keyof Services>(name: Name): Promise<Services[Name]>;
  /** The public keys of all tokens, as a JWK Set (RFC 7517). */
  jwks(): Promise<{ readonly keys: readonly unknown[] }>;
  readonly context: WebhookContext;
  /**
   * The methods for one command on this platform: with settings, listeners and a signal of its own, and with the
   * platform's journal, clock, tokens and logins.
   */
  methodsFor(command: CommandParts): SimulatorMethods;
  /**
   * Resolves when the browser that shows a login has shown how it ended; at once if there is none; early if the signal
   * is aborted.
   */
  endShown(login: string, signal: AbortSignal): Promise<void>;
}

/** A simulator with every service loaded. */
export interface Simulator extends LazySimulator, Services {}

/** Creates a simulator with every capability. */
export function createSimulator(parts: SimulatorParts): LazySimulator {
  const context = {
    ...createContext(parts),
    // Loaded only on the first call.
    isInstalled: async ({ clientId }: Pick<App, "clientId">) => (await service("oauth")).installed.has(clientId),
  };
  const service = serviceLoader(context, parts);
  const { inFlight = (run) => run(), requireOpen = () => {} } = parts;
  const waitFor = createWaitFor(context);
  const methodsWith = (own: SimulatorContext): SimulatorMethods => {
    // Scenarios call these methods, and are one of them.
    const methods = {} as SimulatorMethods;
    const contextWith = async (names: readonly string[]) => {
      return { ...own, methods, ...(await loadedServices(names as (keyof Services)[], service)) };
    };
    return Object.assign(methods, methodsOf(actions as never, contextWith, inFlight, own.config.users));
  };
  return {
    ...methodsWith(context),
    service,
    context,
    methodsFor: ({ signal, ...command }) => {
      const signals = [signal, ...(context.signal === undefined ? [] : [context.signal])];
      // What the platform remembers of manifests is shown to its own user; a command fails if one is invalid.
      return methodsWith({ ...context, ...command, manifests: null, signal: AbortSignal.any(signals) });
    },
    endShown: async (id, signal) => {
      const logins = await service("logins");
      const login = logins.find(id);
      if (login !== null) await logins.audience.hasSeenEnd(login, signal);
    },
    waitFor: (what, options) => inFlight(() => waitFor(what, options)),
    once: (...change) => {
      requireOpen();
      context.hooks.once(...change);
    },
    requireOpen,
    waitForApp: (timeoutMs) =>
      inFlight(async () => {
        // Not a number, it would never be over.
        if (typeof timeoutMs !== "number" || !(timeoutMs >= 0))
          throw new UsageError(
            "duration-invalid",
            `waitForApp(): ${valueText(timeoutMs)} is not a time in milliseconds`,
            "for example waitForApp(30_000)",
          );
        const waits = parts.config.apps.map(({ url }) => waitUntilListening(url, timeoutMs, parts.clock, parts.signal));
        return (await Promise.all(waits)).every(Boolean);
      }),
    jwks: async () => {
      const ofModules = await context.signer.jwks(parts.choices["guard.jwt.algorithm"]);
      return { keys: [...ofModules.keys, ...(await (await service("oauth")).jwks()).keys] };
    },
    config: parts.config,
    choices: parts.choices,
    journal: parts.journal,
    underWay: context.underWay,
  };
}

/** Loads every service of a simulator. */
export async function withServices<Given extends LazySimulator>(simulator: Given): Promise<Given & Services> {
  const names = ["logins", "chromium", "oauth", "files", "previews", "patterns"] as const;
  return Object.assign(simulator, (await loadedServices(names, simulator.service)) as Services);
}

/** Services by their names, loaded one after another: Jest cannot link modules that are imported at the same time. */
async function loadedServices(
  names: readonly (keyof Services)[],
  service: LazySimulator["service"],
): Promise<Partial<Services>> {
  const loaded: Partial<Services> = {};
  for (const name of names) Object.assign(loaded, { [name]: await service(name) });
  return loaded;
}

function createContext(parts: SimulatorParts) {
  return {
    ...parts,
    gateway: saneTargetsOnly(parts.gateway),
    signer: createTokenSigner(parts.keys ?? null),
    listen: parts.listen ?? (async () => parts.baseUrl()),
    cwd: parts.cwd ?? ".",
    signal: parts.signal,
    clockFace: parts.clockFace ?? null,
    onCall: parts.onCall ?? (() => {}),
    onPause: parts.onPause ?? (() => {}),
    onProgress: parts.onProgress ?? (() => {}),
    manifests: parts.onManifest === undefined ? null : createManifestMemory(parts.onManifest),
    identities: new Map(),
    underWay: createUnderWay(),
    hooks: createHooks<ChangeableDelivery>("once()", changeableSchemas),
  };
}

function serviceLoader(context: WebhookContext, parts: SimulatorParts): LazySimulator["service"] {
  const { keys = null, state = null, faults = [], seed = 1 } = parts;
  const loaders: { readonly [Name in keyof Services]: () => Promise<Services[Name]> } = {
    logins: async () => (await import("./guard/login/logins.ts")).createLogins(context),
    chromium: async () => (await import("./browser/chromium.ts")).createChromium(parts.platformTrust),
    oauth: async () => (await import("./oauth/endpoints/oauth.ts")).createOAuth(context, { keys, state, faults, seed }),
    files: async () => new (await import("./web/hosted-files.ts")).HostedFiles(context),
    previews: async () => (await import("./post-import/run/previews.ts")).createPreviews(context),
    patterns: async () => (await import("./post-import/run/match-pattern.ts")).createPatternMatcher(),
  };
  const loaded: { [Name in keyof Services]?: Promise<Services[Name]> } = {};
  return <Name extends keyof Services>(name: Name): Promise<Services[Name]> => {
    const service: Promise<Services[Name]> = loaded[name] ?? loaders[name]();
    Object.assign(loaded, { [name]: service });
    return service;
  };
}
