import type { Choices } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import type { Exchange } from "../../journal/exchange.ts";
import type { IssuedSecret } from "../../journal/issued-secrets.ts";
import type { OAuthRecord } from "../../journal/record.ts";
import { type Parameters, parameterOf } from "../../oauth/rules/oauth-parameters.ts";

/** Where the browser ended up after it opened an address of the app. */
export type Landing =
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
  | {
      readonly kind: "trouble";
      readonly reason: string;
      readonly hint: string | null;
      readonly failure: "unreachable" | "timed-out" | "interrupted" | "other";
    };

/** A request to the platform by the app or its user's browser, and what the platform decided about it. */
export interface PlatformRequest {
  readonly record: OAuthRecord;
  readonly exchange: Exchange;
}

/** One visit of the browser to the app, with the app's requests to the platform during it. */
export interface AppVisit {
  /** The address that was opened. */
  readonly url: string;
  readonly landing: Landing;
  /** Ids of all its exchanges, in the order in which they were answered. */
  readonly exchanges: readonly string[];
  /** Requests of the app alone: to the token endpoint, to the REST API. */
  readonly requests: readonly PlatformRequest[];
}

/** An authorization request, and what the platform answered. */
export interface Authorization {
  readonly url: string;
  /** null: the query is not percent-encoded UTF-8. */
  readonly parameters: Parameters | null;
  readonly verdict: /** The user decided, or the configuration did so for them. */
    | { readonly kind: "decided"; readonly isApproved: boolean; readonly location: string }
    /** The app gets an error: its request is wrong, or the platform has a fault. */
    | { readonly kind: "error"; readonly error: string; readonly reason: string; readonly location: string }
    /** The user gets an error page. */
    | { readonly kind: "refused"; readonly reason: string; readonly hint: string };
  /** Ids of the exchanges: of the request, and of the decision where the user was asked. */
  readonly exchanges: readonly [request: string | null, decision: string | null];
}

/** A cookie that the app set before it sent the user to the platform. */
interface LoginCookie {
  readonly name: string;
  readonly host: string;
  readonly isStrict: boolean;
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
  readonly cookies: readonly LoginCookie[];
  /** This and what follows is null, or empty, if the login did not get that far. */
  readonly authorization: Authorization | null;
  readonly callback: AppVisit | null;
  /** A visit to the page that uses the access token; null: none was named. */
  readonly use: AppVisit | null;
  readonly second: SecondLogin | null;
  /** A visit to that page each time the clock was advanced past the lifetime of the access token. */
  readonly turns: readonly AppVisit[];
  /** Why the clock was not advanced; null: it was, or the login did not get that far. */
  readonly notTurned: { readonly reason: string; readonly hint: string | null } | null;
  /** Secrets that the platform issued in this login. */
  readonly issued: readonly IssuedSecret[];
}

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

/** What a check found; null: the login did not get that far, or another check says it. */
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

/** A rule for an OAuth login. */
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

/** The requests to the token endpoint of any grant type. */
export function tokenRequests(requests: readonly PlatformRequest[]): PlatformRequest[] {
  return requests.filter(({ record }) => ["exchange", "refresh", "token"].includes(record.step));
}

/** The requests to the REST API. */
export function apiRequests(requests: readonly PlatformRequest[]): PlatformRequest[] {
  return requests.filter(({ record }) => record.step === "api");
}

/** Whether the platform did what it was asked. */
export function isAccepted({ record }: PlatformRequest): boolean {
  return record.outcome === "ok";
}

/** Whether the platform accepted the token of an API call, even if it refused the call for another reason. */
export function isTokenAccepted({ record }: PlatformRequest): boolean {
  return record.outcome === "ok" || /^(?:400|404|405|insufficient_scope)$/.test(record.error ?? "");
}

/** The refused API call after which the app showed no good page; null: there is none. */
export function breakingCall({ landing, requests }: AppVisit): PlatformRequest | null {
  const last = apiRequests(requests).at(-1);
  const isWell = landing.kind === "page" && landing.status < 400;
  return last === undefined || isWell || isAccepted(last) ? null : last;
}

/** Why the platform refused, as the app was told. */
export function refusalText({ record }: PlatformRequest): string {
  const { error, reason } = record;
  return [error, reason].filter((part) => part !== null).join(": ");
}

/** A landing as the end of a sentence that begins with "the app". */
export function landingText(landing: Landing): string {
  switch (landing.kind) {
    case "page": {
      const says = landing.text === "" ? "" : `: ${landing.text}`;
      return `answered ${landing.status}${says}`;
    }
    case "platform":
      return "sent the user to the platform again";
    case "trouble":
      return `did not answer well: ${landing.reason}`;
  }
}
