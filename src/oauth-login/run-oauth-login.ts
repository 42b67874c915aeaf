import type { z } from "zod";
import type { User } from "../config/schema.ts";
import { defaultUser, findUser } from "../config/users.ts";
import type { OAuth } from "../oauth/endpoints/oauth.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { PlatformClock } from "../platform/platform-clock.ts";
import type { OAuthLoginResult } from "../platform/results.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { findPage, findStart } from "./app-places.ts";
import { beginLogin, type Login, visit } from "./begin-login.ts";
import type { OAuthLoginFacts } from "./checks/oauth-login-facts.ts";
import { hasTokens } from "./checks/oauth-token-checks.ts";
import { forgeCallback } from "./forge-callback.ts";
import { hear } from "./heard.ts";
import { createLoginBrowser } from "./login-browser.ts";
import type { oauthLoginOptionsSchema } from "./oauth-login-options.ts";
import { oauthLoginResult } from "./oauth-login-result.ts";
import { turnClock } from "./turn-clock.ts";

type Options = z.infer<typeof oauthLoginOptionsSchema>;

/**
 * Plays the user's browser at an app's own login link (interface 5.2 to 5.4): from the link to the platform, through
 * the consent, back to the app, and then, with the clock turned past the life of the access token, to the page that
 * uses it. Before that, unless it is not wanted, a second login in another browser brings the app a forged callback. The
 * consent is given in this process: its page is the platform's own and tells nothing of the app.
 * @param clock turns the platform's time, and is put back afterwards; null: it cannot be, and no token expires
 * @throws UsageError for an address that is not the app's, or a user there is not
 */
export async function runOAuthLogin(
  context: SimulatorContext,
  oauth: OAuth,
  clock: PlatformClock | null,
  options: Options,
): Promise<OAuthLoginResult> {
  const { config, journal } = context;
  const { app, url } = findStart(config, options.start);
  const user = findUser(config, options.user ?? config.login.user);
  const decision = options.deny === true ? "deny" : "approve";
  demandSameDecision(context, user, decision);
  const use = options.use === undefined ? null : findPage(app, options.use);
  await context.listen();
  const heard = hear(journal, app, config.apps);
  try {
    const browser = await createLoginBrowser(context, app);
    const login: Login = { context, oauth, app, user, decision, use, heard, browser };
    const facts = await logIn(login, url);
    const second = options.forge === false ? null : await forgeCallback(login, facts);
    const { turns, notTurned } = await turnClock(login, facts, options.refresh === false ? "not wanted" : clock);
    const all = { ...facts, second, turns, notTurned, issued: heard.issued() };
    return oauthLoginResult(all, user, oauth.choices.used(), options.strict === true);
  } finally {
    heard.stop();
  }
}

/** Where the platform answers by itself, that must be the answer that is wanted here. */
function demandSameDecision({ config }: SimulatorContext, user: User, decision: "approve" | "deny"): void {
  const { consent } = config.oauth;
  if (consent === "ask") return;
  if (consent === decision && (decision === "deny" || user === defaultUser(config))) return;
  throw new UsageError(
    "consent-contrary",
    `oauth.consent is ${consent}, for the user with the role ${defaultUser(config).role}: nobody else is asked`,
    "set oauth.consent to ask, and this login decides",
  );
}

/** From the link to the page on which the login ends. */
async function logIn(login: Login, url: string): Promise<OAuthLoginFacts> {
  const { context, app, decision } = login;
  const platform = context.baseUrl();
  const asked = await beginLogin(login, url);
  const { verdict } = asked.authorization ?? { verdict: null };
  const callback =
    verdict === null || verdict.kind === "refused" ? null : await visit(login, verdict.location, platform);
  const known = { app, choices: context.choices, platform, decision, ...asked, callback };
  const facts: OAuthLoginFacts = { ...known, use: null, second: null, turns: [], notTurned: null, issued: [] };
  if (login.use === null || !hasTokens(facts)) return facts;
  return { ...facts, use: await visit(login, login.use, login.use) };
}
