import type { ChoiceReader } from "../config/choices.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { claimsNow, type ModuleTokenSubject } from "../platform/module-token.ts";
import type { TokenParts } from "./request-parts.ts";

/** The token of a correct request, issued now (interface 5.1). */
export async function moduleTokenParts(
  context: SimulatorContext,
  choices: ChoiceReader,
  subject: Omit<ModuleTokenSubject, "organization">,
): Promise<TokenParts> {
  const { header, key } = await context.signer.signingKey(subject.app, choices);
  return { header, claims: claimsNow(context, choices, subject), key };
}
