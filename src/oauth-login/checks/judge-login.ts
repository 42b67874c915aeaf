import type { Finding } from "../../app-client/finding.ts";
import { exchangeChecks } from "./exchange-checks.ts";
import type { OAuthLoginCheck, OAuthLoginFacts, OAuthLoginStep } from "./login-facts.ts";
import { forgedChecks, requestChecks } from "./request-checks.ts";
import { checkSecrets } from "./secret-checks.ts";
import { sessionChecks } from "./session-checks.ts";
import { tokenChecks } from "./token-checks.ts";

/** What a check reports about an OAuth login, at which step, and what to do about it. */
export interface OAuthLoginFinding extends Finding {
  readonly step: OAuthLoginStep;
  readonly hint: string | null;
}

/** Every check of an OAuth login, in the order of its steps. */
export const oauthLoginChecks: readonly OAuthLoginCheck[] = [
  ...requestChecks,
  ...exchangeChecks,
  { id: "oauth.secrets", section: "2.7", step: "callback", path: "page", find: checkSecrets },
  ...sessionChecks,
  ...forgedChecks,
  ...tokenChecks,
];

/** The findings of the checks of a login (interface 5.2 to 5.4; hardening C1 to C12). */
export function judgeOAuthLogin(facts: OAuthLoginFacts): OAuthLoginFinding[] {
  return oauthLoginChecks.flatMap(({ id, section, step, path, find }) => {
    const found = find(facts);
    if (found === null) return [];
    const { result, message, hint } = found;
    return [{ check: id, section, result, path, message, step, hint }];
  });
}
