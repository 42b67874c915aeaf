import type { CommandCall } from "../action/command-call.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import { type ExchangeLines, triedByLine } from "../output/text.ts";
import type { PlatformFace } from "../platform/simulator-options.ts";
import type { OAuthLoginFlags, OAuthLoginMethods } from "./action.ts";
import type { OAuthLoginResult } from "./login-result.ts";
import type { OAuthLoginOptions } from "./oauth-login-options.ts";
import { oauthExchangeLines, oauthText } from "./oauth-text.ts";

/** `app-sim oauth` */
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
    {
      text: (result) => [
        ...oauthText(result, lines, invocation.paint),
        ...(oauthExitCode(result) === exitCodes.asExpected
          ? triedByLine("To test what else the app must refuse:", "verify --only oauth", invocation)
          : []),
      ],
      exitCode: oauthExitCode,
    },
  );
}

/** The exit code of a login by OAuth; if the user could not decide, it proves nothing about the app's login. */
export function oauthExitCode({ outcome, decision, failure }: OAuthLoginResult): number {
  const asExpected = outcome === "ok" || (outcome === "denied" && decision === "deny");
  return asExpected ? exitCodes.asExpected : exitCodeOfFailures([failure]);
}
