import { readChoices } from "../config/choices.ts";
import { allChecks } from "./checks.ts";
import { guardUnits } from "./guard-units.ts";
import { importUnits } from "./import-units.ts";
import { manifestUnits } from "./manifest-units.ts";
import { oauthUnits } from "./oauth-units.ts";
import { pageUnits } from "./page-units.ts";
import { readManifests } from "./read-manifests.ts";
import { isSelected, requireKnown } from "./rules/select.ts";
import { countResults, verdictOf } from "./rules/summary.ts";
import type { Unit, Verification } from "./unit.ts";
import { unusableUnits } from "./unusable-units.ts";
import type { VerifyContext } from "./verify-context.ts";
import type { VerifyOptions } from "./verify-options.ts";
import type { CheckResult, VerifyResult } from "./verify-result.ts";
import { runUnits } from "./verify-subject.ts";
import { webhookUnits } from "./webhook-units.ts";

const JOBS = 4;
const RUN = 1;
/** An app that a check brought down gets so long to be started again, unless told otherwise. */
const WAIT_MS = 5000;

/**
 * Verifies that the installed apps check what the interface asks of them, and answer as it says.
 * @throws UsageError for a name that selects no check, or a manifest file that cannot be read
 */
export async function runVerify(context: VerifyContext, options: VerifyOptions): Promise<VerifyResult> {
  const selection = { only: options.only ?? [], skip: options.skip ?? [] };
  requireKnown(allChecks, selection);
  const choices = readChoices(context.choices);
  const seed = options.seed ?? context.ids.seed();
  const started = context.clock.monotonic();
  const declared = await readManifests(context, RUN);
  const checks: CheckResult[] = [];
  if (declared.ok) {
    const { apps } = declared;
    const verification: Verification = {
      context,
      choices,
      apps,
      run: RUN,
      seed,
      waitMs: WAIT_MS,
      wants: ({ id, isSlow }) => isSelected(selection, id) && (isSlow !== true || options.slow === true),
      onCheck: counter(context, () => total),
    };
    const areasOfUnits = [guardUnits, pageUnits, importUnits, webhookUnits, oauthUnits];
    const units: readonly Unit[] = [
      ...manifestUnits(verification, apps),
      ...areasOfUnits.flatMap((unitsOf) => unitsOf(verification)),
      ...unusableUnits(verification, apps),
    ];
    const total = units.reduce((sum, unit) => sum + unit.checks.length, 0);
    checks.push(...(await runUnits(units, options.jobs ?? JOBS)));
  }
  const ms = Math.round(context.clock.monotonic() - started);
  return {
    command: "verify",
    ...verdictOf(declared.ok ? null : declared, checks, context.signal?.aborted === true),
    seed,
    checks,
    summary: { ...countResults(checks), ms },
    warnings: [],
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
