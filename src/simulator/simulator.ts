import type { Config } from "../config/schema.ts";
import type { Journal } from "../journal/journal.ts";
import { createTokenSigner } from "../platform/tokens.ts";
import type { Choices } from "../protocol/choices.ts";
import type { SimulatorContext } from "./context.ts";
import type { AppCall, AppGateway, Clock, Ids } from "./ports.ts";
import type { GuardResult, ImportResult, ManifestResult, WebhookResult } from "./results.ts";
import { type ImportSource, runImport } from "./run-import.ts";
import { type LoginOptions, runLogin } from "./run-login.ts";
import { runManifest } from "./run-manifest.ts";
import { runWebhook, type WebhookOptions } from "./run-webhook.ts";
import { waitForApp } from "./wait-for-app.ts";

/** What the simulator needs from outside. */
export interface SimulatorParts {
  readonly config: Config;
  readonly choices: Choices;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly gateway: AppGateway;
  /** Address of the platform, without a trailing slash; known once a server listens. */
  readonly baseUrl: () => string;
  /** Told of each call to the app when it begins; its end is the exchange in the journal. */
  readonly onCall?: ((call: AppCall) => void) | undefined;
  /** Ends every call under way with the outcome `interrupted`. */
  readonly signal?: AbortSignal | undefined;
}

/** The platform, seen from the side of whoever drives it. */
export interface Simulator {
  /** One login with its guards (interface 3.1). */
  guard(options?: LoginOptions): Promise<GuardResult>;
  /** One post-import call per job (interface 2.3, 2.4). A job is a fixture file, or an object with a name. */
  postImport(...sources: readonly ImportSource[]): Promise<ImportResult>;
  /** One signed batch per webhook module that names one of the events (interface 2.6, 6). */
  webhook(events: string | readonly string[], options?: WebhookOptions): Promise<WebhookResult>;
  /** How the manifests of the installed apps are read (interface 2.1). */
  manifest(): Promise<ManifestResult>;
  /** Resolves to true once something listens at every installed app's URL, or to false when the time is over. */
  waitForApp(timeoutMs: number): Promise<boolean>;
  /** Public keys for the tokens, as a JWK Set; empty for HMAC algorithms. */
  jwks(): Promise<unknown>;
  readonly journal: Journal;
}

/** Puts the simulator together. It does nothing by itself. */
export function createSimulator(parts: SimulatorParts): Simulator {
  const signer = createTokenSigner();
  const context: SimulatorContext = { ...parts, signer, onCall: parts.onCall ?? (() => {}), signal: parts.signal };
  return {
    guard: (options = {}) => runLogin(context, options),
    postImport: (...sources) => runImport(context, sources),
    webhook: (events, options = {}) => runWebhook(context, typeof events === "string" ? [events] : events, options),
    manifest: () => runManifest(context),
    waitForApp: async (timeoutMs) => {
      const waits = parts.config.apps.map(({ url }) => waitForApp(url, timeoutMs, parts.clock, parts.signal));
      return (await Promise.all(waits)).every(Boolean);
    },
    jwks: () => signer.jwks(parts.choices["guard.jwt.algorithm"]),
    journal: parts.journal,
  };
}
