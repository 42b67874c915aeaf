import type { CommandCall } from "../action/command-call.ts";
import { exitCodes } from "../output/exit-code.ts";
import { verifierLanguage } from "../platform/verifier-language.ts";
import type { WebhookMethods } from "./action.ts";
import { signatureText } from "./signature-text.ts";
import type { WebhookOptions } from "./webhook-options.ts";

/**
 * `app-sim webhook EVENT… --explain [LANGUAGE]`
 * @param language of the code that verifies the delivery; null: Node.js
 * @throws UsageError for a language without code
 */
export async function explainCommand(
  { invocation, onSimulator }: Pick<CommandCall<WebhookMethods>, "invocation" | "onSimulator">,
  events: readonly string[],
  options: WebhookOptions,
  language: string | null,
): Promise<number> {
  const shown = language === null ? "node" : verifierLanguage(language, "; put --explain after the events");
  return onSimulator((simulator) => simulator.explainSignature(events, options), {
    text: (result) => signatureText(result, shown, invocation.paint),
    exitCode: () => exitCodes.asExpected,
    // The text is read by a shell or a compiler.
    isVerbatim: true,
  });
}
