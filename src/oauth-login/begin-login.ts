import { getRequest, type PageRequest } from "../browser/form-request.ts";
import { pageHeaders } from "../browser/page-headers.ts";
import type { App, User } from "../config/schema.ts";
import type { HeaderLines } from "../journal/exchange.ts";
import type { Led } from "../oauth/endpoints/authorization.ts";
import type { OAuth } from "../oauth/endpoints/oauth.ts";
import { queryParameters } from "../oauth/rules/oauth-parameters.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { isPlatformPlace } from "./app-places.ts";
import type { AppVisit, Authorization, OAuthLoginFacts } from "./checks/oauth-login-facts.ts";
import type { Heard } from "./heard.ts";
import type { LoginBrowser } from "./login-browser.ts";

/** Who logs in where, by which browser, and what they decide. */
export interface Login {
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

/** The browser opens an address of the app. */
export async function visit({ browser, heard }: Login, url: string, from: string): Promise<AppVisit> {
  const mark = heard.mark();
  const { landing, exchanges } = await browser.open(url, from);
  return { url, landing, ...heard.since(mark, exchanges) };
}

/** From the app's login link to the decision. */
export interface Asked {
  readonly start: AppVisit;
  /** That the app set before it sent the user to the platform. */
  readonly cookies: OAuthLoginFacts["cookies"];
  readonly authorization: Authorization | null;
}

/** The user begins a login at this address of the app, and decides. */
export async function beginLogin(login: Login, url: string): Promise<Asked> {
  const start = await visit(login, url, url);
  const cookies = login.browser.cookies();
  const address = authorizationAddress(start, login.context.baseUrl());
  return { start, cookies, authorization: address === null ? null : await authorize(login, address, url) };
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
