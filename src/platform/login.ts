import type { GuardType } from "../protocol/manifest.ts";

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
 *   A failed call (no answer in time, not 200, not {success: boolean} …) is a denial in every state.
 *   An event that does not belong to the state, or to its guard, changes nothing.
 */

/** The stages that are not auth-guards. remember-me is asked last; the others come before the guards. */
export type PlainStage = "password" | "mfa" | "device-trust" | "remember-me";

export interface PlannedGuard {
  /** Place of the app among the installed apps. */
  readonly app: number;
  readonly key: string;
  readonly type: GuardType;
  /** Why the user need not pass it; null: the guard applies. */
  readonly exempt: string | null;
}

export interface LoginPlan {
  /** Which optional stages the organization has enabled. */
  readonly enabled: { readonly mfa: boolean; readonly deviceTrust: boolean; readonly rememberMe: boolean };
  readonly guards: readonly PlannedGuard[];
}

export interface StageResult {
  readonly stage: PlainStage | "guard";
  /** Index into `plan.guards`, for stage `guard`. */
  readonly guard?: number;
  readonly result: "passed" | "denied" | "skipped" | "needs-user";
  readonly reason?: string;
}

type Position =
  | { readonly at: PlainStage }
  | { readonly at: "verifying" | "awaiting-user" | "verifying-final"; readonly guard: number }
  | { readonly at: "granted" }
  | { readonly at: "denied"; readonly guard: number | null; readonly reason: string };

/** Where a login is, and the result of every stage behind it. */
export type LoginState = Position & { readonly plan: LoginPlan; readonly results: readonly StageResult[] };

export type LoginEvent =
  | { readonly type: "stage-passed"; readonly stage: PlainStage }
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

/** The beginning of a login: the platform asks for the password. */
export function beginLogin(plan: LoginPlan): LoginStep {
  return { state: { at: "password", plan, results: [] }, effects: [{ type: "ask", stage: "password" }] };
}

/** The next state and what is to be done, given what happened. Total: unfitting events change nothing. */
export function advance(state: LoginState, event: LoginEvent): LoginStep {
  const stay: LoginStep = { state, effects: [] };
  switch (event.type) {
    case "stage-passed":
      return state.at === event.stage ? afterStage(pass(state, { stage: event.stage }), event.stage) : stay;
    case "stage-failed":
      return state.at === event.stage ? deny(state, { stage: event.stage }, event.reason) : stay;
    case "guard-answered":
      if (!isVerifying(state) || state.guard !== event.guard) return stay;
      if (event.success) return enterGuard(pass(state, { stage: "guard", guard: event.guard }), event.guard + 1);
      return state.at === "verifying" && typeOf(state) !== "direct"
        ? { state: { ...state, at: "awaiting-user" }, effects: [{ type: "send-user", guard: event.guard }] }
        : deny(
            state,
            { stage: "guard", guard: event.guard },
            event.message ?? "the app denied access without a message",
          );
    case "guard-call-failed":
      return isVerifying(state) && state.guard === event.guard
        ? deny(state, { stage: "guard", guard: event.guard }, event.reason)
        : stay;
    case "user-returned":
      if (state.at !== "awaiting-user" || state.guard !== event.guard) return stay;
      return {
        state: { ...state, at: "verifying-final" },
        effects: [{ type: "verify", guard: event.guard, code: event.code }],
      };
    case "user-failed":
      if (state.at !== "awaiting-user" || state.guard !== event.guard) return stay;
      return deny(state, { stage: "guard", guard: event.guard }, event.error);
  }
}

function isVerifying(state: LoginState): state is LoginState & { at: "verifying" | "verifying-final"; guard: number } {
  return state.at === "verifying" || state.at === "verifying-final";
}

function typeOf(state: LoginState & { guard: number }): GuardType | undefined {
  return state.plan.guards[state.guard]?.type;
}

type Passed = Pick<LoginState, "plan" | "results">;

function pass(state: LoginState, stage: Pick<StageResult, "stage" | "guard">): Passed {
  return { plan: state.plan, results: [...state.results, { ...stage, result: "passed" }] };
}

function skip(passed: Passed, stage: Pick<StageResult, "stage" | "guard">, reason: string): Passed {
  return { plan: passed.plan, results: [...passed.results, { ...stage, result: "skipped", reason }] };
}

function deny(state: LoginState, stage: Pick<StageResult, "stage" | "guard">, reason: string): LoginStep {
  return {
    state: {
      at: "denied",
      guard: stage.guard ?? null,
      reason,
      plan: state.plan,
      results: [...state.results, { ...stage, result: "denied", reason }],
    },
    effects: [{ type: "deny", reason }],
  };
}

const notEnabled = "not enabled in this organization";

function afterStage(passed: Passed, stage: PlainStage): LoginStep {
  switch (stage) {
    case "password":
      return passed.plan.enabled.mfa
        ? ask(passed, "mfa")
        : afterStage(skip(passed, { stage: "mfa" }, notEnabled), "mfa");
    case "mfa":
      return passed.plan.enabled.deviceTrust
        ? ask(passed, "device-trust")
        : afterStage(skip(passed, { stage: "device-trust" }, notEnabled), "device-trust");
    case "device-trust":
      return enterGuard(passed, 0);
    case "remember-me":
      return { state: { at: "granted", ...passed }, effects: [{ type: "grant" }] };
  }
}

function ask(passed: Passed, stage: PlainStage): LoginStep {
  return { state: { at: stage, ...passed }, effects: [{ type: "ask", stage }] };
}

function enterGuard(passed: Passed, guard: number): LoginStep {
  const planned = passed.plan.guards[guard];
  if (planned === undefined) {
    return passed.plan.enabled.rememberMe
      ? ask(passed, "remember-me")
      : afterStage(skip(passed, { stage: "remember-me" }, notEnabled), "remember-me");
  }
  if (planned.exempt !== null) return enterGuard(skip(passed, { stage: "guard", guard }, planned.exempt), guard + 1);
  return { state: { at: "verifying", guard, ...passed }, effects: [{ type: "verify", guard, code: null }] };
}
