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
      /** Its visible text. */
      readonly text: string;
      /** Its full HTML. */
      readonly body: string;
      /** Full URLs of its links. */
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
  /** The opened address. */
  readonly url: string;
  readonly landing: LoginLanding;
  /** The browser's requests, in order; those of two pages opened at the same time are interleaved. */
  readonly own: readonly Exchange[];
  /** Ids of the exchanges of the browser and of the app, in the order in which they were answered. */
  readonly exchanges: readonly string[];
  /** The app's requests to the token endpoint and the REST API meanwhile. */
  readonly requests: readonly PlatformRequest[];
}

/** An authorization request, and the platform's answer. */
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
  /** Ids of the exchanges: of the request, and of the decision if the user was asked. */
  readonly exchanges: readonly [request: string | null, decision: string | null];
}

/**
 * A second login of the same user, in another browser, whose callback has a valid code but another state than the app
 * sent, like a forged one (hardening C2, C3).
 */
export interface SecondLogin {
  readonly start: AppVisit;
  /** null: it did not reach the platform. */
  readonly authorization: Authorization | null;
  /** null: there was no code, or no state to replace. */
  readonly callback: AppVisit | null;
  /**
   * A third login, in its own browser: its complete callback, with its state and code, was sent to the second browser,
   * as an attacker would (hardening C3, C4). null: there was no callback of the second login to compare with.
   */
  readonly foreign: Omit<SecondLogin, "foreign"> | null;
}

/** The page on which the login ended, opened again without some of the login's cookies, and then with them. */
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
  /** This and the following are null or empty if the login did not get that far. */
  readonly authorization: Authorization | null;
  readonly callback: AppVisit | null;
  /** A visit to the page that uses the access token; null: none was named. */
  readonly use: AppVisit | null;
  /**
   * The name of the option for that page: the flag of `app-sim oauth`, or a setting for `verify`, which may find it by
   * itself.
   */
  readonly useSetting: "--use" | "verify.oauth.use";
  /** null: there was no cookie to leave out. */
  readonly trial: CookieTrial | null;
  /**
   * The callback of another login, without cookies, as a browser sends it if all of them are SameSite=Strict; null: they
   * are not, or that login got no callback.
   */
  readonly withoutStrict: AppVisit | null;
  readonly second: SecondLogin | null;
  /** The visits to that page, one each time the clock was advanced past the access token's lifetime. */
  readonly turns: readonly AppVisit[];
  /** Why the clock was not advanced; null: it was, or the login did not get that far. */
  readonly notTurned: { readonly reason: string; readonly hint: string | null } | null;
  /**
   * The visit after another login whose access token lived only for {@link SHORT_SECONDS}; null: the app refreshed its
   * token when the clock was advanced, or that was not tried.
   */
  readonly ownClock: AppVisit | null;
  /** All answers of the app to the browsers of this login, unredacted. */
  readonly answers: readonly Exchange[];
  /** Secrets that the platform issued in this login. */
  readonly issued: readonly IssuedSecret[];
}

/** Lifetime in seconds of the access token that shows whether the app relies on its own clock. */
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

/** The finding of a check; null: the login did not get that far, or another check reports it. */
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

/** The app's calls to the API with its first access token. */
export function firstUse(facts: OAuthLoginFacts): PlatformRequest[] {
  return apiRequests([...(approvedCallback(facts)?.requests ?? []), ...(facts.use?.requests ?? [])]);
}

/** Whether tokens were issued for the code. */
export function hasTokens(facts: OAuthLoginFacts): boolean {
  return tokenRequests(approvedCallback(facts)?.requests).some(isAccepted);
}

/** The visit that shows whether the app gets new tokens; undefined: none does. */
export function refreshVisit({ turns: [first], ownClock }: OAuthLoginFacts): AppVisit | undefined {
  return ownClock !== null && tokenRequests(ownClock.requests).length > 0 ? ownClock : first;
}

/** Whether the platform granted the request. */
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

/**
 * Why a page shows its user nothing, and what to do; null: it has content. Some frameworks write `null` if a handler
 * returns nothing.
 */
export function emptyPage(landing: LoginLanding | undefined): readonly [message: string, hint: string] | null {
  if (landing?.kind !== "page" || landing.status >= 400 || !["", "null"].includes(landing.body.trim())) return null;
  return [`the app answered ${landing.status} with an empty page`, "does its handler return what it is to show?"];
}

/** The refused API call after which the app showed an error page. */
export function breakingCall({ landing, requests }: AppVisit): PlatformRequest | null {
  const last = apiRequests(requests).at(-1);
  return last === undefined || isGoodPage(landing) || isAccepted(last) ? null : last;
}

/** Why the platform refused, as the app saw it. */
export function refusalText({ record: { error, reason } }: PlatformRequest): string {
  return [error, reason].filter((part) => part !== null).join(": ");
}

/** How to fix a request that the platform does not accept as the app's. */
export const SEND_CLIENT =
  "send the PLATFORM_CLIENT_ID and PLATFORM_CLIENT_SECRET that `app-sim env` prints, in the body or with Basic, but not both";

/** A landing as the end of a sentence that begins with "the app". */
export function landingText(landing: LoginLanding): string {
  if (landing.kind === "platform") return "sent the user to the platform again";
  if (landing.kind === "trouble") return `did not answer properly: ${landing.reason}`;
  return `answered ${landing.status}${landing.text === "" ? "" : `: ${landing.text}`}`;
}
