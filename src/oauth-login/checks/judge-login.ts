import type { Finding } from "../../app-client/finding.ts";
import { exchangeChecks } from "./exchange-checks.ts";
import {
  type Found,
  fail,
  type OAuthLoginCheck,
  type OAuthLoginFacts,
  type OAuthLoginStep,
  pass,
  warn,
} from "./login-facts.ts";
import { forgedChecks, requestChecks } from "./request-checks.ts";
import { tokenChecks } from "./token-checks.ts";

/** What a check says of an OAuth login, at which step, and what to do about it. */
export interface OAuthLoginFinding extends Finding {
  readonly step: OAuthLoginStep;
  readonly hint: string | null;
}

/** Every check of an OAuth login, in the order of its steps. */
export const oauthLoginChecks: readonly OAuthLoginCheck[] = [
  ...requestChecks,
  ...exchangeChecks,
  { id: "oauth.secrets", section: "2.7", step: "callback", path: "page", find: findSecrets },
  ...forgedChecks,
  ...tokenChecks,
];

/** What the checks say of a login (interface 5.2 to 5.4; hardening C1 to C12). */
export function judgeOAuthLogin(facts: OAuthLoginFacts): OAuthLoginFinding[] {
  return oauthLoginChecks.flatMap(({ id, section, step, path, find }) => {
    const found = find(facts);
    if (found === null) return [];
    const { result, message, hint } = found;
    return [{ check: id, section, result, path, message, step, hint }];
  });
}

/** Secrets in the pages that the user gets after the callback (hardening C12). */
function findSecrets({ app, issued, callback, use, turns }: OAuthLoginFacts): Found {
  if (callback === null) return null;
  const pages = [callback, ...(use === null ? [] : [use]), ...turns].flatMap(({ landing }) =>
    landing.kind === "page" ? [landing.body] : [],
  );
  const secrets = [
    { name: "client secret", value: app.clientSecret },
    { name: "app secret", value: app.appSecret },
    ...issued,
  ];
  const shown = pages.flatMap((page) => secrets.filter(({ value }) => page.includes(value)));
  const names = [...new Set(shown.map(({ name }) => name))];
  if (names.length === 0) return pass("no secret is in the app's pages");
  // Some apps hand their access token to a script of the page on purpose; a code is used up by then.
  const isMild = names.every((name) => name === "access_token" || name === "code");
  return (isMild ? warn : fail)(
    `the app's page holds the ${names.join(", ")}`,
    "keep secrets and tokens on the app's server, and the user's session in a cookie",
  );
}
