import { z } from "zod";
import { ipAddressSchema, type Role, roles, type User } from "../config/schema.ts";
import {
  advance,
  beginLogin,
  type LoginEffect,
  type LoginEvent,
  type LoginPlan,
  type LoginState,
} from "../platform/login.ts";
import { guardExemption } from "../platform/modules.ts";
import { type ChoiceReader, readChoices } from "../protocol/choices.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { callGuard, type GuardCaller, type GuardNotes, type LoginGuard } from "./call-guard.ts";
import type { SimulatorContext } from "./context.ts";
import { type InstalledApp, loadManifests, readGuardChoices } from "./manifests.ts";
import type { GuardResult, GuardStage } from "./results.ts";

/** Options of a login. */
export const loginOptionsSchema = z.strictObject({
  modules: z
    .array(z.string())
    .readonly()
    .optional()
    .describe("keys of the guards to run, in this order; default all, in the order of the apps and their manifests"),
  user: z.enum(roles).optional(),
  ipAddress: ipAddressSchema.optional().describe("IPv4 or IPv6"),
});
export type LoginOptions = z.input<typeof loginOptionsSchema>;

/** One login from password to its end, or to where it needs a person (interface 3.1). */
export async function runLogin(context: SimulatorContext, options: LoginOptions): Promise<GuardResult> {
  const choices = readChoices(context.choices);
  const user = findUser(context, options.user ?? context.config.login.user);
  const ipAddress = options.ipAddress ?? context.config.login.ipAddress;
  const who = { user: { id: user.id, role: user.role }, ipAddress };
  const installed = await loadManifests(context);
  if (!installed.ok) {
    const { reason, hint, failure, exchange } = installed;
    const stage: GuardStage = { stage: "guard", result: "denied", reason, exchanges: [exchange] };
    return finish(context, {
      command: "guard",
      outcome: "denied",
      deniedBy: null,
      reason,
      hint,
      failure,
      ...who,
      stages: [stage],
      warnings: [],
      choices: choices.used(),
    });
  }
  const guards = planGuards(installed.apps, options.modules, user, choices);
  readGuardChoices(
    guards.filter(({ exempt }) => exempt === null).map(({ module }) => module),
    choices,
  );
  const notes = guards.map((): GuardNotes => ({ exchanges: [], warnings: [], hint: null, failure: null }));
  const caller: GuardCaller = { context, choices, user, ipAddress };
  const verify = (guard: number, code: string | null) =>
    callGuard(caller, at(guards, guard), guard, code, at(notes, guard));
  const state = await walk({ enabled: { mfa: false, deviceTrust: false, rememberMe: false }, guards }, verify);
  const denied = state.at === "denied" ? state : null;
  const last = denied?.guard == null ? null : at(notes, denied.guard);
  const needsUser = state.at === "awaiting-user" ? at(guards, state.guard) : null;
  return finish(context, {
    command: "guard",
    outcome: state.at === "granted" ? "granted" : needsUser !== null ? "needs-user" : "denied",
    deniedBy: denied?.guard == null ? null : at(guards, denied.guard).key,
    reason: denied?.reason ?? (needsUser === null ? null : needsUserReason(needsUser)),
    hint: last?.hint ?? null,
    failure: last?.failure ?? null,
    ...who,
    stages: stagesOf(state, guards, notes),
    warnings: [
      ...installed.warnings,
      ...(guards.length === 0 ? ["no auth-guard module is declared: nothing was checked"] : []),
    ],
    choices: choices.used(),
  });
}

/** Drives the machine: performs each effect and feeds back what happened, until there is nothing to do. */
async function walk(
  plan: LoginPlan,
  verify: (guard: number, code: string | null) => Promise<LoginEvent>,
): Promise<LoginState> {
  let step = beginLogin(plan);
  for (;;) {
    const [effect] = step.effects;
    const event = effect === undefined ? null : await perform(effect, verify);
    if (event === null) return step.state;
    step = advance(step.state, event);
  }
}

async function perform(
  effect: LoginEffect,
  verify: (guard: number, code: string | null) => Promise<LoginEvent>,
): Promise<LoginEvent | null> {
  switch (effect.type) {
    case "ask":
      return { type: "stage-passed", stage: effect.stage };
    case "verify":
      return verify(effect.guard, effect.code);
    case "send-user":
    case "grant":
    case "deny":
      return null;
  }
}

function findUser(context: SimulatorContext, role: Role): User {
  const user = context.config.users.find((candidate) => candidate.role === role);
  if (user !== undefined) return user;
  const configured = [...new Set(context.config.users.map((candidate) => candidate.role))];
  throw new UsageError("unknown-user", `no user has the role ${role}`, `configured roles: ${configured.join(", ")}`);
}

function planGuards(
  apps: readonly InstalledApp[],
  keys: readonly string[] | undefined,
  user: User,
  choices: ChoiceReader,
): LoginGuard[] {
  const all = apps.flatMap((installed, app) => installed.manifest.guards.map((module) => ({ app, installed, module })));
  for (const key of keys ?? []) {
    if (!all.some(({ module }) => module.key === key))
      throw unknownGuard(
        key,
        all.map(({ module }) => module.key),
      );
  }
  const wanted =
    keys === undefined ? all : [...new Set(keys)].flatMap((key) => all.filter(({ module }) => module.key === key));
  return wanted.map((guard) => ({
    ...guard,
    key: guard.module.key,
    type: guard.module.type,
    exempt: guardExemption(guard.module, user, choices),
  }));
}

function unknownGuard(key: string, keys: readonly string[]): UsageError {
  const known =
    keys.length === 0 ? "the manifest declares no auth-guard module" : `auth-guard modules: ${keys.join(", ")}`;
  return new UsageError("unknown-module", `there is no auth-guard module "${key}".${didYouMean(key, keys)}`, known);
}

function needsUserReason({ key, type }: LoginGuard): string {
  return `${key} is a ${type} guard and asks for the user: this version of app-sim does not open its page yet`;
}

function stagesOf(state: LoginState, guards: readonly LoginGuard[], notes: readonly GuardNotes[]): GuardStage[] {
  const results =
    state.at === "awaiting-user"
      ? [...state.results, needsUserStage(state.guard, at(guards, state.guard))]
      : state.results;
  return results.map(({ stage, guard, result, reason }) => {
    const base = { stage, result, ...(reason === undefined ? {} : { reason }) };
    if (guard === undefined) return { ...base, exchanges: [] };
    const { key, type, installed } = at(guards, guard);
    const { exchanges, warnings, hint } = at(notes, guard);
    return {
      ...base,
      module: key,
      type,
      app: installed.app.url,
      ...(hint === null ? {} : { hint }),
      ...(warnings.length === 0 ? {} : { warnings }),
      exchanges,
    };
  });
}

function needsUserStage(guard: number, planned: LoginGuard) {
  return { stage: "guard", guard, result: "needs-user", reason: needsUserReason(planned) } as const;
}

function finish(context: SimulatorContext, result: GuardResult): GuardResult {
  context.journal.append({
    type: "login",
    id: context.ids.next(),
    at: new Date(context.clock.now()).toISOString(),
    user: result.user,
    outcome: result.outcome,
    deniedBy: result.deniedBy,
    reason: result.reason,
    exchanges: result.stages.flatMap((stage) => stage.exchanges),
  });
  return result;
}

function at<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`no element ${index} of ${list.length}`);
  return element;
}
