import {
  advance,
  type LoginEvent,
  type LoginPlan,
  type LoginStep,
  newLogin,
  type PlainStage,
  type PlannedGuard,
  type StageResult,
} from "../../src/guard/rules/login.ts";
import type { GuardType } from "../../src/platform/manifest.ts";

export const nothingEnabled = { mfa: false, deviceTrust: false, rememberMe: false };
export const everythingEnabled = { mfa: true, deviceTrust: true, rememberMe: true };

export function guard(type: GuardType, exempt: string | null = null): PlannedGuard {
  return { app: 0, key: `${type}-guard`, type, exempt };
}

export function plan(
  guards: readonly PlannedGuard[],
  enabled: LoginPlan["enabled"] = nothingEnabled,
  attempts = 1,
): LoginPlan {
  return { enabled, attempts, guards };
}

/** The step that the last event makes, or the beginning. */
export function walk(from: LoginPlan, ...events: LoginEvent[]): LoginStep {
  return events.reduce((step, event) => advance(step.state, event), newLogin(from));
}

export const passed = (stage: PlainStage): LoginEvent => ({ type: "stage-passed", stage });
export const failed = (stage: PlainStage, reason: string): LoginEvent => ({ type: "stage-failed", stage, reason });
export const approves = (guard: number): LoginEvent => ({
  type: "guard-answered",
  guard,
  success: true,
  message: null,
});
export const refuses = (guard: number, message: string | null = null): LoginEvent => ({
  type: "guard-answered",
  guard,
  success: false,
  message,
});
export const callFails = (guard: number, reason: string): LoginEvent => ({ type: "guard-call-failed", guard, reason });
export const returns = (guard: number, code: string): LoginEvent => ({ type: "user-returned", guard, code });
export const fails = (guard: number, error: string): LoginEvent => ({ type: "user-failed", guard, error });

export const skippedStage = (stage: PlainStage): StageResult => ({
  stage,
  result: "skipped",
  reason: "not enabled in this organization",
});
/** What lies behind every login that has come to its guards with no optional stage enabled. */
export const beforeGuards: StageResult[] = [
  { stage: "password", result: "passed" },
  skippedStage("mfa"),
  skippedStage("device-trust"),
];
