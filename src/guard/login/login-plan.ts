import type { ChoiceReader } from "../../config/choices.ts";
import type { Config, User } from "../../config/schema.ts";
import type { GuardModule } from "../../platform/manifest.ts";
import { type InstalledApp, readGuardChoices } from "../../platform/manifests.ts";
import { guardExemption, unknownModule } from "../../platform/modules.ts";
import type { LoginPlan, PlannedGuard } from "../rules/login.ts";
import type { LoginOptions } from "./login-options.ts";

/** A guard of a login, with the app that it belongs to. */
export interface LoginGuard extends PlannedGuard {
  /** The app that the guard belongs to. */
  readonly installed: InstalledApp;
  /** As the manifest declares it. */
  readonly module: GuardModule;
  /** The description that the user is shown; null: none (choice `guard.description.shown`). */
  readonly description: string | null;
}

/** The parts of a login that do not change while it runs. */
export interface PlannedLogin extends LoginPlan {
  readonly guards: readonly LoginGuard[];
}

/** What a login plan is made from. */
export type PlanOptions = LoginOptions & {
  /** app_base_url of the only app whose guards run: guards of several apps may share a key. */
  readonly app?: string;
};

/**
 * The stages that a user has to pass, with the guards among them.
 * @param login what the configuration says about stages that the options do not mention
 */
export function planLogin(
  guards: readonly LoginGuard[],
  options: PlanOptions,
  login: Config["login"],
  choices: ChoiceReader,
): PlannedLogin {
  readGuardChoices(
    guards.filter(({ exempt }) => exempt === null).map(({ module }) => module),
    choices,
  );
  // A stage that is to be failed has to be enabled.
  const { fail = {} } = options;
  const mfa = options.mfa ?? (login.mfa || fail.mfa !== undefined);
  return {
    enabled: {
      mfa,
      deviceTrust: options.deviceTrust ?? (login.deviceTrust || fail["device-trust"] !== undefined),
      rememberMe: options.rememberMe ?? (login.rememberMe || fail["remember-me"] !== undefined),
    },
    attempts: choices.peek("login.attempts"),
    guards,
  };
}

/**
 * The guards that a user has to pass, in the order of their manifests or of the options.
 * @throws UsageError for a guard that no manifest declares
 */
export function planGuards(
  apps: readonly InstalledApp[],
  { modules: keys, app: only }: PlanOptions,
  user: User,
  choices: ChoiceReader,
): LoginGuard[] {
  const all = apps
    .flatMap((installed, app) => installed.manifest.guards.map((module) => ({ app, installed, module })))
    .filter(({ installed }) => only === undefined || installed.app.url === only);
  const known = all.map(({ module }) => module.key);
  for (const key of keys ?? []) if (!known.includes(key)) throw unknownModule("auth-guard", key, known, apps);
  const wanted =
    keys === undefined ? all : [...new Set(keys)].flatMap((key) => all.filter(({ module }) => module.key === key));
  return wanted.map((guard) => {
    const exempt = guardExemption(guard.module, user, choices);
    return {
      ...guard,
      key: guard.module.key,
      type: guard.module.type,
      exempt,
      description: exempt === null ? shownDescription(guard.module, choices) : null,
    };
  });
}

function shownDescription({ description, type }: GuardModule, choices: ChoiceReader): string | null {
  if (description === null) return null;
  const shown = choices.get("guard.description.shown");
  return shown === "always" || (shown === "frame-only" && type === "frame") ? description : null;
}
