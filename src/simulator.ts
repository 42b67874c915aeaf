import { methodsOf } from "./action/methods.ts";
import { actions, type SimulatorMethods } from "./actions.ts";
import type { AppCall, AppGateway, Clock, Ids } from "./app-client/ports.ts";
import { waitUntilListening } from "./app-client/wait-for-app.ts";
import { createChromium } from "./browser/chromium.ts";
import type { Choices } from "./config/choices.ts";
import type { Config } from "./config/schema.ts";
import { createLogins, type GuardContext } from "./guard/login/logins.ts";
import type { Journal } from "./journal/journal.ts";
import { createOAuth } from "./oauth/endpoints/oauth.ts";
import type { OAuthLoginContext } from "./oauth-login/action.ts";
import { createHooks } from "./platform/hooks.ts";
import type { KeyStore } from "./platform/key-pairs.ts";
import { createManifestMemory } from "./platform/manifest-memory.ts";
import type { PlatformClock } from "./platform/platform-clock.ts";
import type { SimulatorOptions } from "./platform/simulator-options.ts";
import { createTokenSigner } from "./platform/tokens.ts";
import { createUnderWay } from "./platform/under-way.ts";
import { createWaitFor, type WaitFor } from "./platform/wait-for.ts";
import type { ImportContext } from "./post-import/import-context.ts";
import { createPatternMatcher } from "./post-import/run/match-pattern.ts";
import { createPreviews } from "./post-import/run/previews.ts";
import type { ScenarioContext } from "./scenario/take-step.ts";
import { createHostedFiles } from "./web/hosted-files.ts";
import { type ChangeableDelivery, changeableSchemas } from "./webhook/changeable.ts";
import type { WebhookContext } from "./webhook/webhook-context.ts";

type RunOptions = Pick<SimulatorOptions, "onPause" | "onProgress" | "onManifest" | "signal" | "faults" | "seed">;

/** What the simulator needs from outside. */
export interface SimulatorParts extends Readonly<{ [Name in keyof RunOptions]?: RunOptions[Name] | undefined }> {
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
  /** Address of the platform, without a trailing slash; known once a server listens. */
  readonly baseUrl: () => string;
  /** Makes the platform listen, if it does not yet, and resolves with its address. Default: it is never needed. */
  readonly listen?: (() => Promise<string>) | undefined;
  /** Runs when a call to the app begins; its end is the exchange in the journal. */
  readonly onCall?: ((call: AppCall) => void) | undefined;
  /** Counts what a method does as in flight, or refuses it. */
  readonly inFlight?: (<Result>(run: () => Promise<Result>) => Promise<Result>) | undefined;
}

/** What the capabilities work with, put together. */
export type SimulatorServices = GuardContext &
  ScenarioContext &
  ImportContext &
  WebhookContext &
  OAuthLoginContext & {
    /** The public keys of all tokens, as a JWK Set (RFC 7517). */
    jwks(): Promise<{ readonly keys: readonly unknown[] }>;
  };

/** The methods of the library, and what the platform's server, commands and tests need. */
export interface Simulator
  extends SimulatorMethods,
    Pick<
      SimulatorServices,
      "config" | "choices" | "journal" | "logins" | "oauth" | "files" | "previews" | "underWay" | "jwks"
    > {
  readonly waitFor: WaitFor;
  readonly once: WebhookContext["hooks"]["once"];
  waitForApp(timeoutMs: number): Promise<boolean>;
  readonly services: SimulatorServices;
}

/** Puts the capabilities together. */
export function createSimulator(parts: SimulatorParts): Simulator {
  const inFlight = parts.inFlight ?? ((run) => run());
  const services = createServices(parts, inFlight);
  const { config, choices, journal, logins, oauth, files, previews, underWay, jwks } = services;
  const waitFor = createWaitFor(services);
  return {
    ...services.methods,
    waitFor: (what, options) => inFlight(() => waitFor(what, options)),
    once: services.hooks.once,
    waitForApp: async (timeoutMs) => {
      const waits = config.apps.map(({ url }) => waitUntilListening(url, timeoutMs, parts.clock, parts.signal));
      return (await Promise.all(waits)).every(Boolean);
    },
    ...{ config, choices, journal, logins, oauth, files, previews, underWay, jwks, services },
  };
}

function createServices(
  parts: SimulatorParts,
  inFlight: NonNullable<SimulatorParts["inFlight"]>,
): SimulatorServices & { readonly methods: SimulatorMethods } {
  const { keys = null, faults = [], seed = 1 } = parts;
  const signer = createTokenSigner(keys);
  const listen = parts.listen ?? (async () => parts.baseUrl());
  const base = {
    ...parts,
    signer,
    listen,
    signal: parts.signal,
    clockFace: parts.clockFace ?? null,
    onCall: parts.onCall ?? (() => {}),
    onPause: parts.onPause ?? (() => {}),
    onProgress: parts.onProgress ?? (() => {}),
    manifests: parts.onManifest === undefined ? null : createManifestMemory(parts.onManifest),
    underWay: createUnderWay(),
    chromium: createChromium(),
    files: createHostedFiles({ ...parts, listen }),
    previews: createPreviews(parts),
    patterns: createPatternMatcher(),
    hooks: createHooks<ChangeableDelivery>("once()", changeableSchemas),
  };
  const oauth = createOAuth(base, { keys, faults, seed });
  const jwks = async () => {
    const ofModules = await signer.jwks(parts.choices["guard.jwt.algorithm"]);
    return { keys: [...ofModules.keys, ...(await oauth.jwks()).keys] };
  };
  const context = { ...base, logins: createLogins(base), oauth, jwks };
  // Scenarios call the other methods.
  const services = { ...context, methods: {} as SimulatorMethods };
  Object.assign(services.methods, methodsOf(actions as never, services, inFlight));
  return services;
}
