import type { PageTrouble } from "../../browser/fill-form.ts";
import type { Choices } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import type { Exchange } from "../../journal/exchange.ts";
import type { IssuedSecret } from "../../journal/issued-secrets.ts";
import type { OAuthRecord } from "../../journal/record.ts";
import { type Parameters, parameterOf } from "../../oauth/rules/oauth-parameters.ts";
import { withoutQuery } from "../../protocol/url.ts";

/** Where the browser ended up after it opened an address of the app. */
export type LoginLanding =
  | {
      readonly kind: "page";
      readonly url: string;
      readonly status: number;
      /** What a person reads there. */
      readonly text: string;
      /** The whole page. */
      readonly body: string;
      /** Full addresses that it links to. */
      readonly links: readonly string[];
    }
  /** The app sends the browser to the platform. */
  | { readonly kind: "platform"; readonly url: string }
  | ({ readonly kind: "trouble" } & PageTrouble);

/** A request of the app to the platform, and what the platform decided about it. */
export interface PlatformRequest {
  readonly record: OAuthRecord;
  readonly exchange: Exchange;
}

/** One visit of the browser to the app. */
export interface AppVisit {
  /** The address that was opened. */
  readonly url: string;
  readonly landing: LoginLanding;
  /** The browser's requests, in order; those of two pages that were opened at once are mixed. */
  readonly own: readonly Exchange[];
  /** Ids of the exchanges of the browser and of the app, in the order in which they were answered. */
  readonly exchanges: readonly string[];
  /** What the app asked of the token endpoint and the REST API meanwhile. */
  readonly requests: readonly PlatformRequest[];
}

/** An authorization request, and what the platform answered. */
export interface Authorization {
  readonly url: string;
  /** null: the query is not percent-encoded UTF-8. */
  readonly parameters: Parameters | null;
  readonly verdict: /** The user decided, or the configuration did. */
    | { readonly kind: "decided"; readonly isApproved: boolean; readonly location: string }
    /** The app gets an error: its request is wrong, or the platform has a fault. */
    | { readonly kind: "error"; readonly error: string; readonly reason: string; readonly location: string }
    /** The user gets an error page. */
    | { readonly kind: "refused"; readonly reason: string; readonly hint: string };
  /** Ids of the exchanges: of the request, and of the decision where the user was asked. */
  readonly exchanges: readonly [request: string | null, decision: string | null];
}

/**
 * A second login of the same user, in another browser, whose callback has a good code but another state than the app
 * sent, as a forged one would (hardening C2, C3).
 */
export interface SecondLogin {
  readonly start: AppVisit;
  /** null: it did not reach the platform. */
  readonly authorization: Authorization | null;
  /** null: there was no code, or no state to replace. */
  readonly callback: AppVisit | null;
  /**
   * A third login, in a browser of its own: its whole callback, with its state and its code, came to the second browser, as
   * an attacker's would (hardening C3, C4). null: there was no callback of the second one to compare it with.
   */
  readonly foreign: Omit<SecondLogin, "foreign"> | null;
}

/** The page on which the login ended, opened again: without some of the login's cookies, and then with them. */
export interface CookieTrial {
  readonly names: readonly string[];
  readonly without: AppVisit;
  readonly control: AppVisit;
}

/** Everything observed during one OAuth login of an app (interface 5.2 to 5.4): the input of its checks. */
export interface OAuthLoginFacts {
  readonly app: App;
  readonly choices: Choices;
  /** Address of the platform, without a trailing slash. */
  readonly platform: string;
  /** What the user decides. */
  readonly decision: "approve" | "deny";
  readonly start: AppVisit;
  /** This and what follows is null, or empty, if the login did not get that far. */
  readonly authorization: Authorization | null;
  readonly callback: AppVisit | null;
  /** A visit to the page that uses the access token; null: none was named. */
  readonly use: AppVisit | null;
  /** What names that page: the flag of `app-sim oauth`, or for `verify`, which may find it by itself, a setting. */
  readonly useSetting: "--use" | "verify.oauth.use";
  /** null: there was no cookie to try. */
  readonly trial: CookieTrial | null;
  readonly second: SecondLogin | null;
  /** A visit to that page each time the clock was advanced past the lifetime of the access token. */
  readonly turns: readonly AppVisit[];
  /** Why the clock was not advanced; null: it was, or the login did not get that far. */
  readonly notTurned: { readonly reason: string; readonly hint: string | null } | null;
  /**
   * What came of another login whose access token lived for {@link SHORT_SECONDS} alone, after its exchange; null: the app
   * refreshed its token when the clock was advanced, or that was not tried.
   */
  readonly ownClock: AppVisit | null;
  /** Everything that the app answered to the browsers of this login, as it came. */
  readonly answers: readonly Exchange[];
  /** Secrets that the platform issued in this login. */
  readonly issued: readonly IssuedSecret[];
}

/** Seconds that the access token of a login lives which shows whether the app goes by its own clock. */
export const SHORT_SECONDS = 1;

/** The steps of an OAuth login, in order. */
export const oauthLoginSteps = [
  "start",
  "authorize",
  "consent",
  "exchange",
  "callback",
  "forged",
  "api",
  "refresh",
  "refresh-again",
] as const;
export type OAuthLoginStep = (typeof oauthLoginSteps)[number];

/** What a check found; null: the login did not get that far, or another check reports it. */
export type Found = {
  readonly result: "pass" | "warn" | "fail" | "skip" | "inconclusive";
  readonly message: string;
  readonly hint: string | null;
} | null;

const found =
  (result: NonNullable<Found>["result"]) =>
  (message: string, hint: string | null = null): NonNullable<Found> => ({ result, message, hint });

export const pass = found("pass");
export const warn = found("warn");
export const fail = found("fail");
export const skip = found("skip");
export const inconclusive = found("inconclusive");

export interface OAuthLoginCheck {
  readonly id: string;
  /** Section of the interface. */
  readonly section: string;
  readonly step: OAuthLoginStep;
  /** What it looks at. */
  readonly path: string;
  readonly find: (facts: OAuthLoginFacts) => Found;
}

/** A parameter of the authorization request; null if it is missing or empty. */
export function sentParameter(authorization: Authorization | null, name: string): string | null {
  return authorization?.parameters ? parameterOf(authorization.parameters, name) : null;
}

export function tokenRequests(requests: readonly PlatformRequest[] = []): PlatformRequest[] {
  return requests.filter(({ record }) => ["exchange", "refresh", "token"].includes(record.step));
}

export function apiRequests(requests: readonly PlatformRequest[]): PlatformRequest[] {
  return requests.filter(({ record }) => record.step === "api");
}

/** The callback of a user who approved. */
export function approvedCallback({ authorization, callback }: OAuthLoginFacts): AppVisit | null {
  return authorization?.verdict.kind === "decided" && authorization.verdict.isApproved ? callback : null;
}

/** The requests with which the app exchanged its code, or tried to. */
export function codeExchanges(facts: OAuthLoginFacts): PlatformRequest[] {
  return tokenRequests(approvedCallback(facts)?.requests).filter(({ record }) => record.step !== "refresh");
}

/** The calls to the API that the app made with its first access token. */
export function firstUse(facts: OAuthLoginFacts): PlatformRequest[] {
  return apiRequests([...(approvedCallback(facts)?.requests ?? []), ...(facts.use?.requests ?? [])]);
}

/** Whether tokens were issued for the code. */
export function hasTokens(facts: OAuthLoginFacts): boolean {
  return tokenRequests(approvedCallback(facts)?.requests).some(isAccepted);
}

/** What shows whether the app gets new tokens; undefined: nothing does. */
export function refreshVisit({ turns: [first], ownClock }: OAuthLoginFacts): AppVisit | undefined {
  return ownClock !== null && tokenRequests(ownClock.requests).length > 0 ? ownClock : first;
}

/** Whether the platform did what it was asked. */
export function isAccepted({ record }: PlatformRequest): boolean {
  return record.outcome === "ok";
}

/** The page on which the login ended; null if that is the callback itself, whose code is used up. */
export function landingPage(callback: AppVisit | null): string | null {
  if (callback?.landing.kind !== "page") return null;
  const { url } = callback.landing;
  return withoutQuery(url) === withoutQuery(callback.url) ? null : url;
}

/** Whether the browser got a page that is not an error. */
export function isGoodPage(landing: LoginLanding | undefined): boolean {
  return landing?.kind === "page" && landing.status < 400;
}

/** The refused API call after which the app showed no good page. */
export function breakingCall({ landing, requests }: AppVisit): PlatformRequest | null {
  const last = apiRequests(requests).at(-1);
  return last === undefined || isGoodPage(landing) || isAccepted(last) ? null : last;
}

/** Why the platform refused, as the app was told. */
export function refusalText({ record: { error, reason } }: PlatformRequest): string {
  return [error, reason].filter((part) => part !== null).join(": ");
}

/** What mends a request of which the platform does not believe that the app sent it. */
export const SEND_CLIENT =
  "send the CLIENT_ID and CLIENT_SECRET that `app-sim env` prints, in the body or by Basic, not in both";

/** A landing as the end of a sentence that begins with "the app". */
export function landingText(landing: LoginLanding): string {
  if (landing.kind === "platform") return "sent the user to the platform again";
  if (landing.kind === "trouble") return `did not answer well: ${landing.reason}`;
  return `answered ${landing.status}${landing.text === "" ? "" : `: ${landing.text}`}`;
}
