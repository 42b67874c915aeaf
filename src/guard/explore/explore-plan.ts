import type { ChoiceReader } from "../../config/choices.ts";
import type { Role } from "../../config/roles.ts";
import { findUser } from "../../config/users.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { InstalledApp } from "../../platform/manifests.ts";
import { type LoginGuard, planLogin } from "../login/login-plan.ts";
import { type Candidate, candidatesOf, exploredAddresses, exploredUsers } from "./explore-candidates.ts";
import type { GuardToExplore } from "./explore-guard.ts";
import type { ExploreOptions } from "./explore-options.ts";

/** What is to be explored, by whom. */
export interface ExplorePlan {
  /** Everybody, in the order in which they are tried. */
  readonly candidates: readonly Candidate[];
  /** The guards of each user, in their order; who is exempt from them differs. */
  readonly guards: ReadonlyMap<Role, readonly LoginGuard[]>;
  readonly toExplore: readonly GuardToExplore[];
}

/**
 * @param choices learns what the plan relies on
 * @throws UsageError for a user or a guard that there is not
 */
export function planExploration(
  context: SimulatorContext,
  apps: readonly InstalledApp[],
  { modules, user, ipAddress }: ExploreOptions,
  choices: ChoiceReader,
): ExplorePlan {
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
  const toExplore = shared.map(({ key, type, installed }, index) => ({
    module: key,
    app: installed.app.url,
    type,
    candidates: candidates.filter(({ user: role }) => guards.get(role)?.[index]?.exempt === null),
  }));
  return { candidates, guards, toExplore };
}
