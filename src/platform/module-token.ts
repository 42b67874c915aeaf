import type { ChoiceReader } from "../config/choices.ts";
import { type ModuleTokenSubject, moduleClaims } from "./claims.ts";
import type { SimulatorContext } from "./context.ts";

/** The JWT for one call to a module, as of now (interface 5.1). */
export function moduleToken(
  { clock, config, signer }: SimulatorContext,
  choices: ChoiceReader,
  subject: Omit<ModuleTokenSubject, "organization">,
): Promise<string> {
  const now = Math.floor(clock.now() / 1000);
  const lifetime = choices.get("guard.jwt.lifetime");
  const about = { ...subject, organization: config.organization };
  return signer.sign(moduleClaims(about, now, lifetime, choices.get("guard.jwt.claims")), subject.app, choices);
}
