import type { GuardType } from "../../platform/manifest.ts";
import type { GuardStage } from "../guard-result.ts";
import type { PageOption } from "../login/login-options.ts";
import { type LoginRow, loginTable } from "../rules/login-table.ts";
import type { Candidate } from "./explore-candidates.ts";
import { type Aim, aimOf, type PlannedVisit, visitsOf } from "./explore-pages.ts";
import type { RowEvidence } from "./explore-result.ts";
import type { CallTrouble, Trial, Trials } from "./explore-trials.ts";

/** A guard to be explored, and everybody who is not exempt from it, in the order in which they are tried. */
export interface GuardToExplore {
  readonly module: string;
  /** app_base_url of the app whose guard it is. */
  readonly app: string;
  readonly type: GuardType;
  readonly candidates: readonly Candidate[];
}

/** Why a guard did not take a row; `failed`: a call that failed ended its exploration. */
interface MissingRow {
  readonly why: string;
  readonly failed: boolean;
}

interface Notes {
  /** For each row that was taken the first login that took it. */
  readonly seen: Map<number, RowEvidence>;
  /** The first login that was passed at the first call; for a frame guard the table has no row of it. */
  passedAtOnce: RowEvidence | null;
  /** Who was not let in by the first call. */
  readonly refused: Candidate[];
  /** The login in which the app let somebody in for a code that it never issued. */
  acceptedMadeUpCode: RowEvidence | null;
  /** The failed call that ended the exploration. */
  trouble: CallTrouble | null;
  /** The login whose call failed; null also where none was made any more. */
  failed: RowEvidence | null;
  /** Whose first call was answered. */
  readonly tried: Candidate[];
  /** What became of the logins whose user was to interact. */
  readonly endings: Map<Aim, string>;
}

/** What the logins with one guard showed. */
export type GuardExploration = Readonly<Pick<Notes, "seen" | "acceptedMadeUpCode" | "trouble" | "failed" | "tried">> & {
  readonly guard: GuardToExplore;
  readonly missing: ReadonlyMap<number, MissingRow>;
};

/** The rows of interface 3.1 that a guard of this type can take. */
export function rowsOf(type: GuardType): LoginRow[] {
  return loginTable.filter((row) => row.type === type || (row.type === null && type !== "direct"));
}

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
  trials: Trials,
): Promise<GuardExploration> {
  const notes: Notes = {
    seen: new Map(),
    passedAtOnce: null,
    refused: [],
    acceptedMadeUpCode: null,
    trouble: null,
    failed: null,
    tried: [],
    endings: new Map(),
  };
  // Another app may have a guard with the same key, which might deny first.
  const only = { modules: [guard.module], app: guard.app };
  for (const candidate of guard.candidates) {
    if (notes.trouble !== null || (notes.passedAtOnce !== null && notes.refused.length > 0)) break;
    const trial = await trials.run({ ...only, ...candidate });
    noteFirstCall(notes, guard, candidate, trial);
  }
  const [asked] = notes.refused;
  for (const visit of asked === undefined ? [] : visitsOf(guard.type, page, madeUpCode)) {
    if (notes.trouble !== null || asked === undefined) break;
    const trial = await trials.run({ ...only, ...asked, page: visit.page });
    noteVisit(notes, guard, asked, visit, trial);
  }
  const { seen, acceptedMadeUpCode, trouble, failed, tried } = notes;
  const unseen = rowsOf(guard.type).filter(({ row }) => !seen.has(row));
  const missing = new Map(unseen.map((row) => [row.row, missingRow(row, guard, notes)]));
  return { guard, seen, acceptedMadeUpCode, trouble, failed, tried, missing };
}

function noteFirstCall(notes: Notes, guard: GuardToExplore, candidate: Candidate, trial: Trial): void {
  const stage = stageOf(guard, trial);
  notes.trouble = trial.trouble;
  if (stage === null) return;
  const evidence = evidenceOf(guard, candidate, null, stage);
  noteRows(notes, stage.rows, evidence);
  if (trial.trouble !== null) {
    notes.failed = evidence;
    return;
  }
  notes.tried.push(candidate);
  if (stage.result === "passed") notes.passedAtOnce ??= evidence;
  else notes.refused.push(candidate);
}

function noteVisit(notes: Notes, guard: GuardToExplore, candidate: Candidate, visit: PlannedVisit, trial: Trial): void {
  const stage = stageOf(guard, trial);
  notes.trouble = trial.trouble;
  if (stage === null) return;
  const evidence = evidenceOf(guard, candidate, visit, stage);
  notes.endings.set(visit.aim, endingOf(visit, stage));
  if (trial.trouble !== null) notes.failed = evidence;
  const rows = stage.rows ?? [];
  const isWrong = visit.aim === "refusal" && rows.length > 1 && stage.result === "passed";
  if (isWrong) notes.acceptedMadeUpCode = evidence;
  noteRows(notes, isWrong ? rows.slice(0, -1) : rows, evidence);
}

/** The reason of a denial belongs to the last row that a login took. */
function noteRows({ seen }: Notes, rows: readonly number[] = [], evidence: RowEvidence): void {
  for (const row of rows) {
    if (!seen.has(row)) seen.set(row, row === rows.at(-1) ? evidence : { ...evidence, reason: null });
  }
}

/** What a login did at the guard; null where it did not come as far. */
function stageOf({ module, app }: GuardToExplore, { result }: Trial): GuardStage | null {
  return result?.stages.find((stage) => stage.module === module && stage.app === app) ?? null;
}

function evidenceOf(
  { module, app }: GuardToExplore,
  candidate: Candidate,
  visit: PlannedVisit | null,
  { result, reason, exchanges }: GuardStage,
): RowEvidence {
  const denial = result === "denied" ? (reason ?? null) : null;
  return { module, app, ...candidate, page: visit?.play ?? null, reason: denial, exchanges };
}

function endingOf({ what }: PlannedVisit, { result, rows = [], reason, hint }: GuardStage): string {
  if (result === "passed")
    return `${what} ${rows.length > 1 ? "was accepted" : "could not be tried: it asked no more"}`;
  const ending = result === "denied" ? "led to a denial" : "led nowhere";
  return `${what} ${ending}: ${[reason, hint].filter((text) => text !== undefined).join("; ")}`;
}

const howToGive = "is given with --user, --ip";

function missingRow(row: LoginRow, { type, candidates }: GuardToExplore, notes: Notes): MissingRow {
  const { trouble, tried, refused, endings } = notes;
  if (trouble !== null) return { why: trouble.reason, failed: true };
  const because = (why: string) => ({ why, failed: false });
  if (candidates.length === 0) return because("every configured user is exempt from it");
  const tries = `${tried.length} ${tried.length === 1 ? "try" : "tries"}`;
  if (row.state === "pending") {
    if (row.next === "module passed")
      return because(`it let nobody in at once, in ${tries}; somebody whom it lets in ${howToGive}`);
    return type === "direct"
      ? because(`it let everybody in, in ${tries}; somebody whom it denies access ${howToGive}`)
      : because(`it let everybody in at once, in ${tries}; somebody whom it asks to interact ${howToGive}`);
  }
  if (refused.length === 0) return because("its user was never asked to interact");
  return because(endings.get(aimOf(row)) ?? "the page of a frame guard takes a browser: give --browser");
}
