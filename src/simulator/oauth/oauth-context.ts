import type { App } from "../../config/schema.ts";
import type { AccessTokens } from "../../platform/access-tokens.ts";
import type { ChoiceReader } from "../../protocol/choices.ts";
import type { SimulatorContext } from "../context.ts";
import type { Hooks } from "../hooks.ts";
import type { Changeable } from "./changeable.ts";
import type { Faults } from "./faults.ts";
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
