import { readChoices } from "../config/choices.ts";
import { loadManifests } from "../platform/manifests.ts";
import { allChecks } from "./checks.ts";
import { guardUnits } from "./guard-units.ts";
import { importUnits } from "./import-units.ts";
import { manifestUnits } from "./manifest-units.ts";
import { oauthUnits } from "./oauth-units.ts";
import { pageUnits } from "./page-units.ts";
import { isSelected, requireKnown } from "./rules/select.ts";
import { countResults, verdictOf } from "./rules/summary.ts";
import type { Unit, Verification } from "./unit.ts";
import type { VerifyContext } from "./verify-context.ts";
import type { VerifyOptions } from "./verify-options.ts";
import type { CheckResult, VerifyResult } from "./verify-result.ts";
import { runUnits } from "./verify-subject.ts";
import { webhookUnits } from "./webhook-units.ts";

const JOBS = 4;
/** An app that a check brought down gets so long to be started again, unless told otherwise. */
const WAIT_MS = 5000;

/**
 * Verifies that the installed apps check what the interface asks of them, and answer as it says.
 * @throws UsageError for a name that selects no check, or an invalid manifest
 */
export async function runVerify(context: VerifyContext, options: VerifyOptions): Promise<VerifyResult> {
  const selection = { only: options.only ?? [], skip: options.skip ?? [] };
  requireKnown(allChecks, selection);
  const choices = readChoices(context.choices);
  const seed = options.seed ?? context.ids.seed();
  const started = context.clock.monotonic();
  const installed = await loadManifests(context);
  const checks: CheckResult[] = [];
  const warnings = installed.ok ? installed.warnings : [];
  if (installed.ok) {
    const verification: Verification = {
      context,
      choices,
      apps: installed.apps,
      run: 1,
      seed,
      waitMs: WAIT_MS,
      wants: ({ id, isSlow }) => isSelected(selection, id) && (isSlow !== true || options.slow === true),
      onCheck: counter(context, () => total),
    };
    const areasOfUnits = [manifestUnits, guardUnits, pageUnits, importUnits, webhookUnits, oauthUnits];
    const units: readonly Unit[] = areasOfUnits.flatMap((unitsOf) => unitsOf(verification));
    const total = units.reduce((sum, unit) => sum + unit.checks.length, 0);
    checks.push(...(await runUnits(units, options.jobs ?? JOBS)));
  }
  const ms = Math.round(context.clock.monotonic() - started);
  return {
    command: "verify",
    ...verdictOf(installed.ok ? null : installed, checks, context.signal?.aborted === true),
    seed,
    checks,
    summary: { ...countResults(checks), ms },
    warnings: [...warnings],
    choices: choices.used(),
  };
}

/** Tells how far the run has come. */
function counter({ onProgress }: VerifyContext, total: () => number): Verification["onCheck"] {
  let done = 0;
  return (_module, _check, what) => {
    if (what === "ended") done += 1;
    onProgress({ what: "checks", done, of: total() });
  };
}
