import type { z } from "zod";
import { approvedCallback } from "../../checks/oauth-exchange-checks.ts";
import {
  type AppVisit,
  type Authorization,
  isTokenAccepted,
  type OAuthLoginFacts,
} from "../../checks/oauth-login-facts.ts";
import { firstUse, hasTokens, isRefreshed } from "../../checks/oauth-token-checks.ts";
import type { App, User } from "../../config/schema.ts";
import type { HeaderLines } from "../../journal/exchange.ts";
import { queryParameters } from "../../platform/oauth-parameters.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { SimulatorContext } from "../context.ts";
import { findUser } from "../login/login-plan.ts";
import { type Led, usualUser } from "../oauth/authorization.ts";
import type { OAuth } from "../oauth/oauth.ts";
import { getRequest, type PageRequest } from "../page/form-request.ts";
import { pageHeaders } from "../page/page-headers.ts";
import type { PlatformClock } from "../platform-clock.ts";
import type { OAuthLoginResult } from "../results.ts";
import { findPage, findStart, isPlatformPlace } from "./app-places.ts";
import { type Heard, hear } from "./heard.ts";
import { createLoginBrowser, type LoginBrowser } from "./login-browser.ts";
import type { oauthLoginOptionsSchema } from "./oauth-login-options.ts";
import { oauthLoginResult } from "./oauth-login-result.ts";

type Options = z.infer<typeof oauthLoginOptionsSchema>;

/**
 * Plays the user's browser at an app's own login link (interface 5.2 to 5.4): from the link to the platform, through
 * the consent, back to the app, and then, with the clock turned past the life of the access token, to the page that
 * uses it. The consent is given in this process: its page is the platform's own and tells nothing of the app.
 * @param clock turns the platform's time, which stays turned; null: it cannot be, and no token expires
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
  const user = findUser(context, options.user ?? config.login.user);
  const decision = options.deny === true ? "deny" : "approve";
  demandSameDecision(context, user, decision);
  const use = options.use === undefined ? null : findPage(app, options.use);
  await context.listen();
  const heard = hear(journal, app, config.apps);
  try {
    const browser = await createLoginBrowser(context, app);
    const login: Login = { context, oauth, app, user, decision, use, heard, browser };
    const facts = await logIn(login, url);
    const { turns, notTurned } = await turn(login, facts, options.refresh === false ? "not wanted" : clock);
    const all = { ...facts, turns, notTurned, issued: heard.issued() };
    return oauthLoginResult(all, user, oauth.choices.used());
  } finally {
    heard.stop();
  }
}

interface Login {
  readonly context: SimulatorContext;
  readonly oauth: OAuth;
  readonly app: App;
  readonly user: User;
  readonly decision: "approve" | "deny";
  /** Full address. */
  readonly use: string | null;
  readonly heard: Heard;
  readonly browser: LoginBrowser;
}

/** Where the platform answers by itself, that must be the answer that is wanted here. */
function demandSameDecision({ config }: SimulatorContext, user: User, decision: "approve" | "deny"): void {
  const { consent } = config.oauth;
  if (consent === "ask") return;
  if (consent === decision && (decision === "deny" || user === usualUser(config))) return;
  throw new UsageError(
    "consent-contrary",
    `oauth.consent is ${consent}, for the user with the role ${usualUser(config).role}: nobody else is asked`,
    "set oauth.consent to ask, and this login decides",
  );
}

async function visit({ browser, heard }: Login, url: string, from: string): Promise<AppVisit> {
  const mark = heard.mark();
  const { landing, exchanges } = await browser.open(url, from);
  return { url, landing, ...heard.since(mark, exchanges) };
}

/** From the link to the page on which the login ends. */
async function logIn(login: Login, url: string): Promise<OAuthLoginFacts> {
  const { context, app, decision, browser } = login;
  const platform = context.baseUrl();
  const start = await visit(login, url, url);
  const cookies = browser.cookies();
  const address = authorizationAddress(start, platform);
  const authorization = address === null ? null : await authorize(login, address, url);
  const { verdict } = authorization ?? { verdict: null };
  const callback =
    verdict === null || verdict.kind === "refused" ? null : await visit(login, verdict.location, platform);
  const { choices } = context;
  const known = { app, choices, platform, decision, start, cookies, authorization, callback };
  const facts: OAuthLoginFacts = { ...known, use: null, turns: [], notTurned: null, issued: [] };
  if (login.use === null || !hasTokens(facts)) return facts;
  return { ...facts, use: await visit(login, login.use, login.use) };
}

/** Where the app sends the user to be asked, or lets them go by a link of its page; null: nowhere. */
function authorizationAddress({ landing }: AppVisit, platform: string): string | null {
  const addresses = landing.kind === "platform" ? [landing.url] : landing.kind === "page" ? landing.links : [];
  const isEndpoint = (address: URL) => isPlatformPlace(platform, address) && address.pathname === "/oauth/authorize";
  return addresses.find((address) => isEndpoint(new URL(address))) ?? null;
}

async function authorize(
  { context, oauth, user, decision, heard }: Login,
  url: string,
  from: string,
): Promise<Authorization> {
  const { pathname, search } = new URL(url);
  const target = `${pathname}${search}`;
  const asked = await oauth.request({
    method: "GET",
    url: target,
    headers: headersOf(getRequest(url), from),
    body: new Uint8Array(),
  });
  const request = heard.last("authorize");
  const led = asked.kind === "ask" ? await decide(oauth, context.baseUrl(), asked.consent.id, decision, user) : asked;
  const decided = asked.kind === "ask" ? heard.last("consent") : null;
  return {
    url,
    parameters: queryParameters(target),
    verdict: verdictOf(led, request?.reason ?? ""),
    exchanges: [request?.exchange ?? null, decided?.exchange ?? null],
  };
}

function decide(oauth: OAuth, platform: string, id: string, decision: Login["decision"], user: User): Promise<Led> {
  const path = "/oauth/authorize";
  const body = Buffer.from(new URLSearchParams({ user: user.login, decision }).toString());
  const contentType = "application/x-www-form-urlencoded";
  const headers = headersOf({ method: "POST", url: platform + path, body, contentType }, platform);
  return oauth.decide({ method: "POST", url: path, headers, body }, id, decision, user);
}

function headersOf(request: PageRequest, from: string): HeaderLines {
  return [["Host", new URL(request.url).host], ...pageHeaders(request, null, from, "")];
}

function verdictOf(led: Led, reason: string): Authorization["verdict"] {
  switch (led.kind) {
    case "ask":
      throw new TypeError("a request was decided, but is asked again");
    case "refused":
      return led;
    case "redirect": {
      const { location } = led;
      const error = queryParameters(location)?.get("error")?.[0];
      if (error === undefined || error === "access_denied") {
        return { kind: "decided", isApproved: error === undefined, location };
      }
      return { kind: "error", error, reason, location };
    }
  }
}

/** Twice: whether the app gets new tokens, and whether it keeps the refresh token that came with them. */
const TURNS = 2;

async function turn(
  login: Login,
  facts: OAuthLoginFacts,
  clock: PlatformClock | "not wanted" | null,
): Promise<Pick<OAuthLoginFacts, "turns" | "notTurned">> {
  if (!hasTokens(facts)) return { turns: [], notTurned: null };
  const page = login.use ?? landingPage(facts);
  const reason = whyNotTurned(login, facts, clock, page);
  if (reason !== null || page === null || clock === null || clock === "not wanted") {
    return { turns: [], notTurned: reason };
  }
  const turns: AppVisit[] = [];
  while (turns.length < TURNS) {
    clock.advance(afterLifetime(login));
    const turned = await visit(login, page, page);
    turns.push(turned);
    if (!isRefreshed(turned)) break;
  }
  return { turns, notTurned: null };
}

/** Milliseconds after which an access token has surely expired. */
function afterLifetime({ context }: Login): number {
  return (context.choices["oauth.accessToken.lifetime"] + 1) * 1000;
}

function whyNotTurned(
  login: Login,
  facts: OAuthLoginFacts,
  clock: PlatformClock | "not wanted" | null,
  page: string | null,
): OAuthLoginFacts["notTurned"] {
  const byUse = "name an address of the app that makes it call the API: --use URL";
  if (clock === "not wanted") return { reason: "the clock was not to be turned", hint: null };
  if (clock === null) return { reason: "the clock of this simulator cannot be turned", hint: "use startSimulator()" };
  const calls = firstUse(facts);
  if (calls.length === 0) return { reason: "the app did not use its access token", hint: byUse };
  if (!calls.some(isTokenAccepted)) return { reason: "the API did not take the access token", hint: null };
  if (page === null) return { reason: "the login ended on the callback, which is good only once", hint: byUse };
  if (login.context.choices["oauth.refresh.lifetime"] * 1000 <= afterLifetime(login)) {
    return {
      reason: "the refresh token expires no later than the access token",
      hint: "make oauth.refresh.lifetime longer than oauth.accessToken.lifetime",
    };
  }
  return null;
}

/** The page on which the login ended; null where that is the callback itself, whose code is spent. */
function landingPage(facts: OAuthLoginFacts): string | null {
  const callback = approvedCallback(facts);
  if (callback?.landing.kind !== "page") return null;
  const { url } = callback.landing;
  const place = (address: string) => address.split(/[?#]/, 1)[0];
  return place(url) === place(callback.url) ? null : url;
}
