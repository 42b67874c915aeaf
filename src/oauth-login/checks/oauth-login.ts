import type { Finding } from "../../app-client/finding.ts";
import { exchangeChecks } from "./oauth-exchange-checks.ts";
import { forgedChecks } from "./oauth-forged-checks.ts";
import {
  type AppVisit,
  type Found,
  type OAuthLoginCheck,
  type OAuthLoginFacts,
  type OAuthLoginStep,
  pass,
} from "./oauth-login-facts.ts";
import { requestChecks } from "./oauth-request-checks.ts";
import { tokenChecks } from "./oauth-token-checks.ts";

/** What a check says of a login by OAuth, at which step, and what to do about it. */
export interface OAuthLoginFinding extends Finding {
  readonly step: OAuthLoginStep;
  readonly hint: string | null;
}

/** Every check of a login by OAuth, in the order in which its steps are taken. */
export const oauthLoginChecks: readonly OAuthLoginCheck[] = [
  ...requestChecks,
  ...exchangeChecks,
  { id: "oauth.secrets", section: "2.7", step: "callback", path: "page", find: findSecrets },
  ...forgedChecks,
  ...tokenChecks,
];

/** What every check has to say of a login, as far as it came (interface 5.2 to 5.4; hardening C1 to C12). */
export function judgeOAuthLogin(facts: OAuthLoginFacts): OAuthLoginFinding[] {
  return oauthLoginChecks.flatMap(({ id, section, step, path, find }) => {
    const found = find(facts);
    if (found === null) return [];
    const { result, message, hint = null } = found;
    return [{ check: id, section, result, path, message, step, hint }];
  });
}

/** Secrets in the pages that the user gets after the callback (hardening C12). */
function findSecrets({ app, issued, callback, use, turns }: OAuthLoginFacts): Found {
  if (callback === null) return null;
  const visits = [callback, ...(use === null ? [] : [use]), ...turns];
  const own = [
    { name: "client secret", value: app.clientSecret },
    { name: "app secret", value: app.appSecret },
  ];
  const told = visits.flatMap((visit) => [...own, ...issued].filter(({ value }) => tells(visit, value)));
  const names = [...new Set(told.map(({ name }) => name))];
  if (names.length === 0) return pass("no secret is in the app's pages");
  // Some apps hand their access token to a script of the page on purpose; a code is spent by then.
  const isMild = names.every((name) => name === "access_token" || name === "code");
  return {
    result: isMild ? "warn" : "fail",
    message: `the app's page holds the ${names.join(", ")}`,
    hint: "keep secrets and tokens on the app's server, and the user's session in a cookie",
  };
}

function tells({ landing }: AppVisit, secret: string): boolean {
  return landing.kind === "page" && landing.body.includes(secret);
}
