import type { Ending, Session } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { waitForApp } from "../action/wait-for-app.ts";
import type { ChoiceId, Choices } from "../config/choices.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { secretsOf } from "../config/secrets.ts";
import { credentialsSent } from "../journal/credentials.ts";
import type { JournalRecord } from "../journal/record.ts";
import { withChangedChoices } from "../output/changed-choices.ts";
import { exchangeDetails, exchangeLines } from "../output/exchange-text.ts";
import { exitCodes } from "../output/exit-code.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { showProgress } from "../output/progress.ts";
import { tellWarning } from "../output/tell.ts";
import { type ExchangeLines, plural } from "../output/text.ts";
import { withoutSecrets } from "../output/without-secrets.ts";
import { isAsymmetric } from "../platform/tokens.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { namingHolder } from "../serve/running-platform.ts";
import { startConfigured } from "../start-platform.ts";
import { type CommandPlatform, findRemotePlatform } from "./remote-platform.ts";

/** More lines than anybody reads would hide the result. */
const MOST_WARNINGS = 50;

/** Runs an action on a simulator with the user's configuration, prints its result, and resolves with the exit code. */
export async function runOnSimulator<
  Result extends { readonly warnings: readonly string[]; readonly choices?: readonly ChoiceId[] },
>(
  given: Invocation,
  action: (simulator: CommandPlatform, session: Session) => Promise<Result>,
  { text, exitCode, isVerbatim = false, afterwards = async () => {} }: Ending<Result, CommandPlatform>,
  invocation: Invocation = given,
): Promise<number> {
  const own = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  for (const warning of own.unreadSettings) tellWarning(invocation, warning);
  const progress = showProgress(invocation);
  if (invocation.report.quiet) progress.silence();
  const listeners = {
    onCall: progress.callStarted,
    onPause: (milliseconds: number) => progress.started("waiting before the next attempt", milliseconds),
    onProgress: progress.advanced,
  };
  const above = (lines: string) => {
    progress.erase();
    invocation.err(lines);
  };
  const remote = await findRemotePlatform(own, invocation, listeners);
  if (invocation.evidence.length > 0) await (await import("../report/evidence.ts")).requireEvidenceFiles(invocation);
  return namingHolder(own.config, invocation, async () => {
    const started = remote ?? (await startOwn(own, { ...invocation, err: above }, listeners));
    await using simulator: CommandPlatform = started;
    const loaded = remote === null ? own : { ...own, config: remote.config, choices: remote.choices };
    const secrets = secretsOf(loaded.config);
    simulator.journal.subscribe(progress.callEnded);
    await waitForApp(invocation, simulator, progress);
    const { journal } = simulator;
    const exchanges = exchangeLines(journal, secrets, invocation.paint);
    const details = exchangeLines(journal, secrets, invocation.paint, exchangeDetails);
    const session = { loaded, isRemote: remote !== null, secrets, exchanges, details, progress };
    const done = await action(simulator, session).finally(progress.stop);
    const result = withoutSecrets(done, [...secrets, ...credentialsSent(journal.list())]);
    for (const warning of result.warnings.slice(0, MOST_WARNINGS)) tellWarning(invocation, warning);
    const more = result.warnings.length - MOST_WARNINGS;
    if (more > 0) tellWarning(invocation, `and ${withCommas(more)} more; --format json has all`);
    const { quiet, verbose } = invocation.report;
    const shown = verbose ? result : withChangedChoices(result, loaded.choices);
    const lines = invocation.format === "json" ? null : text(shown, exchanges, simulator);
    if (lines === null) invocation.out(jsonText(result));
    else if (invocation.format !== "text" || isVerbatim) invocation.out(`${lines.join("\n")}\n`);
    else if (!quiet || exitCode(result) !== exitCodes.asExpected) {
      printLines(invocation, wholeReport(invocation, result, lines, { records: journal.list(), details }));
    }
    if (invocation.evidence.length > 0) {
      const { writeEvidence } = await import("../report/evidence.ts");
      await writeEvidence(invocation, {
        loaded,
        records: journal.list(),
        text: lines ?? text(shown, exchanges, simulator),
        warnings: result.warnings,
        choices: result.choices ?? [],
        exitCode: exitCode(result),
      });
    }
    await afterwards(result);
    return exitCode(result);
  });
}

/** More exchanges than anybody reads would take minutes to print. */
const MOST_EXCHANGES = 100;

/**
 * The report with the additions of `--verbose` and `--details`: the seed, and before everything else, every exchange of
 * the run in full.
 */
function wholeReport(
  { report: { verbose, details } }: Invocation,
  result: object,
  lines: readonly string[],
  run: { readonly records: readonly JournalRecord[]; readonly details: ExchangeLines },
): string[] {
  const seed = "seed" in result ? `seed ${result.seed}` : null;
  const isSaid = seed === null || lines.some((line) => line.includes(seed));
  const ids = details ? run.records.flatMap(({ type, id }) => (type === "exchange" ? [id] : [])) : [];
  const more = ids.length - MOST_EXCHANGES;
  return [
    ...ids.slice(0, MOST_EXCHANGES).flatMap((id) => [...run.details(id), ""]),
    ...(more > 0 ? [`… and ${plural(more, "more exchange")}; app-sim log has all`, ""] : []),
    ...lines,
    ...(verbose && !isSaid ? [seed] : []),
  ];
}

/**
 * Whether the app may request something from the platform while a command runs: public keys, or the token of its
 * installation.
 */
function mayBeAsked(choices: Choices): boolean {
  const installations = [
    "install.event",
    "oauth.grant.installation",
    "oauth.grant.agent",
    "oauth.grant.callCode",
  ] as const;
  return isAsymmetric(choices["guard.jwt.algorithm"]) || installations.some((id) => choices[id] !== "off");
}

function startOwn(
  { config, choices }: LoadedConfig,
  invocation: Invocation,
  listeners: Parameters<typeof findRemotePlatform>[2],
): Promise<CommandPlatform> {
  // The command's working directory, in which fixtures may name any file.
  const allowPaths = [invocation.cwd, ...config.allowPaths];
  return startConfigured(
    { config: { ...config, allowPaths }, choices },
    {
      ...listeners,
      journal: config.journal,
      keepsState: true,
      listen: mayBeAsked(choices) || config.port === 0 || "when-needed",
      onTrouble: (message) => tellWarning(invocation, message),
      signal: invocation.signal,
    },
  );
}
