import type { GuardType } from "../../platform/manifest.ts";
import type { Return } from "./callback.ts";

/**
 * One login, from password to access granted (interface 3.1), as a pure state machine.
 *
 *   password ──▶ mfa? ──▶ device-trust? ──▶ guard 1 ──▶ … ──▶ guard n ──▶ remember-me? ──▶ granted
 *      │          │            │               │
 *      └──────────┴────────────┴───────────────┴──▶ denied
 *
 *   One guard (an exempt one is skipped):
 *
 *                       success true
 *   verifying ───────────────────────────────────────────────▶ passed
 *      │ success false                                            ▲ success true
 *      ├─ direct ─────────────────────▶ denied                    │
 *      └─ redirect, frame ▶ awaiting-user ──code──▶ verifying-final ──success false──▶ denied
 *                              └──error──▶ denied
 *
 *   A plain stage that fails is asked again until the tries are used up; then access is denied.
 *   A failed call (no answer in time, not 200, not {success: boolean} …) is a denial in every state.
 *   An event that does not belong to the state, or to its guard, changes nothing.
 */

/** The stages that are not auth-guards. remember-me is asked last; the others come before the guards. */
export type PlainStage = "password" | "mfa" | "device-trust" | "remember-me";

export interface PlannedGuard {
  /** Index of the app among the installed apps. */
  readonly app: number;
  /** Key of its module. */
  readonly key: string;
  /** How it decides: immediately, or on a page of the app. */
  readonly type: GuardType;
  /** Why the user need not pass it; null: the guard applies. */
  readonly exempt: string | null;
}

export interface LoginPlan {
  /** Which optional stages the organization has enabled. */
  readonly enabled: { readonly mfa: boolean; readonly deviceTrust: boolean; readonly rememberMe: boolean };
  /** How often the user may try each plain stage (choice `login.attempts`); at least 1. */
  readonly attempts: number;
  readonly guards: readonly PlannedGuard[];
}

export interface StageResult {
  readonly stage: PlainStage | "guard";
  /** Index into `plan.guards`, for stage `guard`. */
  readonly guard?: number;
  readonly result: "passed" | "denied" | "skipped" | "needs-user";
  readonly reason?: string;
  /** Tries at a plain stage, if more than one. */
  readonly attempts?: number;
}

type Position =
  /** `failures` says why each try so far failed. */
  | { readonly at: PlainStage; readonly failures: readonly string[] }
  | { readonly at: "verifying" | "awaiting-user" | "verifying-final"; readonly guard: number }
  | { readonly at: "granted" }
  | { readonly at: "denied"; readonly guard: number | null; readonly reason: string };

/** Where a login is, and the result of every stage so far. */
export type LoginState = Position & { readonly plan: LoginPlan; readonly results: readonly StageResult[] };

export type LoginEvent =
  /** `note` says how it was passed if there is more than one way. */
  | { readonly type: "stage-passed"; readonly stage: PlainStage; readonly note?: string }
  | { readonly type: "stage-failed"; readonly stage: PlainStage; readonly reason: string }
  | {
      readonly type: "guard-answered";
      readonly guard: number;
      readonly success: boolean;
      readonly message: string | null;
    }
  | { readonly type: "guard-call-failed"; readonly guard: number; readonly reason: string }
  | { readonly type: "user-returned"; readonly guard: number; readonly code: string }
  | { readonly type: "user-failed"; readonly guard: number; readonly error: string };

export type LoginEffect =
  | { readonly type: "ask"; readonly stage: PlainStage }
  | { readonly type: "verify"; readonly guard: number; readonly code: string | null }
  | { readonly type: "send-user"; readonly guard: number }
  | { readonly type: "grant" }
  | { readonly type: "deny"; readonly reason: string };

export interface LoginStep {
  readonly state: LoginState;
  readonly effects: readonly LoginEffect[];
}

/** The start of a login: the platform asks for the password. */
export function newLogin(plan: LoginPlan): LoginStep {
  return ask({ plan, results: [] }, "password");
}

/** The next state and its effects, given an event. Total: events that do not fit change nothing. */
export function advance(state: LoginState, event: LoginEvent): LoginStep {
  const stay: LoginStep = { state, effects: [] };
  if ("stage" in event) {
    if (!isPlain(state) || state.at !== event.stage) return stay;
    if (event.type === "stage-failed") return askAgain(state, event.reason);
    const passed = pass(state, { stage: event.stage, ...tries(state.failures.length + 1) }, event.note);
    return afterStage(passed, event.stage);
  }
  if (state.at === "denied" || !("guard" in state) || state.guard !== event.guard) return stay;
  const isOfUser = event.type === "user-returned" || event.type === "user-failed";
  if (isOfUser !== (state.at === "awaiting-user")) return stay;
  const { guard } = event;
  const stage = { stage: "guard", guard } as const;
  switch (event.type) {
    case "guard-answered":
      if (event.success) return enterGuard(pass(state, stage), guard + 1);
      return state.at === "verifying" && state.plan.guards[guard]?.type !== "direct"
        ? { state: { ...state, at: "awaiting-user" }, effects: [{ type: "send-user", guard }] }
        : deny(state, stage, denialReason(event.message));
    case "guard-call-failed":
      return deny(state, stage, event.reason);
    case "user-returned":
      return { state: { ...state, at: "verifying-final" }, effects: [{ type: "verify", guard, code: event.code }] };
    case "user-failed":
      return deny(state, stage, event.error);
  }
}

/** The event of a user who is back from the page of a guard. */
export function userReturn(guard: number, outcome: Return): LoginEvent {
  return "code" in outcome
    ? { type: "user-returned", guard, code: outcome.code }
    : { type: "user-failed", guard, error: outcome.error };
}

/** The login after its user leaves; null: it is not the user's turn, so it continues. */
export function leaveLogin(state: LoginState, reason: string): LoginState | null {
  if (!isPlain(state) && state.at !== "awaiting-user") return null;
  const stage = isPlain(state) ? { stage: state.at } : { stage: "guard" as const, guard: state.guard };
  return { ...state, ...add(state, { ...stage, result: "needs-user", reason }) };
}

type PlainState = LoginState & { at: PlainStage; failures: readonly string[] };

function isPlain(state: LoginState): state is PlainState {
  return "failures" in state;
}

type Passed = Pick<LoginState, "plan" | "results">;
type EndedStage = Pick<StageResult, "stage" | "guard" | "attempts">;

function add({ plan, results }: Passed, result: StageResult): Passed {
  return { plan, results: [...results, result] };
}

function pass(state: LoginState, stage: EndedStage, reason?: string): Passed {
  return add(state, { ...stage, result: "passed", ...(reason === undefined ? {} : { reason }) });
}

function tries(attempts: number): Pick<StageResult, "attempts"> {
  return attempts > 1 ? { attempts } : {};
}

function askAgain(state: PlainState, reason: string): LoginStep {
  const failures = [...state.failures, reason];
  return failures.length < state.plan.attempts
    ? { state: { ...state, failures }, effects: [{ type: "ask", stage: state.at }] }
    : deny(state, { stage: state.at, ...tries(failures.length) }, reason);
}

/** Why a guard denied: its own message, if any. */
function denialReason(message: string | null): string {
  if (message === null) return "the app denied access without a message";
  return message.trim() === "" ? "the app denied access with an empty message" : message;
}

function deny(state: LoginState, stage: EndedStage, reason: string): LoginStep {
  const denied = add(state, { ...stage, result: "denied", reason });
  return {
    state: { at: "denied", guard: stage.guard ?? null, reason, ...denied },
    effects: [{ type: "deny", reason }],
  };
}

function afterStage(passed: Passed, stage: PlainStage): LoginStep {
  const { mfa, deviceTrust } = passed.plan.enabled;
  switch (stage) {
    case "password":
      return askIf(mfa, passed, "mfa");
    case "mfa":
      return askIf(deviceTrust, passed, "device-trust");
    case "device-trust":
      return enterGuard(passed, 0);
    case "remember-me":
      return { state: { at: "granted", ...passed }, effects: [{ type: "grant" }] };
  }
}

/** Asks at an enabled stage, and skips others. */
function askIf(isEnabled: boolean, passed: Passed, stage: PlainStage): LoginStep {
  if (isEnabled) return ask(passed, stage);
  return afterStage(add(passed, { stage, result: "skipped", reason: "not enabled in this organization" }), stage);
}

function ask(passed: Passed, stage: PlainStage): LoginStep {
  return { state: { at: stage, failures: [], ...passed }, effects: [{ type: "ask", stage }] };
}

function enterGuard(passed: Passed, guard: number): LoginStep {
  const planned = passed.plan.guards[guard];
  if (planned === undefined) return askIf(passed.plan.enabled.rememberMe, passed, "remember-me");
  if (planned.exempt === null)
    return { state: { at: "verifying", guard, ...passed }, effects: [{ type: "verify", guard, code: null }] };
  return enterGuard(add(passed, { stage: "guard", guard, result: "skipped", reason: planned.exempt }), guard + 1);
}
