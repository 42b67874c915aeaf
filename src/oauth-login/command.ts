import type { CommandCall } from "../action/command-call.ts";
import { issuedSecrets } from "../journal/issued-secrets.ts";
import type { Journal } from "../journal/journal.ts";
import { exchangeLines } from "../output/exchange-text.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import type { Paint } from "../output/paint.ts";
import type { ExchangeLines } from "../output/text.ts";
import type { PlatformFace } from "../platform/simulator-options.ts";
import type { OAuthLoginFlags, OAuthLoginMethods } from "./action.ts";
import type { OAuthLoginResult } from "./login-result.ts";
import type { OAuthLoginOptions } from "./oauth-login-options.ts";
import { exchangeLine, oauthText } from "./oauth-text.ts";

/** `app-sim oauth --start URL` */
export function oauthCommand({
  invocation,
  options,
  onSimulator,
}: CommandCall<PlatformFace & OAuthLoginMethods, OAuthLoginFlags, OAuthLoginOptions>): Promise<number> {
  let lines: ExchangeLines = () => [];
  return onSimulator(
    async (simulator, { secrets }) => {
      const result = await simulator.oauthLogin(options);
      lines = oauthExchangeLines(simulator.journal, secrets, invocation.paint);
      return result;
    },
    { text: (result) => oauthText(result, lines, invocation.paint), exitCode: oauthExitCode },
  );
}

/** Shows an exchange of a login by OAuth, without what was issued in it. */
export function oauthExchangeLines(journal: Journal, secrets: readonly string[], paint: Paint): ExchangeLines {
  const issued = journal.list().flatMap((record) => (record.type === "exchange" ? issuedSecrets(record) : []));
  return exchangeLines(journal, [...secrets, ...issued.map(({ value }) => value)], paint, exchangeLine);
}

/** The exit code of a login by OAuth; a user who could not decide shows nothing of the app's login. */
export function oauthExitCode({ outcome, decision, failure }: OAuthLoginResult): number {
  const asExpected = outcome === "ok" || (outcome === "denied" && decision === "deny");
  return asExpected ? exitCodes.asExpected : exitCodeOfFailures([failure]);
}
