import { oauthCallbackChecks } from "./oauth-callback-checks.ts";
import type { OAuthCheck } from "./oauth-check.ts";
import { oauthCookieChecks } from "./oauth-cookie-checks.ts";
import { oauthErrorChecks } from "./oauth-error-checks.ts";
import { oauthLoginVerifyChecks } from "./oauth-login-checks.ts";
import { oauthRefreshChecks } from "./oauth-refresh-checks.ts";
import { oauthSecretChecks } from "./oauth-secret-checks.ts";
import { oauthSessionChecks } from "./oauth-session-checks.ts";
import { oauthTokenChecks } from "./oauth-token-checks.ts";

/** Every check of area `oauth`. */
export const oauthChecks: readonly OAuthCheck[] = [
  ...oauthLoginVerifyChecks,
  ...oauthSecretChecks,
  ...oauthCallbackChecks,
  ...oauthErrorChecks,
  ...oauthTokenChecks,
  ...oauthSessionChecks,
  ...oauthCookieChecks,
  ...oauthRefreshChecks,
];
