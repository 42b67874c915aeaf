import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { secretsOf } from "../config/secrets.ts";
import { type ExploreResult, type RunningSimulator, startSimulator } from "../index.ts";
import { credentialsSent } from "../journal/credentials.ts";
import { exchangeDetails, exchangeSummary } from "../output/exchange-text.ts";
import { exitCodeOf } from "../output/exit-code.ts";
import type { Invocation } from "../output/invocation.ts";
import { jsonText } from "../output/json.ts";
import { type Progress, showProgress } from "../output/progress.ts";
import { tell } from "../output/tell.ts";
import type { ExchangeLines } from "../output/text.ts";
import { withoutSecrets } from "../output/without-secrets.ts";
import type { Result } from "../platform/results.ts";
import { isAsymmetric } from "../platform/tokens.ts";
import { namingHolder } from "./taken-port.ts";

/** What an action may need beside the simulator. */
export interface Session {
  readonly loaded: LoadedConfig;
  /** An exchange in short, and in full. */
  readonly exchanges: ExchangeLines;
  readonly details: ExchangeLines;
  readonly progress: Progress;
}

/** What comes after the result was printed. */
interface Ending<R> {
  /** Default: that of {@link exitCodeOf}. */
  readonly exitCode?: (result: R) => number;
  /** The platform stays up until it is over. */
  readonly afterwards?: (result: R) => Promise<void>;
}

/**
 * Runs one action on a simulator with the user's configuration, prints its result and returns the exit code.
 * @param print the result as lines of text
 */
export async function runWithSimulator<R extends (Result | ExploreResult) & { readonly warnings: readonly string[] }>(
  invocation: Invocation,
  action: (simulator: RunningSimulator, session: Session) => Promise<R>,
  print: (result: R, exchanges: ExchangeLines, simulator: RunningSimulator) => string[],
  { exitCode = exitCodeOf, afterwards = async () => {} }: Ending<R> = {},
): Promise<number> {
  const loaded = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  return namingHolder(loaded.config, invocation, async () => {
    const progress = showProgress(invocation);
    const secrets = secretsOf(loaded.config);
    const { config, choices } = loaded;
    await using simulator = await startSimulator({
      ...config,
      profile: null,
      choices,
      // The app may have to fetch public keys; else only the pages of a login are ever opened.
      listen: isAsymmetric(choices["guard.jwt.algorithm"]) || config.port === 0 || "when-needed",
      onCall: progress.callStarted,
      onPause: (milliseconds) => progress.started("waiting before the next attempt", milliseconds),
      onProgress: progress.advanced,
      onTrouble: (message) => tell(invocation, `warning: ${message}`),
      signal: invocation.signal,
    });
    simulator.journal.subscribe(progress.callEnded);
    await waitForApp(invocation, simulator, progress);
    const exchanges = exchangeLines(simulator, secrets, invocation);
    const details = exchangeLines(simulator, secrets, invocation, exchangeDetails);
    const done = await action(simulator, { loaded, exchanges, details, progress }).finally(progress.stop);
    const result = withoutSecrets(done, [...secrets, ...credentialsSent(simulator.journal.list())]);
    for (const warning of result.warnings) tell(invocation, `warning: ${warning}`);
    if (invocation.format === "json") invocation.out(jsonText(result));
    else invocation.out(`${print(result, exchanges, simulator).join("\n")}\n`);
    await afterwards(result);
    return exitCode(result);
  });
}

/** `--wait`: what the app does afterwards is the action's to see. */
export async function waitForApp(
  { waitMs, err, signal }: Invocation,
  simulator: RunningSimulator,
  progress: Progress,
): Promise<void> {
  if (waitMs === 0) return;
  progress.started("waiting for the app to listen", waitMs);
  const listens = await simulator.waitForApp(waitMs).finally(progress.stop);
  if (!listens && !signal.aborted) err(`warning: the app did not listen within ${waitMs / 1000} s\n`);
}

/** Shows an exchange of this simulator: in short, unless said otherwise. */
export function exchangeLines(
  simulator: RunningSimulator,
  secrets: readonly string[],
  { paint }: Invocation,
  show = exchangeSummary,
): ExchangeLines {
  return (id) => {
    const record = simulator.journal.find(id);
    return record?.type === "exchange" ? show(record, secrets, paint) : [];
  };
}
