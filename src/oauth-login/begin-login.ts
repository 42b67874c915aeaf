import { isPlatformAddress } from "../browser/addresses.ts";
import { getRequest, type PageRequest } from "../browser/form-request.ts";
import { type LeadingPage, pageHeaders } from "../browser/http-browser.ts";
import type { App, User } from "../config/schema.ts";
import type { Exchange } from "../journal/exchange.ts";
import { type IssuedSecret, issuedSecrets } from "../journal/issued-secrets.ts";
import type { JournalRecord, OAuthRecord } from "../journal/record.ts";
import type { AuthorizationStep } from "../oauth/endpoints/authorization.ts";
import type { OAuth } from "../oauth/endpoints/oauth.ts";
import { queryParameters } from "../oauth/rules/oauth-parameters.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { isDecisionAbout } from "../platform/own-requests.ts";
import { parseUrl } from "../protocol/url.ts";
import type { IncomingRequest } from "../web/incoming-request.ts";
import { loginLinks } from "./app-addresses.ts";
import type { AppVisit, Authorization, OAuthLoginFacts, PlatformRequest } from "./checks/login-facts.ts";
import type { LoginBrowser } from "./login-browser.ts";

/** Who logs in to which app, with which browser, and what they decide. */
export interface Login {
  readonly context: SimulatorContext;
  readonly oauth: OAuth;
  readonly app: App;
  readonly user: User;
  readonly decision: "approve" | "deny";
  /** Full URL of the page that uses the access token; null: none was named. */
  readonly use: string | null;
  readonly records: LoginRecords;
  readonly browser: LoginBrowser;
}

/** Collects what the journal records from now on, except decisions about other configured apps. */
export class LoginRecords {
  readonly #records: JournalRecord[] = [];
  readonly #isOwn: (record: JournalRecord) => record is OAuthRecord;
  readonly stop: () => void;

  constructor({ journal, config }: SimulatorContext, app: App) {
    this.#isOwn = isDecisionAbout(app, config);
    this.stop = journal.subscribe((record) => this.#records.push(record));
  }

  get count(): number {
    return this.#records.length;
  }

  /** The browser's requests to the app after this many records, and the app's to the platform meanwhile. */
  since(count: number, { exchanges }: LoginBrowser): Pick<AppVisit, "requests" | "exchanges" | "own"> {
    const records = this.#records.slice(count);
    const requests = records
      .filter(this.#isOwn)
      .filter(({ step }) => step !== "authorize" && step !== "consent")
      .flatMap((record): PlatformRequest[] => {
        const exchange = this.#records.find(({ id }) => id === record.exchange);
        return exchange?.type === "exchange" ? [{ record, exchange }] : [];
      });
    const own = records.filter((record) => record.type === "exchange").filter(({ id }) => exchanges.has(id));
    const ids = new Set(requests.map(({ exchange }) => exchange.id));
    return { requests, own, exchanges: records.map(({ id }) => id).filter((id) => ids.has(id) || exchanges.has(id)) };
  }

  last(step: OAuthRecord["step"]): OAuthRecord | undefined {
    return this.#records.filter(this.#isOwn).findLast((record) => record.step === step);
  }

  /** The app's answers to the browsers. */
  answers(): Exchange[] {
    return this.#records.filter((record) => record.type === "exchange").filter(({ purpose }) => purpose === "visit");
  }

  issued(): IssuedSecret[] {
    return this.#records.flatMap((record) => (record.type === "exchange" ? issuedSecrets(record) : []));
  }
}

/** Opens an address of the app in the browser. */
export async function visit({ browser, records }: Login, url: string, from: LeadingPage | string): Promise<AppVisit> {
  const { count } = records;
  const landing = await browser.open(url, from);
  return { url, landing, ...records.since(count, browser) };
}

/** A login from the app's login link to the user's decision. */
export type BegunLogin = Pick<OAuthLoginFacts, "start" | "authorization">;

/**
 * Opens the login link. If its page does not lead to the platform, presses the only button of the page, or follows its
 * own login links.
 */
async function openLogin(login: Login, url: string, from: LeadingPage | string): Promise<AppVisit> {
  const { count } = login.records;
  const opened = await visit(login, url, from);
  const isThere = ({ landing }: Pick<AppVisit, "landing">) =>
    authorizationAddress({ landing }, login.context.baseUrl()) !== undefined;
  if (opened.landing.kind !== "page" || isThere(opened)) return opened;
  const after = (landing: AppVisit["landing"]) => ({ url, landing, ...login.records.since(count, login.browser) });
  const pressed = await login.browser.press();
  for (const link of pressed === null ? loginLinks(opened.landing) : []) {
    const landing = await login.browser.open(link, opened.landing.url);
    if (isThere({ landing })) return after(landing);
  }
  return pressed === null ? opened : after(pressed);
}

/**
 * Starts a login at this address of the app, and decides for the user.
 * @param from the page whose link is followed; default the login link itself, which sends no Referer
 */
export async function beginOAuthLogin(
  login: Login,
  url: string,
  from: LeadingPage | string = url,
): Promise<BegunLogin> {
  const start = await openLogin(login, url, from);
  const address = authorizationAddress(start, login.context.baseUrl());
  return { start, authorization: address === undefined ? null : await authorizeLogin(login, address, url) };
}

/** The authorization request that the app redirects to, or that its page links to or holds for its scripts. */
export function authorizationAddress({ landing }: Pick<AppVisit, "landing">, platform: string): string | undefined {
  const addresses =
    landing.kind === "platform"
      ? [landing.url]
      : landing.kind === "page"
        ? [...landing.links, ...addressesIn(landing.body)]
        : [];
  return addresses.find((address) => {
    const url = parseUrl(address);
    return url !== null && isPlatformAddress(platform, url) && url.pathname === "/oauth/authorize";
  });
}

/** Full URLs with a query in JSON, in a script or in HTML. */
function addressesIn(body: string): string[] {
  const plain = body.replaceAll("\\/", "/").replaceAll("\\u0026", "&").replaceAll("&amp;", "&");
  return plain.match(/https?:\/\/[^\s"'`<>?\\]{1,200}\?[^\s"'`<>\\]*/g) ?? [];
}

/** Makes an authorization request as the user's browser does, and decides for the user. */
export async function authorizeLogin(login: Login, url: string, from: string): Promise<Authorization> {
  const { context, oauth, records } = login;
  const request = incoming(getRequest(url), from);
  const { step } = await oauth.request(request, undefined, context.config);
  const asked = records.last("authorize");
  const outcome = step.kind === "ask" ? await decide(login, step.consent.id) : step;
  const decided = step.kind === "ask" ? records.last("consent") : undefined;
  return {
    url,
    parameters: queryParameters(request.url),
    verdict: verdictOfStep(outcome, asked?.reason ?? ""),
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

/** The outcome of an authorization; `reason`: why the platform refuses, from the journal. */
export function verdictOfStep(step: AuthorizationStep, reason: string): Authorization["verdict"] {
  if (step.kind === "ask") throw new TypeError("a decided request is asked again");
  if (step.kind === "refused") return step;
  const { location } = step;
  const error = queryParameters(location)?.get("error")?.[0];
  if (error !== undefined && error !== "access_denied") return { kind: "error", error, reason, location };
  return { kind: "decided", isApproved: error === undefined, location };
}
