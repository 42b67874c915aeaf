import type { User } from "../config/schema.ts";
import { defaultUser, findUser } from "../config/users.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { OAuthLoginContext } from "./action.ts";
import { visitAfterExpiry } from "./advance-clock.ts";
import { findPage, findStart, loginAddresses } from "./app-addresses.ts";
import { type BegunLogin, beginOAuthLogin, type Login, LoginRecords, visit } from "./begin-login.ts";
import {
  type AppVisit,
  approvedCallback,
  hasTokens,
  isGoodPage,
  type OAuthLoginFacts,
  type SecondLogin,
  sentParameter,
} from "./checks/login-facts.ts";
import { cookiesToTry } from "./checks/session-checks.ts";
import { areAllStrict } from "./checks/strict-cookies.ts";
import { createLoginBrowser } from "./login-browser.ts";
import type { OAuthLoginResult } from "./login-result.ts";
import type { OAuthLoginOptions } from "./oauth-login-options.ts";
import { oauthLoginResult } from "./oauth-login-result.ts";

/**
 * Logs a user in to an app by OAuth (interface 5.2 to 5.4): plays the user's browser from the app's login link to the
 * platform, through the consent, and back to the app. Then a second login, in another browser, sends the app forged
 * callbacks (unless `forge` is false), and the page that uses the access token is opened after the token has expired.
 * Consent is given in this process, without the consent page, which says nothing about the app.
 * @throws UsageError for an address that is missing or not the app's, or a user who does not exist
 */
export async function runOAuthLogin(context: OAuthLoginContext, options: OAuthLoginOptions): Promise<OAuthLoginResult> {
  const { config, oauth, clockFace } = context;
  const addresses = loginAddresses(config, options);
  const { app, url } = findStart(config, addresses.start);
  const user = findUser(config, options.user ?? config.login.user);
  const decision = options.deny === true ? "deny" : "approve";
  requireSameDecision(context, user, decision);
  const use = addresses.use === undefined ? null : findPage(app, addresses.use);
  await context.listen();
  const records = new LoginRecords(context, app);
  try {
    const browser = await createLoginBrowser(context, app);
    const login: Login = { context, oauth, app, user, decision, use, records, browser };
    const facts = await logIn(login, url);
    const trial = await tryCookies(login, facts);
    const withoutStrict = await withholdStrict(login, facts);
    const second = options.forge === false ? null : await forgeCallback(login, facts);
    const expired = await visitAfterExpiry(login, facts, options.refresh === false ? "not wanted" : clockFace);
    const all = {
      ...facts,
      trial,
      withoutStrict,
      second,
      ...expired,
      answers: records.answers(),
      issued: records.issued(),
    };
    return oauthLoginResult(all, user, oauth.choices.used(), options.strict === true);
  } finally {
    records.stop();
  }
}

/** If the configuration decides instead of the user, this login cannot decide otherwise. */
function requireSameDecision({ config }: SimulatorContext, user: User, decision: "approve" | "deny"): void {
  const { consent } = config.oauth;
  if (consent === "ask") return;
  if (consent === decision && (decision === "deny" || user === defaultUser(config))) return;
  throw new UsageError(
    "consent-contrary",
    `oauth.consent is ${consent}, for the user with the role ${defaultUser(config).role}: nobody else is asked`,
    "set oauth.consent to ask, so that this login decides",
  );
}

/** The login from the link to the page on which it ends. */
async function logIn(login: Login, url: string): Promise<OAuthLoginFacts> {
  const { context, app, decision } = login;
  const platform = context.baseUrl();
  const begun = await beginOAuthLogin(login, url);
  const { verdict } = begun.authorization ?? { verdict: null };
  const callback =
    verdict === null || verdict.kind === "refused" ? null : await visit(login, verdict.location, platform);
  const known = { app, choices: context.choices, platform, decision, ...begun, callback };
  const facts: OAuthLoginFacts = {
    ...known,
    use: null,
    useSetting: "--use",
    trial: null,
    withoutStrict: null,
    second: null,
    turns: [],
    notTurned: null,
    ownClock: null,
    answers: [],
    issued: [],
  };
  if (login.use === null || !hasTokens(facts)) return facts;
  return { ...facts, use: await visit(login, login.use, login.use) };
}

/** Opens the page on which the login ended without cookies that it may need, and then with them. */
async function tryCookies(login: Login, facts: OAuthLoginFacts): Promise<OAuthLoginFacts["trial"]> {
  const trial = cookiesToTry(approvedCallback(facts));
  if (trial === null) return null;
  const { page, names } = trial;
  const { browser, context } = login;
  const poor = await browser.fork(context, (name, value) => (names.includes(name) ? null : value));
  const without = await visit({ ...login, browser: poor }, page, context.baseUrl());
  return { names, without, control: await visit(login, page, context.baseUrl()) };
}

/** Opens the callback of another login as a browser does that withholds SameSite=Strict cookies. */
async function withholdStrict(login: Login, { start }: OAuthLoginFacts): Promise<AppVisit | null> {
  if (!areAllStrict(start)) return null;
  const { context, app } = login;
  const other = { ...login, browser: await createLoginBrowser(context, app) };
  const { authorization } = await beginOAuthLogin(other, start.url);
  if (authorization?.verdict.kind !== "decided") return null;
  const poor = await other.browser.fork(context, () => null);
  return visit({ ...other, browser: poor }, authorization.verdict.location, context.baseUrl());
}

/**
 * Starts a second login in its own browser, and sends the app a valid code with another state than the app sent
 * (hardening C3).
 * @returns null if the first login, which is the control, did not succeed
 */
async function forgeCallback(login: Login, first: OAuthLoginFacts): Promise<SecondLogin | null> {
  if (!hasTokens(first) || !isGoodPage(approvedCallback(first)?.landing)) return null;
  const { context, app } = login;
  const other = { ...login, browser: await createLoginBrowser(context, app) };
  const begun = await beginOAuthLogin(other, first.start.url);
  const { start, authorization } = begun;
  const location = forgedLocation(begun, context.ids.secret());
  const callback = location === null ? null : await visit(other, location, context.baseUrl());
  const foreign = callback === null ? null : await bringForeignCallback(login, other, first.start.url);
  return { start, authorization, callback, foreign };
}

/** Starts a third login in its own browser, and sends its callback to the second browser (hardening C3, C4). */
async function bringForeignCallback(login: Login, second: Login, url: string): Promise<SecondLogin["foreign"]> {
  const { context, app } = login;
  const begun = await beginOAuthLogin({ ...login, browser: await createLoginBrowser(context, app) }, url);
  const { start, authorization } = begun;
  const isDecided = authorization?.verdict.kind === "decided" && authorization.verdict.isApproved;
  const location = isDecided ? authorization.verdict.location : null;
  return {
    start,
    authorization,
    callback: location === null ? null : await visit(second, location, context.baseUrl()),
  };
}

/** The callback's address with another state of the same length; null if there is no code, or no state. */
function forgedLocation({ authorization }: BegunLogin, secret: string): string | null {
  const state = sentParameter(authorization, "state");
  if (state === null || authorization?.verdict.kind !== "decided" || !authorization.verdict.isApproved) return null;
  const location = new URL(authorization.verdict.location);
  const other = secret.repeat(Math.ceil(state.length / secret.length)).slice(0, state.length);
  // A one-letter state may be the same by chance.
  location.searchParams.set("state", other === state ? (state.startsWith("A") ? "B" : "A") + state.slice(1) : other);
  return location.href;
}
