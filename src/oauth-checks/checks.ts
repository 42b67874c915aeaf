import { oauthCallbackChecks } from "./callback-checks.ts";
import type { OAuthCheck } from "./check.ts";
import { oauthCookieChecks } from "./cookie-checks.ts";
import { earlyRefusalCheck } from "./early-refusal-check.ts";
import { endlessCallsCheck } from "./endless-calls-check.ts";
import { oauthErrorChecks } from "./error-checks.ts";
import { failingRefreshCheck, recoveringRefreshCheck } from "./failing-refresh-check.ts";
import { forgedErrorChecks } from "./forged-error-checks.ts";
import { keptStartCheck } from "./kept-start-check.ts";
import { oauthLoginVerifyChecks } from "./login-checks.ts";
import { needlessRefreshCheck } from "./needless-refresh-check.ts";
import { oauthRefreshChecks } from "./refresh-checks.ts";
import { oauthSecretChecks } from "./secret-checks.ts";
import { oauthSessionChecks } from "./session-checks.ts";
import { sessionLifetimeCheck } from "./session-lifetime.ts";
import { slowUserChecks } from "./slow-user-checks.ts";
import { oauthTokenChecks } from "./token-checks.ts";

/** Every check of area `oauth`. */
export const oauthChecks: readonly OAuthCheck[] = [
  ...oauthLoginVerifyChecks,
  ...oauthSecretChecks,
  keptStartCheck,
  ...slowUserChecks,
  ...oauthCallbackChecks,
  ...oauthErrorChecks,
  ...forgedErrorChecks,
  ...oauthTokenChecks,
  ...oauthSessionChecks,
  ...oauthCookieChecks,
  sessionLifetimeCheck,
  ...oauthRefreshChecks,
  failingRefreshCheck,
  recoveringRefreshCheck,
  earlyRefusalCheck,
  endlessCallsCheck,
  needlessRefreshCheck,
];
