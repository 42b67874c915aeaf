import { getRequest, type PageRequest } from "../browser/form-request.ts";
import { pageHeaders } from "../browser/http-browser.ts";
import type { App, User } from "../config/schema.ts";
import type { AuthorizationStep } from "../oauth/endpoints/authorization.ts";
import type { OAuth } from "../oauth/endpoints/oauth.ts";
import { queryParameters } from "../oauth/rules/oauth-parameters.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { IncomingRequest } from "../web/incoming-request.ts";
import { isPlatformPlace } from "./app-places.ts";
import type { AppVisit, Authorization, OAuthLoginFacts } from "./checks/oauth-login-facts.ts";
import type { LoginBrowser } from "./login-browser.ts";
import type { PlatformRequests } from "./record-platform-requests.ts";

/** Who logs in to which app, with which browser, and what they decide. */
export interface Login {
  readonly context: SimulatorContext;
  readonly oauth: OAuth;
  readonly app: App;
  readonly user: User;
  readonly decision: "approve" | "deny";
  /** Full address of the page that uses the access token; null: none was named. */
  readonly use: string | null;
  readonly requests: PlatformRequests;
  readonly browser: LoginBrowser;
}

/** Opens an address of the app in the browser. */
export async function visit({ browser, requests }: Login, url: string, from: string): Promise<AppVisit> {
  const mark = requests.mark();
  const { landing, exchanges } = await browser.open(url, from);
  return { url, landing, ...requests.since(mark, exchanges) };
}

/** A login from the app's login link to the user's decision. */
export interface BegunLogin {
  readonly start: AppVisit;
  /** Cookies that the app set before it sent the user to the platform. */
  readonly cookies: OAuthLoginFacts["cookies"];
  readonly authorization: Authorization | null;
}

/** Starts a login at this address of the app, and decides for the user. */
export async function beginOAuthLogin(login: Login, url: string): Promise<BegunLogin> {
  const start = await visit(login, url, url);
  const cookies = login.browser.cookies();
  const address = authorizationAddress(start, login.context.baseUrl());
  return { start, cookies, authorization: address === null ? null : await authorize(login, address, url) };
}

/** The authorization request that the app redirects to, or that its page links to; null: neither. */
function authorizationAddress({ landing }: AppVisit, platform: string): string | null {
  const addresses = landing.kind === "platform" ? [landing.url] : landing.kind === "page" ? landing.links : [];
  const isEndpoint = (address: URL) => isPlatformPlace(platform, address) && address.pathname === "/oauth/authorize";
  return addresses.find((address) => isEndpoint(new URL(address))) ?? null;
}

async function authorize(login: Login, url: string, from: string): Promise<Authorization> {
  const { oauth, requests } = login;
  const request = incoming(getRequest(url), from);
  const { step } = await oauth.request(request);
  const asked = requests.last("authorize");
  const outcome = step.kind === "ask" ? await decide(login, step.consent.id) : step;
  const decided = step.kind === "ask" ? requests.last("consent") : null;
  return {
    url,
    parameters: queryParameters(request.url),
    verdict: verdictOf(outcome, asked?.reason ?? ""),
    exchanges: [asked?.exchange ?? null, decided?.exchange ?? null],
  };
}

async function decide({ context, oauth, user, decision }: Login, id: string): Promise<AuthorizationStep> {
  const platform = context.baseUrl();
  const url = `${platform}/oauth/authorize`;
  const body = Buffer.from(new URLSearchParams({ user: user.login, decision }).toString());
  const form: PageRequest = { method: "POST", url, body, contentType: "application/x-www-form-urlencoded" };
  return (await oauth.decide(incoming(form, platform), { id, decision, user })).step;
}

/** A request of the user's browser, as the platform would receive it. */
function incoming(request: PageRequest, from: string): IncomingRequest {
  const { host, pathname, search } = new URL(request.url);
  const headers = [["Host", host] as const, ...pageHeaders(request, null, from, "")];
  return { method: request.method, url: pathname + search, headers, body: request.body };
}

function verdictOf(step: AuthorizationStep, reason: string): Authorization["verdict"] {
  switch (step.kind) {
    case "ask":
      throw new TypeError("a request was decided, but is asked again");
    case "refused":
      return step;
    case "redirect": {
      const { location } = step;
      const error = queryParameters(location)?.get("error")?.[0];
      if (error === undefined || error === "access_denied") {
        return { kind: "decided", isApproved: error === undefined, location };
      }
      return { kind: "error", error, reason, location };
    }
  }
}
