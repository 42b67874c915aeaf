import type { CommandCall } from "../../action/command-call.ts";
import { exitCodes } from "../../output/exit-code.ts";
import { type VerifierLanguage, verifierLanguage } from "../../platform/verifier-language.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { GuardMethods } from "../action.ts";
import type { TokenExplanation } from "./token-explanation.ts";
import { tokenText } from "./token-text.ts";

/**
 * `app-sim guard --explain [LANGUAGE]`
 * @param language of the code that verifies the token; null: Node.js
 * @throws UsageError for a language without code
 */
export async function explainTokenCommand(
  { invocation, onSimulator }: Pick<CommandCall<GuardMethods>, "invocation" | "onSimulator">,
  module: string | undefined,
  language: string | null,
): Promise<number> {
  const shown = language === null ? "node" : verifierLanguage(language, "");
  return onSimulator(
    async (simulator) => {
      const result = await simulator.explainToken(module === undefined ? {} : { module });
      requireCode(result, shown);
      return result;
    },
    {
      text: (result) => tokenText(result, shown, invocation.paint),
      exitCode: () => exitCodes.asExpected,
      // The text is compiled.
      isVerbatim: true,
    },
  );
}

/** @throws UsageError if there is no code for such tokens in this language */
function requireCode({ verifiers, header, keysUrl }: TokenExplanation, language: VerifierLanguage): void {
  if (verifiers.some((verifier) => verifier.language === language)) return;
  throw new UsageError(
    "language-unknown",
    `--explain ${language}: there is no code for tokens signed with ${header.alg} in this language`,
    `languages: ${verifiers.map((verifier) => verifier.language).join(", ")}; any JWT library can verify them with the keys at ${keysUrl}`,
  );
}
