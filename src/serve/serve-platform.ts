import type { CommandCall } from "../action/command-call.ts";
import { waitForApp } from "../action/wait-for-app.ts";
import { randomIds } from "../app-client/ports.ts";
import { loadConfig } from "../config/load.ts";
import { portOf } from "../config/platform-address.ts";
import type { Config } from "../config/schema.ts";
import { secretsOf } from "../config/secrets.ts";
import type { ManifestMethods } from "../manifest/action.ts";
import type { OAuth } from "../oauth/endpoints/oauth.ts";
import { showProgress } from "../output/progress.ts";
import { tellWarning } from "../output/tell.ts";
import type { ManifestNews } from "../platform/manifest-memory.ts";
import type { SimulatorFace, SimulatorOptions } from "../platform/simulator-options.ts";
import type { ServeFlags } from "./action.ts";
import { firstInspectorCode, inspectorLink } from "./inspector-link.ts";
import { PlatformClient } from "./platform-client.ts";
import { announcePlatform, namingHolder, type ServingCommand, withdrawPlatform } from "./running-platform.ts";

/** The simulator as `serve` and `exec` see it. */
export type ServedSimulator = SimulatorFace & ManifestMethods & { readonly oauth: Pick<OAuth, "faults"> };

interface Listeners {
  readonly onManifest?: (news: ManifestNews, secrets: readonly string[]) => void;
  readonly onSteered?: (what: "clock" | "faults") => void;
}

/** A platform that is served until this is disposed of. */
export interface ServedPlatform extends AsyncDisposable {
  readonly simulator: ServedSimulator;
  /** With the actual port. */
  readonly config: Config;
  /** What must never be shown (hardening S27). */
  readonly secrets: readonly string[];
  /** The link that opens its inspector, once. */
  readonly inspector: string;
  /** Another such link; null once the platform has ended. */
  readonly newInspectorLink: () => Promise<string | null>;
}

/**
 * Starts the platform with the user's configuration, waits for the app with `--wait`, and announces the platform to
 * other commands until it is disposed of.
 * @throws UsageError as `startSimulator` does
 */
export async function servePlatform(
  command: ServingCommand,
  { invocation, startSimulator }: Pick<CommandCall<ServedSimulator>, "invocation" | "startSimulator">,
  { fault, seed }: ServeFlags,
  { onManifest, onSteered }: Listeners = {},
): Promise<ServedPlatform> {
  const loaded = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  const onTrouble = (message: string) => tellWarning(invocation, message);
  loaded.unreadSettings.forEach(onTrouble);
  const secrets = secretsOf(loaded.config);
  const controlToken = randomIds.secret();
  const options: SimulatorOptions = {
    ...loaded.config,
    profile: null,
    choices: loaded.choices,
    onTrouble,
    controlToken,
    keepsState: true,
    signal: invocation.signal,
    ...(fault === undefined ? {} : { faults: fault }),
    ...(seed === undefined ? {} : { seed }),
    ...(onManifest === undefined ? {} : { onManifest: (news) => onManifest(news, secrets) }),
    ...(onSteered === undefined ? {} : { onSteered }),
  };
  const simulator = await namingHolder(loaded.config, invocation, () => startSimulator(options));
  const { localUrl: url, tls } = simulator;
  const config = { ...loaded.config, port: portOf(url) };
  const announced = {
    ...{ command, url, controlToken },
    ...(tls === null ? {} : { trust: { ca: tls.ca, fingerprint: tls.fingerprint } }),
    pid: process.pid,
    version: invocation.version,
    configFile: loaded.file,
  };
  try {
    announcePlatform(config.journal, config.port, announced);
  } catch (error) {
    onTrouble(`other commands will not find this platform: ${(error as Error).message}`);
  }
  await waitForApp(invocation, simulator, showProgress(invocation));
  return {
    simulator,
    config,
    secrets,
    inspector: inspectorLink(url, firstInspectorCode(controlToken)),
    newInspectorLink: async () => {
      const code = await new PlatformClient(announced).inspectorCode();
      return code === null ? null : inspectorLink(url, code);
    },
    async [Symbol.asyncDispose]() {
      withdrawPlatform(config.journal, config.port);
      await simulator.close();
    },
  };
}
