import type { Explanation } from "../../app-client/explain-outcome.ts";
import type { User } from "../../config/schema.ts";
import type { GuardType } from "../../platform/manifest.ts";
import { joinUrl } from "../../protocol/url.ts";
import type { GuardResult, GuardStage } from "../guard-result.ts";
import type { LoginState, PlainStage, StageResult } from "../rules/login.ts";
import type { GuardNotes } from "./call-guard.ts";
import type { OpenInteraction } from "./interaction.ts";
import type { LoginGuard, PlannedLogin } from "./login-plan.ts";

/** The view of one stage of a running login. */
export interface StageView {
  /** What kind of stage it is. */
  readonly stage: PlainStage | "guard";
  /** Key of the guard's module. */
  readonly module?: string;
  /** Name of the guard in the manifest. */
  readonly name?: string;
  /** Description of the guard shown to the user; null: none. */
  readonly description?: string | null;
  /** How the guard decides: immediately, or on a page of the app. */
  readonly type?: GuardType;
  /** `running`: the app is being called; `needs-user`: it is the user's turn; `failed`: it gave no valid answer. */
  readonly status: "waiting" | "running" | "needs-user" | "passed" | "denied" | "failed" | "skipped";
  /** Why it ended this way. */
  readonly reason?: string;
  /** What to do about that. */
  readonly hint?: string;
  /** Why each try at a stage without a guard failed. */
  readonly failures: readonly string[];
  /** What is probably wrong with the app, in sentences. */
  readonly warnings: readonly string[];
  /** Ids of the exchanges in the journal. */
  readonly exchanges: readonly string[];
}

/** The interaction with the user that a guard asked for. */
export interface InteractionView {
  /** Key of the guard. */
  readonly module: string;
  /** Whether the page replaces the login page or is a frame in it. */
  readonly type: "redirect" | "frame";
  /** `options.url` in full, without token and state. */
  readonly page: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Milliseconds that the user has in total. */
  readonly limitMs: number;
  /** What is known to be wrong with the page. */
  readonly troubles: readonly Explanation[];
}

/** A login as it is now: facts without secrets, for terminal and pages. */
export interface LoginView {
  /** Unguessable; names the login in its link. */
  readonly id: string;
  /** Of the organization; null: it has none. */
  readonly domain: string | null;
  /** Who logs in. */
  readonly user: Pick<User, "id" | "role" | "login">;
  /** Where the user logs in from, IPv4 or IPv6. */
  readonly ipAddress: string;
  /** In the order in which the user passes them. */
  readonly stages: readonly StageView[];
  /** Index of the current stage in `stages`; null once the login has ended. */
  readonly current: number | null;
  /** The call to the app that is in flight; null: none. */
  readonly call: {
    /** Milliseconds on the monotonic clock. */
    readonly startedAt: number;
    /** Milliseconds that the app has for its answer (interface 3.1). */
    readonly limitMs: number;
  } | null;
  /** The page of the app that the user is at; null: none. */
  readonly interaction: InteractionView | null;
  /** How the login ended; null: it has not. */
  readonly result: GuardResult | null;
}

/** The display name of a stage: for a guard, its name in the manifest. */
export function stageName({ stage, name, module }: StageView): string {
  return stage === "guard" ? (name ?? module ?? stage) : plainNames[stage];
}

const plainNames = {
  password: "Password",
  mfa: "Second factor",
  "device-trust": "Device trust",
  "remember-me": "Remember me",
};

/** Every stage of a login, later ones included. */
export function stageViews(
  plan: PlannedLogin,
  state: LoginState,
  notes: readonly GuardNotes[],
  hasEnded: boolean,
): StageView[] {
  const { mfa, deviceTrust, rememberMe } = plan.enabled;
  const stages = [
    plainView("password", true),
    plainView("mfa", mfa),
    plainView("device-trust", deviceTrust),
    ...plan.guards.map((guard, index) => guardView(guard, notes[index])),
    plainView("remember-me", rememberMe),
  ];
  // Each stage leaves one result, in order.
  return stages.map((view, index) => {
    const ended = state.results[index];
    if (ended !== undefined)
      return {
        ...view,
        status: endOfStage(ended, notes),
        ...(ended.reason === undefined ? {} : { reason: ended.reason }),
      };
    if (index !== state.results.length || hasEnded) return view;
    if ("failures" in state) return { ...view, status: "needs-user", failures: state.failures };
    return { ...view, status: state.at === "awaiting-user" ? "needs-user" : "running" };
  });
}

function plainView(stage: PlainStage, isEnabled: boolean): StageView {
  const view = { stage, failures: [], warnings: [], exchanges: [] };
  if (isEnabled) return { ...view, status: "waiting" };
  return { ...view, status: "skipped", reason: "not enabled in this organization" };
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

/** What a running login shows of an interaction. */
export function interactionView(
  { guard: { module, installed }, expiresAt, troubles }: OpenInteraction,
  limitMs: number,
): InteractionView {
  if (module.type === "direct") throw new TypeError("a direct guard has no interaction");
  const page = joinUrl(installed.app.url, module.optionsUrl ?? "");
  return { module: module.key, type: module.type, page, expiresAt, limitMs, troubles: [...troubles] };
}

/** How a stage ended: a guard without a valid answer has failed, although the login itself only knows a denial. */
function endOfStage({ result, guard = -1 }: StageResult, notes: readonly GuardNotes[]): GuardStage["result"] {
  return result === "denied" && (notes[guard]?.failure ?? null) !== null ? "failed" : result;
}

/** The stages that a login reached, for its result. */
export function stageResults(
  results: readonly StageResult[],
  guards: readonly LoginGuard[],
  notes: readonly GuardNotes[],
): GuardStage[] {
  return results.map((ended) => {
    const { stage, guard = -1, reason, attempts } = ended;
    const base = {
      stage,
      result: endOfStage(ended, notes),
      ...(reason === undefined ? {} : { reason }),
      ...(attempts === undefined ? {} : { attempts }),
    };
    const planned = guards[guard];
    const note = notes[guard];
    if (planned === undefined || note === undefined) return { ...base, exchanges: [] };
    const { exchanges, warnings, hint, guess, isRefused, rows } = note;
    // Which of several buttons was pressed also matters if it led to a grant.
    const shown = hint ?? (base.result === "passed" ? guess : null);
    return {
      ...base,
      module: planned.key,
      type: planned.type,
      app: planned.installed.app.url,
      ...(shown === null ? {} : { hint: shown }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(isRefused ? { refused: true as const } : {}),
      ...(rows.length === 0 ? {} : { rows }),
      exchanges,
    };
  });
}

type Explained = { readonly [Text in "reason" | "hint"]?: string | null | undefined };

/** The view of a login without the secrets that an app's messages may repeat (hardening S27). */
export function viewWithoutSecrets(view: LoginView, hide: (text: string) => string): LoginView {
  const hideIn = <T extends Explained>(texts: T): T => ({
    ...texts,
    ...(texts.reason == null ? {} : { reason: hide(texts.reason) }),
    ...(texts.hint == null ? {} : { hint: hide(texts.hint) }),
  });
  const { stages, interaction, result } = view;
  return {
    ...view,
    stages: stages.map((stage) => ({ ...hideIn(stage), warnings: stage.warnings.map(hide) })),
    interaction: interaction && { ...interaction, troubles: interaction.troubles.map(hideIn) },
    result: result && {
      ...hideIn(result),
      stages: result.stages.map(({ warnings, ...stage }) => ({
        ...hideIn(stage),
        ...(warnings === undefined ? {} : { warnings: warnings.map(hide) }),
      })),
      warnings: result.warnings.map(hide),
    },
  };
}
