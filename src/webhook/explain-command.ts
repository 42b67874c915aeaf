import type { CommandCall } from "../action/command-call.ts";
import { exitCodes } from "../output/exit-code.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { WebhookMethods } from "./action.ts";
import { signatureText } from "./signature-text.ts";
import { type VerifierLanguage, verifierLanguages } from "./verifiers.ts";
import type { WebhookOptions } from "./webhook-options.ts";

/**
 * `app-sim webhook EVENT… --explain [LANGUAGE]`
 * @param language of the code that verifies the delivery; null: Node.js
 * @throws UsageError for a language that there is no code for
 */
export async function explainCommand(
  { invocation, onSimulator }: Pick<CommandCall<WebhookMethods>, "invocation" | "onSimulator">,
  events: readonly string[],
  options: WebhookOptions,
  language: string | null,
): Promise<number> {
  const shown = language === null ? "node" : verifierLanguage(language);
  return onSimulator((simulator) => simulator.explainSignature(events, options), {
    text: (result) => signatureText(result, shown, invocation.paint),
    exitCode: () => exitCodes.asExpected,
    // A shell and a compiler read what is in it.
    isVerbatim: true,
  });
}

function verifierLanguage(text: string): VerifierLanguage {
  const asked = text.toLowerCase() === "c#" ? "csharp" : text.toLowerCase();
  const found = verifierLanguages.find((language) => language === asked);
  if (found !== undefined) return found;
  throw new UsageError(
    "language-unknown",
    `--explain ${harmlessLine(text)}: not a language that there is code for.${didYouMean(text, verifierLanguages)}`,
    `languages: ${verifierLanguages.join(", ")}; --explain stands behind the events`,
  );
}
