import type { ChoiceReader } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { Hooks } from "../../platform/hooks.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { Faults } from "./apply-faults.ts";
import type { Changeable } from "./changeable.ts";
import type { Grants } from "./grants.ts";

/** The parts and the state that the endpoints of the authorization server share. */
export interface OAuthContext {
  readonly context: SimulatorContext;
  /** Notes which choices the answers relied on. */
  readonly choices: ChoiceReader;
  readonly accessTokens: AccessTokens;
  readonly grants: Grants;
  readonly faults: Faults;
  readonly hooks: Hooks<Changeable>;
  /** The apps that are installed in the organization, at first all of the configuration. */
  readonly installed: Set<App>;
}
