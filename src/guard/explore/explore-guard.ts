import type { PageTrouble } from "../../browser/fill-form.ts";
import type { GuardResult, GuardStage } from "../guard-result.ts";
import type { PageOption } from "../login/login-options.ts";
import type { PlanOptions } from "../login/login-plan.ts";
import {
  type Aim,
  aimOf,
  type Candidate,
  type GuardExploration,
  type GuardToExplore,
  type PlannedVisit,
  rowsOf,
  visitsOf,
} from "../rules/explore.ts";
import type { LoginRow } from "../rules/login-table.ts";
import type { RowEvidence } from "./explore-result.ts";

/** Makes one login; `result` is null where an earlier trouble makes further ones pointless. */
export type TryLogin = (
  options: PlanOptions,
) => Promise<{ readonly result: GuardResult | null; readonly trouble: PageTrouble | null }>;

/**
 * Makes logins with one guard until every row was taken or nothing is left to try: one for each candidate until both
 * answers to the first call were seen, and then up to three for one who is asked to interact.
 * @param page how the app's own page is walked to a code
 * @param madeUpCode what the app cannot have issued
 */
export async function exploreGuard(
  guard: GuardToExplore,
  page: PageOption | undefined,
  madeUpCode: string,
  tryLogin: TryLogin,
): Promise<GuardExploration> {
  const seen = new Map<number, RowEvidence>();
  const tried: Candidate[] = [];
  const refused: Candidate[] = [];
  const endings = new Map<Aim, string>();
  let isPassedAtOnce = false;
  let acceptedMadeUpCode: RowEvidence | null = null;
  let trouble: PageTrouble | null = null;
  let failed: RowEvidence | null = null;

  const explore = async (candidate: Candidate, visit: PlannedVisit | null) => {
    const { module, app } = guard;
    const play = visit === null ? {} : { page: visit.page };
    // Another app may have a guard with the same key, which might deny first.
    const trial = await tryLogin({ modules: [module], app, ...candidate, ...play });
    trouble = trial.trouble;
    const stage = trial.result?.stages.find((each) => each.module === module && each.app === app);
    if (stage === undefined) return;
    const { result, rows = [], exchanges } = stage;
    const reason = result === "denied" ? (stage.reason ?? null) : null;
    const evidence = { module, app, ...candidate, page: visit?.play ?? null, reason, exchanges };
    const isWrong = visit?.aim === "refusal" && rows.length > 1 && result === "passed";
    if (isWrong) acceptedMadeUpCode = evidence;
    // The reason of a denial belongs to the last row that a login took.
    const taken = isWrong ? rows.slice(0, -1) : rows;
    for (const row of taken)
      if (!seen.has(row)) seen.set(row, row === taken.at(-1) ? evidence : { ...evidence, reason: null });
    if (trouble !== null) failed = evidence;
    if (visit !== null) endings.set(visit.aim, endingOf(visit, stage));
    else if (trouble === null) {
      tried.push(candidate);
      if (result === "passed") isPassedAtOnce = true;
      else refused.push(candidate);
    }
  };

  for (const candidate of guard.candidates) {
    if (trouble !== null || (isPassedAtOnce && refused.length > 0)) break;
    await explore(candidate, null);
  }
  const [asked] = refused;
  for (const visit of asked === undefined ? [] : visitsOf(guard.type, page, madeUpCode)) {
    if (trouble === null && asked !== undefined) await explore(asked, visit);
  }
  const found = { guard, seen, tried, trouble, failed, acceptedMadeUpCode };
  const unseen = rowsOf(guard.type).filter(({ row }) => !seen.has(row));
  const isAsked = refused.length > 0;
  return { ...found, missing: new Map(unseen.map((row) => [row.row, missingRow(row, found, isAsked, endings)])) };
}

function endingOf({ what }: PlannedVisit, { result, rows = [], reason, hint }: GuardStage): string {
  if (result === "passed")
    return `${what} ${rows.length > 1 ? "was accepted" : "could not be tried: it asked no more"}`;
  const ending = result === "denied" ? "led to a denial" : "led nowhere";
  return `${what} ${ending}: ${[reason, hint].filter((text) => text !== undefined).join("; ")}`;
}

function missingRow(
  row: LoginRow,
  { guard, trouble, tried }: Omit<GuardExploration, "missing">,
  isAsked: boolean,
  endings: ReadonlyMap<Aim, string>,
): { readonly why: string; readonly failed: boolean } {
  if (trouble !== null) return { why: trouble.reason, failed: true };
  const because = (why: string) => ({ why, failed: false });
  if (guard.candidates.length === 0) return because("every configured user is exempt from it");
  if (row.state === "pending") {
    const [did, whom] =
      row.next === "module passed"
        ? ["let no user in at once", "lets in"]
        : guard.type === "direct"
          ? ["let every user in", "denies access"]
          : ["let every user in at once", "asks to interact"];
    const tries = `${tried.length} ${tried.length === 1 ? "try" : "tries"}`;
    return because(`it ${did}, in ${tries}; give a user whom it ${whom} with --user, --ip`);
  }
  if (!isAsked) return because("its user was never asked to interact");
  return because(endings.get(aimOf(row)) ?? "the page of a frame guard takes a browser: give --browser");
}
