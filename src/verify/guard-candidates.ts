import type { ChoiceReader } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import { findUser } from "../config/users.ts";
import { candidatesOf, exploredAddresses, exploredUsers } from "../guard/rules/explore.ts";
import type { GuardModule } from "../platform/manifest.ts";
import { guardExemption } from "../platform/modules.ts";
import type { Person } from "./subjects/guard-call.ts";

/** The users and addresses to try at a guard, the most telling first; nobody who is exempt from it. */
export function configuredCandidates(config: Config, guard: GuardModule, choices: ChoiceReader): Person[] {
  const users = exploredUsers(
    [config.login.user],
    config.users.map(({ role }) => role),
  );
  return candidatesOf(users, [config.login.ipAddress, ...exploredAddresses])
    .map(({ user, ipAddress }) => ({ user: findUser(config, user), ipAddress }))
    .filter(({ user }) => guardExemption(guard, user, choices) === null);
}
