import type { User } from "../../config/schema.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { rightInput, wrongInput } from "../rules/stages.ts";
import type { Interaction } from "./interaction.ts";
import type { LoginOptions } from "./login-options.ts";
import type { LoginPerson, LoginSession } from "./login-session.ts";

/** Does what the user is asked to do at the page of a guard. */
export type PageVisitor = (login: LoginSession, interaction: Interaction) => void | Promise<void>;

/**
 * A user who needs no person: does every stage right, after having failed it as often as asked, and leaves the
 * pages of guards to the visitor. A `manual` one leaves the stages to whoever watches the login.
 */
export function scriptedPerson(
  { clock }: SimulatorContext,
  user: User,
  { fail = {}, manual = false }: LoginOptions,
  visit: PageVisitor,
): LoginPerson {
  return {
    atStage(login, stage, failures) {
      if (manual) return;
      const input = failures < (fail[stage] ?? 0) ? wrongInput : rightInput;
      login.enter(input(stage, user, clock.now()));
    },
    atPage: visit,
  };
}
