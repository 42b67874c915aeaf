import type { ConcurrencyLimiter } from "../../app-client/limit-concurrency.ts";
import type { Role } from "../../config/roles.ts";
import type { GuardResult } from "../guard-result.ts";
import type { LoginOptions } from "../login/login-options.ts";
import type { LoginGuard } from "../login/login-plan.ts";
import type { Candidate } from "./explore-candidates.ts";
import type { GuardExploration } from "./explore-guard.ts";
import type { ExploredBeside } from "./explore-result.ts";
import type { Trial, Trials } from "./explore-trials.ts";

/** What the logins beside the table are made with. */
export interface BesideParts {
  readonly trials: Trials;
  readonly inTurn: ConcurrencyLimiter;
  readonly explorations: readonly GuardExploration[];
  /** The guards of each configured user, in their order; who is exempt from them differs. */
  readonly guards: ReadonlyMap<Role, readonly LoginGuard[]>;
  /** Everybody, in the order in which they are tried. */
  readonly candidates: readonly Candidate[];
  /** Choice `login.attempts`. */
  readonly attempts: number;
  /** Choice `guard.owner.exempt`. */
  readonly isExempting: boolean;
  /** What every login is given. */
  readonly options: Pick<LoginOptions, "modules" | "page">;
}

type Shown = Omit<ExploredBeside, "id" | "what">;

const failing = ["password", "mfa", "device-trust"] as const;
type Failing = (typeof failing)[number];
const wrong = { password: "wrong password", mfa: "wrong MFA code", "device-trust": "untrusted device" };

/** How many users at most are tried for one login through all stages. */
const FULL_LOGINS = 5;

const notPossible = (why: string): Shown => ({ status: "not-possible", why, evidence: [] });
const notSeen = (why: string): Shown => ({ status: "not-seen", why, evidence: [] });

/**
 * What interface 3.1 and 2.1 say beside the table: the stages around the guards, their order, and who is exempt.
 * It is the platform's own doing, but an app's developer sees it happen.
 */
export async function exploreBeside(parts: BesideParts): Promise<ExploredBeside[]> {
  const works: readonly (() => Promise<ExploredBeside[]>)[] = [
    () => retried(parts),
    ...failing.map((stage) => () => exhausted(parts, stage)),
    () => exempt(parts, "owner"),
    () => exempt(parts, "admin"),
    () => adminAsked(parts),
    () => allStages(parts),
    () => framePassedAtOnce(parts),
  ];
  return (await Promise.all(works.map(parts.inTurn))).flat();
}

/** One login in which each stage is failed once; no guard is needed for that. */
async function retried({ trials, candidates, attempts }: BesideParts): Promise<ExploredBeside[]> {
  const items = failing.map((stage) => ({ id: `${stage}-retried`, what: `${wrong[stage]} once, then right: passed` }));
  if (attempts === 1) return items.map((item) => ({ ...item, ...notPossible("the choice login.attempts is 1") }));
  const fail = { password: 1, mfa: 1, "device-trust": 1 };
  const trial = await trials.run({ ...candidates[0], modules: [], mfa: true, deviceTrust: true, fail });
  return items.map((item, index) => ({
    ...item,
    ...shownBy(trial, (result) => {
      const stage = result.stages[index];
      const isRight = stage?.stage === failing[index] && stage?.result === "passed" && stage.attempts === 2;
      return judged(isRight, result, `it was ${stage?.result}`);
    }),
  }));
}

/** One login through all stages. */
async function allStages(parts: BesideParts): Promise<ExploredBeside[]> {
  const item = { id: "order", what: "password, MFA, device trust, the guards in turn, remember-me, granted" };
  let shown = notSeen("nobody comes through all guards, or everybody is exempt");
  for (const candidate of likelyToPass(parts)) {
    const everything = { mfa: true, deviceTrust: true, rememberMe: true };
    const trial = await parts.trials.run({ ...parts.options, ...candidate, ...everything });
    shown = shownBy(trial, (result) => orderOf(result, parts));
    if (shown.status !== "not-seen" || trial.trouble !== null) break;
  }
  return [{ ...item, ...shown }];
}

/**
 * Who may come through all guards. Who is refused by a direct guard cannot; who is asked to interact, perhaps; and
 * who is exempt from every guard would show none of them.
 */
function likelyToPass({ candidates, explorations, guards }: BesideParts): Candidate[] {
  const refusals = (candidate: Candidate, isDirect: boolean) =>
    explorations.filter(({ guard, refused }) => (guard.type === "direct") === isDirect && refused.includes(candidate));
  const exemptions = ({ user }: Candidate) => guards.get(user)?.filter((guard) => guard.exempt !== null).length ?? 0;
  const cost = (candidate: Candidate) => exemptions(candidate) + refusals(candidate, false).length;
  return candidates
    .filter((candidate) => explorations.length === 0 || exemptions(candidate) < explorations.length)
    .filter((candidate) => refusals(candidate, true).length === 0)
    .sort((one, other) => cost(one) - cost(other))
    .slice(0, FULL_LOGINS);
}

function orderOf(result: GuardResult, { guards }: BesideParts): Shown {
  if (result.outcome !== "granted") return notSeen(`nobody comes through all guards: ${result.reason}`);
  const keys = guards.get(result.user.role)?.map(({ key }) => key) ?? [];
  const expected = ["password", "mfa", "device-trust", ...keys, "remember-me"];
  const came = result.stages.map(({ stage, module }) => module ?? stage);
  const isRight = came.length === expected.length && came.every((stage, index) => stage === expected[index]);
  return judged(isRight, result, `the stages were ${came.join(", ")}`);
}

async function exhausted(
  { trials, attempts, options, candidates }: BesideParts,
  stage: Failing,
): Promise<ExploredBeside[]> {
  const times = attempts === 1 ? "once" : `${attempts} times`;
  const item = { id: `${stage}-exhausted`, what: `${wrong[stage]} ${times}: denied, and no guard is called` };
  const fail = { [stage]: attempts };
  const trial = await trials.run({ ...options, ...candidates[0], mfa: true, deviceTrust: true, fail });
  return [
    {
      ...item,
      ...shownBy(trial, (result) => {
        const isRight = result.outcome === "denied" && result.stages.at(-1)?.stage === stage && callsOf(result) === 0;
        return judged(isRight, result, `the login was ${result.outcome}`);
      }),
    },
  ];
}

async function exempt(parts: BesideParts, role: "owner" | "admin"): Promise<ExploredBeside[]> {
  const who = role === "owner" ? "the owner is exempt" : "an admin is exempt unless the guard says applyToAdmins";
  const item = { id: `${role}-exempt`, what: `${who}: no guard is called` };
  const guards = parts.guards.get(role);
  if (guards === undefined) return [{ ...item, ...notPossible(`no ${role} is configured`) }];
  const skipped = guards.filter((guard) => guard.exempt !== null);
  if (skipped.length === 0) return [{ ...item, ...notPossible(whyNobody(parts, guards)) }];
  const trial = await parts.trials.run({ modules: skipped.map(({ key }) => key), user: role });
  return [{ ...item, ...shownBy(trial, (result) => exemptionOf(result, skipped)) }];
}

function exemptionOf(result: GuardResult, skipped: readonly LoginGuard[]): Shown {
  const stages = result.stages.filter(({ module, app }) =>
    skipped.some(({ key, installed }) => key === module && installed.app.url === app),
  );
  const isRight = stages.length === skipped.length && stages.every(({ exchanges }) => exchanges.length === 0);
  return judged(isRight, result, "a guard was called");
}

function whyNobody({ isExempting }: BesideParts, guards: readonly LoginGuard[]): string {
  if (guards.length === 0) return "there is no guard";
  return isExempting ? "every guard says applyToAdmins" : "the choice guard.owner.exempt is false";
}

async function adminAsked(parts: BesideParts): Promise<ExploredBeside[]> {
  const item = { id: "admin-asked", what: "an admin is not exempt where the guard says applyToAdmins" };
  const guards = parts.guards.get("admin");
  if (guards === undefined) return [{ ...item, ...notPossible("no admin is configured") }];
  const asked = guards.find(({ exempt, module }) => exempt === null && module.applyToAdmins);
  if (asked === undefined) return [{ ...item, ...notPossible("no guard says applyToAdmins") }];
  const trial = await parts.trials.run({ modules: [asked.key], user: "admin" });
  return [{ ...item, ...shownBy(trial, (result) => judged(callsOf(result) > 0, result, "no guard was called")) }];
}

/** The table has a row for a redirect guard that is passed at once, and none for a frame guard. */
async function framePassedAtOnce({ explorations }: BesideParts): Promise<ExploredBeside[]> {
  const item = { id: "frame-passed-at-once", what: "a frame guard lets in at its first call, and shows no page" };
  const frames = explorations.filter(({ guard }) => guard.type === "frame");
  if (frames.length === 0) return [{ ...item, ...notPossible("there is no frame guard") }];
  const evidence = frames.flatMap(({ passedAtOnce }) => passedAtOnce ?? []);
  const logins = evidence.map(({ user, ipAddress, exchanges }) => ({ user, ipAddress, exchanges }));
  if (logins.length === 0) return [{ ...item, ...notSeen("no frame guard let anybody in at once") }];
  return [{ ...item, status: "seen", why: null, evidence: logins }];
}

function shownBy({ result, trouble }: Trial, judge: (result: GuardResult) => Shown): Shown {
  return result === null || trouble !== null ? notSeen(trouble?.reason ?? "no login was made") : judge(result);
}

function callsOf({ stages }: GuardResult): number {
  return stages.flatMap(({ exchanges }) => exchanges).length;
}

function judged(isRight: boolean, result: GuardResult, otherwise: string): Shown {
  const { user, ipAddress, stages } = result;
  const evidence = [{ user: user.role, ipAddress, exchanges: stages.flatMap(({ exchanges }) => exchanges) }];
  return isRight ? { status: "seen", why: null, evidence } : { status: "failed", why: otherwise, evidence };
}
