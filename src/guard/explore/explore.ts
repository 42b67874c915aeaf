import { limitConcurrency } from "../../app-client/limit-concurrency.ts";
import type { PageTrouble } from "../../browser/fill-form.ts";
import { type ChoiceReader, readChoices } from "../../config/choices.ts";
import { findUser } from "../../config/users.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { type InstalledApp, loadManifests } from "../../platform/manifests.ts";
import { onOwnTargets, requireOwnTargets } from "../../platform/own-targets.ts";
import { joinUrl } from "../../protocol/url.ts";
import type { GuardResult } from "../guard-result.ts";
import { planLogin } from "../login/login-plan.ts";
import type { Logins } from "../login/logins.ts";
import { runLogin } from "../login/run-login.ts";
import {
  candidatesOf,
  explorationVerdict,
  exploredAddresses,
  exploredRows,
  exploredUsers,
  type GuardToExplore,
  unique,
} from "../rules/explore.ts";
import { loginTable } from "../rules/login-table.ts";
import type { VisitContext } from "../visit/page-visitor.ts";
import { exploreGuard, type TryLogin } from "./explore-guard.ts";
import type { ExploreOptions } from "./explore-options.ts";
import type { ExploreResult } from "./explore-result.ts";

/** Logins under way at a time; those of one guard follow one another, as an app may remember what they do. */
const LOGINS_AT_ONCE = 4;

/**
 * Takes every transition of interface 3.1 that the guards of the manifests can take, by real logins: for each guard at
 * most one for every pair of a user and an address, and three more.
 * @throws UsageError for an unknown user or guard, an invalid manifest, or an app at a public address
 */
export async function runExplore(given: VisitContext, logins: Logins, options: ExploreOptions): Promise<ExploreResult> {
  const context = await onOwnTargets(given, options.allowPublic === true);
  const choices = readChoices(context.choices);
  const installed = await loadManifests(context);
  if (!installed.ok) {
    const { reason, hint, failure } = installed;
    const rows = loginTable.map((row) => ({ ...row, status: "failed" as const, why: reason, evidence: [] }));
    const nothing = { beside: [], tried: { users: [], ipAddresses: [] }, logins: 0, warnings: [] };
    return { command: "explore", outcome: "failed", reason, hint, failure, rows, ...nothing, choices: choices.used() };
  }
  // The logins of a platform have its own gateway, so that their guards are looked at before.
  const guards = installed.apps.flatMap(({ app, manifest }) => manifest.guards.map(({ url }) => joinUrl(app.url, url)));
  await requireOwnTargets(guards, options.allowPublic === true);
  const toExplore = planExploration(context, installed.apps, options, choices);
  const { interactionTimeout, modules, page } = options;
  const warnings = new Set<string>();
  let count = 0;
  let end: PageTrouble | null = null;
  const tryLogin: TryLogin = async (login) => {
    if (end !== null) return { result: null, trouble: end };
    count++;
    const result = await runLogin(context, logins, {
      ...(interactionTimeout === undefined ? {} : { interactionTimeout }),
      ...login,
    });
    for (const choice of result.choices) choices.relyOn(choice);
    for (const stage of result.stages)
      for (const warning of stage.warnings ?? []) warnings.add(`${stage.module}: ${warning}`);
    const trouble = troubleOf(result);
    if (trouble?.failure === "unreachable" || trouble?.failure === "interrupted") end ??= trouble;
    return { result, trouble };
  };
  const inTurn = limitConcurrency(LOGINS_AT_ONCE);
  const explorations = await Promise.all(
    toExplore.map((guard) => inTurn(() => exploreGuard(guard, page, context.ids.secret(), tryLogin))),
  );
  const rows = exploredRows(explorations, (types) =>
    modules === undefined ? `the manifest declares no ${types} guard` : `no ${types} guard is among those chosen`,
  );
  const tried = explorations.flatMap((exploration) => exploration.tried);
  const users = unique(tried.map(({ user }) => user));
  return {
    command: "explore",
    ...explorationVerdict(rows, explorations, end),
    rows,
    beside: [],
    tried: { users, ipAddresses: unique(tried.map(({ ipAddress }) => ipAddress)) },
    logins: count,
    // Sorted, because logins end in any order.
    warnings: [...installed.warnings, ...[...warnings].sort()],
    choices: choices.used(),
  };
}

/** A page that cannot be walked leaves its login undecided; only a failed call ends one with a failure. */
function troubleOf({ outcome, reason, hint, failure }: GuardResult): PageTrouble | null {
  if (failure === null || (outcome === "needs-user" && failure !== "interrupted")) return null;
  return { reason: reason ?? "a call failed", hint, failure };
}

/** The guards to explore, each with the users that are not exempt from it. */
function planExploration(
  context: SimulatorContext,
  apps: readonly InstalledApp[],
  { modules, user, ipAddress }: ExploreOptions,
  choices: ChoiceReader,
): GuardToExplore[] {
  const { config } = context;
  const preferred = [...(user === undefined ? [] : [findUser(config, user).role]), config.login.user];
  const configured = config.users.map(({ role }) => role);
  const users = exploredUsers(preferred, configured);
  const addresses = [...(ipAddress === undefined ? [] : [ipAddress]), config.login.ipAddress, ...exploredAddresses];
  const candidates = candidatesOf(users, addresses);
  const options = modules === undefined ? {} : { modules };
  const guards = new Map(
    users.map((role) => [role, planLogin(context, apps, options, findUser(config, role), choices).guards]),
  );
  // Every user has the same guards; only the exemptions differ.
  const [shared = []] = guards.values();
  return shared.map(({ key, type, installed }, index) => ({
    module: key,
    app: installed.app.url,
    type,
    candidates: candidates.filter((candidate) => guards.get(candidate.user)?.[index]?.exempt === null),
  }));
}
