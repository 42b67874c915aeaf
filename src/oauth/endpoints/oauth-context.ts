import type { ChoiceReader } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { Hooks } from "../../platform/hooks.ts";
import type { AccessTokens } from "../rules/access-tokens.ts";
import type { Faults } from "./apply-faults.ts";
import type { Changeable } from "./changeable.ts";
import type { Grants } from "./grants.ts";

/** What every endpoint of the authorization server works with. */
export interface OAuthContext {
  readonly context: SimulatorContext;
  /** What the answers so far relied on. */
  readonly choices: ChoiceReader;
  readonly accessTokens: AccessTokens;
  readonly grants: Grants;
  readonly faults: Faults;
  readonly hooks: Hooks<Changeable>;
  /** The apps that are installed in the organization, as those of the configuration are at first. */
  readonly installed: Set<App>;
}
