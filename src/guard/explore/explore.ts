import { limitConcurrency } from "../../app-client/limit-concurrency.ts";
import { readChoices } from "../../config/choices.ts";
import { loadManifests } from "../../platform/manifests.ts";
import type { Logins } from "../login/logins.ts";
import { runLogin } from "../login/run-login.ts";
import { loginTable } from "../rules/login-table.ts";
import type { VisitContext } from "../visit/page-visitor.ts";
import { unique } from "./explore-candidates.ts";
import { exploreGuard } from "./explore-guard.ts";
import type { ExploreOptions } from "./explore-options.ts";
import { planExploration } from "./explore-plan.ts";
import type { ExploreResult } from "./explore-result.ts";
import { exploredRows } from "./explore-rows.ts";
import { createTrials } from "./explore-trials.ts";
import { explorationVerdict } from "./explore-verdict.ts";

/** Logins under way at a time; those of one guard follow one another, as an app may remember what they do. */
const LOGINS_AT_ONCE = 4;

/**
 * Takes every transition of interface 3.1 that the guards of the manifests can take, by real logins: for each guard at
 * most one for every pair of a user and an address, and three more.
 * @throws UsageError for a user or a guard that there is not, or a manifest that is not valid
 */
export async function runExplore(
  context: VisitContext,
  logins: Logins,
  options: ExploreOptions,
): Promise<ExploreResult> {
  const choices = readChoices(context.choices);
  const installed = await loadManifests(context);
  if (!installed.ok) {
    const { reason, hint, failure } = installed;
    const rows = loginTable.map((row) => ({ ...row, status: "failed" as const, why: reason, evidence: [] }));
    const facts = {
      rows,
      beside: [],
      tried: { users: [], ipAddresses: [] },
      logins: 0,
      warnings: [],
      choices: choices.used(),
    };
    return { command: "explore", outcome: "failed", reason, hint, failure, ...facts };
  }
  const toExplore = planExploration(context, installed.apps, options, choices);
  const { interactionTimeout, modules, page } = options;
  const common = interactionTimeout === undefined ? {} : { interactionTimeout };
  const trials = createTrials((login) => runLogin(context, logins, { ...common, ...login }), choices);
  const inTurn = limitConcurrency(LOGINS_AT_ONCE);
  const explorations = await Promise.all(
    toExplore.map((guard) => inTurn(() => exploreGuard(guard, page, context.ids.secret(), trials))),
  );
  const rows = exploredRows(explorations, (types) =>
    modules === undefined ? `the manifest declares no ${types} guard` : `no ${types} guard is among those chosen`,
  );
  const tried = explorations.flatMap((exploration) => exploration.tried);
  return {
    command: "explore",
    ...explorationVerdict(rows, explorations, trials.end()),
    rows,
    beside: [],
    tried: {
      users: unique(tried.map(({ user }) => user)),
      ipAddresses: unique(tried.map(({ ipAddress }) => ipAddress)),
    },
    logins: trials.count(),
    warnings: [...installed.warnings, ...trials.warnings()],
    choices: choices.used(),
  };
}
