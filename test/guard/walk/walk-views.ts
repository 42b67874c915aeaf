import type { GuardResult } from "../../../src/guard/guard-result.ts";
import type { InteractionView, LoginView, StageView } from "../../../src/guard/login/login-view.ts";
import { beginWalk, nextState, type WalkState } from "../../../src/guard/walk/walk-state.ts";

export const stageNames = ["password", "mfa", "device-trust", "remember-me"] as const;

export function stage(name: StageView["stage"], overrides: Partial<StageView> = {}): StageView {
  return { stage: name, status: "waiting", failures: [], warnings: [], exchanges: [], ...overrides };
}

export function guardStage(module: string, overrides: Partial<StageView> = {}): StageView {
  return stage("guard", { module, name: `Guard ${module}`, description: null, type: "direct", ...overrides });
}

/** A login at its password, with two guards. */
export function view(overrides: Partial<LoginView> = {}): LoginView {
  return {
    id: "an-id",
    domain: "acme",
    user: { id: 102, role: "member", login: "milan.member" },
    ipAddress: "203.0.113.10",
    stages: [
      stage("password", { status: "needs-user" }),
      stage("mfa"),
      stage("device-trust", { status: "skipped", reason: "not enabled in this organization" }),
      guardStage("network"),
      guardStage("terms", { type: "redirect" }),
      stage("remember-me"),
    ],
    current: 0,
    call: null,
    interaction: null,
    result: null,
    ...overrides,
  };
}

/** The view with the login at this stage: those before it are passed, unless they are skipped. */
export function viewAt(current: number, overrides: Partial<LoginView> = {}, at: Partial<StageView> = {}): LoginView {
  const stages = view().stages.map((each, index): StageView => {
    if (each.status === "skipped" || index > current)
      return { ...each, status: each.status === "skipped" ? "skipped" : "waiting" };
    return index < current ? { ...each, status: "passed" } : { ...each, status: "needs-user", ...at };
  });
  return view({ stages, current, ...overrides });
}

export function interaction(overrides: Partial<InteractionView> = {}): InteractionView {
  const page = "http://127.0.0.1:3000/terms/page";
  return { module: "terms", type: "redirect", page, expiresAt: 600_000, limitMs: 600_000, troubles: [], ...overrides };
}

export function result(overrides: Partial<GuardResult> = {}): GuardResult {
  return {
    command: "guard",
    outcome: "granted",
    deniedBy: null,
    reason: null,
    hint: null,
    failure: null,
    user: { id: 102, role: "member" },
    ipAddress: "203.0.113.10",
    expectation: null,
    stages: [{ stage: "guard", module: "network", result: "passed", exchanges: [] }],
    warnings: [],
    choices: [],
    ...overrides,
  };
}

/** A walk that shows this login. */
export function walkAt(login: LoginView | null, overrides: Partial<WalkState> = {}): WalkState {
  const begun = nextState(beginWalk({ attempts: 3, canOpen: true }), { type: "login-asked", at: 0 });
  return { ...begun, login, ...overrides };
}
