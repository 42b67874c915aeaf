import type { OAuthLoginResult } from "../oauth-login/login-result.ts";
import type { OAuthLoginOptions } from "../oauth-login/oauth-login-options.ts";
import type { LoginAction } from "./scenario-schema.ts";
import { failed, passed, type StepOutcome } from "./step-outcome.ts";

/** What `oauthLogin()` is to be asked for: one login, and when the clock is turned, the scenario says. */
export function oauthLoginCall({ login }: LoginAction): OAuthLoginOptions {
  return { ...login, refresh: false, forge: false };
}

/** A login is good when none of its checks fails, and it ended as the user decided. */
export function judgeLogin({ login }: LoginAction, result: OAuthLoginResult): StepOutcome {
  const exchanges = result.steps.flatMap((step) => step.exchanges);
  if (result.outcome === (login.deny === true ? "denied" : "ok")) return passed(exchanges);
  const reason = result.reason ?? "the platform declined in place of the user";
  return failed(reason, result.hint, exchanges, result.failure ?? "other");
}
