import type { ChoiceReader } from "../../config/choices.ts";
import { findUser } from "../../config/users.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { InstalledApp } from "../../platform/manifests.ts";
import { planLogin } from "../login/login-plan.ts";
import { candidatesOf, exploredAddresses, exploredUsers } from "./explore-candidates.ts";
import type { GuardToExplore } from "./explore-guard.ts";
import type { ExploreOptions } from "./explore-options.ts";

/**
 * The guards to explore, each with the users that are not exempt from it.
 * @param choices learns what the plan relies on
 * @throws UsageError for a user or a guard that there is not
 */
export function planExploration(
  context: SimulatorContext,
  apps: readonly InstalledApp[],
  { modules, user, ipAddress }: ExploreOptions,
  choices: ChoiceReader,
): GuardToExplore[] {
  const { login, users } = context.config;
  const first = user === undefined ? [] : [findUser(context.config, user).role];
  const everybody = exploredUsers(
    [...first, login.user],
    users.map(({ role }) => role),
  );
  const addresses = [...(ipAddress === undefined ? [] : [ipAddress]), login.ipAddress, ...exploredAddresses];
  const candidates = candidatesOf(everybody, addresses);
  const options = modules === undefined ? {} : { modules };
  const guards = new Map(
    everybody.map((role) => [role, planLogin(context, apps, options, findUser(context.config, role), choices).guards]),
  );
  // Everybody has the same guards; only the exemptions differ.
  const [shared = []] = guards.values();
  return shared.map(({ key, type, installed }, index) => ({
    module: key,
    app: installed.app.url,
    type,
    candidates: candidates.filter(({ user: role }) => guards.get(role)?.[index]?.exempt === null),
  }));
}
