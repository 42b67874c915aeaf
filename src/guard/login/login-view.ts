import type { User } from "../../config/schema.ts";
import type { GuardType } from "../../platform/manifest.ts";
import type { GuardResult, GuardStage } from "../guard-result.ts";
import type { LoginState, PlainStage, StageResult } from "../rules/login.ts";
import type { GuardNotes } from "./call-guard.ts";
import type { LoginGuard, PlannedLogin } from "./login-plan.ts";

/** What a stage of a running login shows. */
export interface StageView {
  readonly stage: PlainStage | "guard";
  /** Key of the guard's module. */
  readonly module?: string;
  readonly name?: string;
  readonly description?: string | null;
  readonly type?: GuardType;
  /** `running`: the app is being called; `needs-user`: it is the user's turn. */
  readonly status: "waiting" | "running" | "needs-user" | "passed" | "denied" | "skipped";
  readonly reason?: string;
  readonly hint?: string;
  /** Why each try at a plain stage so far was not good. */
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
  /** Ids of the exchanges in the journal. */
  readonly exchanges: readonly string[];
}

/** The interaction with the user that a guard asked for. */
export interface InteractionView {
  readonly module: string;
  readonly type: "redirect" | "frame";
  /** `options.url` in full, without token and state. */
  readonly page: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Milliseconds that the user has in all. */
  readonly limitMs: number;
  /** What is known to be wrong with the page. */
  readonly troubles: readonly Trouble[];
}

export interface Trouble {
  readonly reason: string;
  readonly hint: string | null;
}

/** A login as it is now: facts without secrets, for terminal and pages. */
export interface LoginView {
  readonly id: string;
  readonly domain: string;
  readonly user: Pick<User, "id" | "role" | "login">;
  readonly ipAddress: string;
  readonly stages: readonly StageView[];
  /** Place in `stages` of the one that the login is at; null once it has ended. */
  readonly current: number | null;
  /** The call to the app that is under way; `startedAt` on the monotonic clock. */
  readonly call: { readonly startedAt: number; readonly limitMs: number } | null;
  readonly interaction: InteractionView | null;
  readonly result: GuardResult | null;
}

const plainBefore = ["password", "mfa", "device-trust"] as const;
const notEnabled = "not enabled in this organization";

/** Every stage of a login, those that are yet to come included. */
export function stageViews(
  plan: PlannedLogin,
  state: LoginState,
  notes: readonly GuardNotes[],
  hasEnded: boolean,
): StageView[] {
  const stages = [
    ...plainBefore.map((stage) => plainView(stage, plan)),
    ...plan.guards.map((guard, index) => guardView(guard, notes[index])),
    plainView("remember-me", plan),
  ];
  // Each stage leaves one result, in their order.
  return stages.map((view, index) => {
    const result = state.results[index];
    if (result !== undefined) return withResult(view, result);
    return index === state.results.length && !hasEnded ? asCurrent(view, state) : view;
  });
}

function plainView(stage: PlainStage, { enabled }: PlannedLogin): StageView {
  const isEnabled = {
    password: true,
    mfa: enabled.mfa,
    "device-trust": enabled.deviceTrust,
    "remember-me": enabled.rememberMe,
  };
  const view = { stage, failures: [], warnings: [], exchanges: [] };
  return isEnabled[stage] ? { ...view, status: "waiting" } : { ...view, status: "skipped", reason: notEnabled };
}

function guardView({ key, type, exempt, module, description }: LoginGuard, notes: GuardNotes | undefined): StageView {
  return {
    stage: "guard",
    module: key,
    name: module.name,
    description,
    type,
    failures: [],
    warnings: [...(notes?.warnings ?? [])],
    exchanges: [...(notes?.exchanges ?? [])],
    ...(notes?.hint == null ? {} : { hint: notes.hint }),
    ...(exempt === null ? { status: "waiting" } : { status: "skipped", reason: exempt }),
  };
}

function withResult(view: StageView, { result, reason }: StageResult): StageView {
  return { ...view, status: result, ...(reason === undefined ? {} : { reason }) };
}

function asCurrent(view: StageView, state: LoginState): StageView {
  if ("failures" in state) return { ...view, status: "needs-user", failures: state.failures };
  return { ...view, status: state.at === "awaiting-user" ? "needs-user" : "running" };
}

/** The stages that a login reached, for its result. */
export function stageResults(
  results: readonly StageResult[],
  guards: readonly LoginGuard[],
  notes: readonly GuardNotes[],
): GuardStage[] {
  return results.map(({ stage, guard, result, reason, attempts }) => {
    const base = {
      stage,
      result,
      ...(reason === undefined ? {} : { reason }),
      ...(attempts === undefined ? {} : { attempts }),
    };
    const planned = guard === undefined ? undefined : guards[guard];
    const note = guard === undefined ? undefined : notes[guard];
    if (planned === undefined || note === undefined) return { ...base, exchanges: [] };
    const { exchanges, warnings, hint, rows } = note;
    return {
      ...base,
      module: planned.key,
      type: planned.type,
      app: planned.installed.app.url,
      ...(hint === null ? {} : { hint }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(rows.length === 0 ? {} : { rows }),
      exchanges,
    };
  });
}
