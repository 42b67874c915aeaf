import type { Invocation } from "../action/invocation.ts";
import { remoteMethods, type SimulatorMethods } from "../actions.ts";
import { systemClock } from "../app-client/ports.ts";
import { waitUntilListening } from "../app-client/wait-for-app.ts";
import type { LoadedConfig } from "../config/load.ts";
import { createJournal } from "../journal/journal.ts";
import { tellWarning } from "../output/tell.ts";
import type { ClockState } from "../platform/platform-clock.ts";
import type { PlatformFace, Progress, StartedCall } from "../platform/simulator-options.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { PlatformClient } from "../serve/platform-client.ts";
import { type AnnouncedPlatform, findRunningPlatform } from "../serve/running-platform.ts";

/** The platform of a command: its own, or one that runs in another process. */
export interface CommandPlatform extends PlatformFace, SimulatorMethods, AsyncDisposable {
  /** Resolves when the browser that shows a login has shown how it ended, before the command's own platform ends. */
  endShown(login: string, signal: AbortSignal): Promise<void>;
}

/** Callbacks that show a command's progress. */
interface Listeners {
  readonly onCall: (call: StartedCall) => void;
  readonly onPause: (milliseconds: number) => void;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * The platform that `app-sim serve` or `app-sim exec` runs on the configured port; null if there is none.
 * @throws UsageError for one of another version, or with other settings; ExitError for one that does not answer
 */
export async function findRemotePlatform(
  loaded: LoadedConfig,
  invocation: Invocation,
  listeners: Listeners,
): Promise<CommandPlatform | null> {
  const { config, given } = loaded;
  const announced = config.port === 0 ? null : findRunningPlatform(config, invocation);
  if (announced === null) return null;
  requireSameFile(announced, loaded, invocation);
  const client = new PlatformClient(announced);
  const settled = await client.settle(given);
  if (settled === null) return null;
  const journal = createJournal();
  const run = (name: string, args: readonly unknown[]) =>
    client.run(
      name,
      args,
      { given, cwd: invocation.cwd, signal: invocation.signal },
      {
        onRecord: journal.append,
        ...listeners,
      },
    );
  const methods = Object.fromEntries(remoteMethods.map((name) => [name, (...args: unknown[]) => run(name, args)]));
  const { url } = settled;
  return {
    ...(methods as unknown as SimulatorMethods),
    url,
    config: settled.config,
    choices: settled.choices,
    journal,
    clock: clockLike(settled.clock),
    waitForApp: async (timeoutMs) => {
      const { apps } = settled.config;
      const waits = apps.map((app) => waitUntilListening(app.url, timeoutMs, systemClock, invocation.signal));
      return (await Promise.all(waits)).every(Boolean);
    },
    // It stays up, and so do its pages.
    endShown: async () => {},
    [Symbol.asyncDispose]: async () => journal.close(),
  };
}

/** A clock that runs as the platform's did when it was queried. */
function clockLike({ now, frozen, offsetMs }: ClockState): PlatformFace["clock"] {
  return { now: () => new Date(frozen ? now : systemClock.now() + offsetMs) };
}

/** The running platform read its config file once; settings in another one would have no effect. */
function requireSameFile(
  { command, pid, configFile }: AnnouncedPlatform,
  { file }: LoadedConfig,
  invocation: Invocation,
): void {
  const { settings, env } = invocation;
  const isNamed = (settings.config ?? env.APP_SIM_CONFIG ?? "") !== "";
  const holder = `app-sim ${command} (process ${pid})`;
  if (isNamed && file?.path !== configFile?.path) {
    throw new UsageError(
      "platform-differs",
      `${holder} was started with ${configFile === null ? "no config file" : `the config file ${configFile.path}`}, not with ${file?.path}`,
      "leave out --config, or choose another port with --port, for example to start a platform just for this command",
    );
  }
  if (file === null || file.modifiedAt === configFile?.modifiedAt) return;
  if (configFile === null) {
    tellWarning(invocation, `${holder} was started without ${file.path}: restart it to use that file`);
  } else if (file.path === configFile.path) {
    tellWarning(invocation, `${file.path} was changed after ${holder} read it: restart that to use the changes`);
  }
}
