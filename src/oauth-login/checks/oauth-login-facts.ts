import type { Choices } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import type { Exchange } from "../../journal/exchange.ts";
import type { IssuedSecret } from "../../journal/issued-secrets.ts";
import type { OAuthRecord } from "../../journal/record.ts";
import type { Parameters } from "../../oauth/rules/oauth-parameters.ts";

/** Where a browser ended up that opened an address of the app. */
export type Landing =
  | {
      readonly kind: "page";
      readonly url: string;
      readonly status: number;
      /** What a person reads there. */
      readonly text: string;
      /** The whole page as it came. */
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

/** A request of the app, or of its user's browser, to the platform, and what was decided about it. */
export interface PlatformRequest {
  readonly record: OAuthRecord;
  readonly exchange: Exchange;
}

/** One visit of the browser to the app, with what the app asked of the platform meanwhile. */
export interface AppVisit {
  /** What was opened. */
  readonly url: string;
  readonly landing: Landing;
  /** Ids of all its exchanges, in the order in which they were answered. */
  readonly exchanges: readonly string[];
  /** Requests of the app alone: to the token endpoint, to the REST API. */
  readonly requests: readonly PlatformRequest[];
}

/** What the platform made of an authorization request. */
export interface Authorization {
  readonly url: string;
  /** null: the query is not percent-encoded UTF-8. */
  readonly parameters: Parameters | null;
  readonly verdict: /** The user could decide, or the platform did so in their place. */
    | { readonly kind: "decided"; readonly isApproved: boolean; readonly location: string }
    /** The app is told that its request is wrong, or that the platform has a fault. */
    | { readonly kind: "error"; readonly error: string; readonly reason: string; readonly location: string }
    /** The user is told so. */
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
 * A second login of the same user, begun in another browser, whose callback brings a good code, but another state
 * than the app sent: somebody may have made it up (hardening C2, C3).
 */
export interface SecondLogin {
  readonly start: AppVisit;
  /** null: it did not come to the platform. */
  readonly authorization: Authorization | null;
  /** null: there was no code, or no state to put another in the place of. */
  readonly callback: AppVisit | null;
}

/** All that was seen of one login of an app by OAuth (interface 5.2 to 5.4), for its checks. */
export interface OAuthLoginFacts {
  readonly app: App;
  readonly choices: Choices;
  /** Address of the platform, without a trailing slash. */
  readonly platform: string;
  /** What the user decides. */
  readonly decision: "approve" | "deny";
  readonly start: AppVisit;
  readonly cookies: readonly LoginCookie[];
  /** The rest is null, or empty, as far as the login did not come so far. */
  readonly authorization: Authorization | null;
  readonly callback: AppVisit | null;
  /** A visit to the page that was named for using the token; null: none was named. */
  readonly use: AppVisit | null;
  readonly second: SecondLogin | null;
  /** One visit to that page after each turn of the clock past the life of the access token. */
  readonly turns: readonly AppVisit[];
  /** Why the clock was not turned; null: it was, or the login did not come so far. */
  readonly notTurned: { readonly reason: string; readonly hint: string | null } | null;
  /** What was issued in this login, and what proves it. */
  readonly issued: readonly IssuedSecret[];
}

/** The steps of such a login, in order. */
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

/** What a check found; null: the login did not come so far. */
export type Found = {
  readonly result: "pass" | "warn" | "fail" | "skip" | "inconclusive";
  readonly message: string;
  readonly hint?: string | null;
} | null;

/** A rule for a login by OAuth. */
export interface OAuthLoginCheck {
  readonly id: string;
  /** Section of the interface. */
  readonly section: string;
  readonly step: OAuthLoginStep;
  /** What it looks at. */
  readonly path: string;
  readonly find: (facts: OAuthLoginFacts) => Found;
}

/** The requests to the token endpoint, whatever they were. */
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

/** Whether the platform took the token of an API call, be the call itself good or not. */
export function isTokenAccepted({ record }: PlatformRequest): boolean {
  return record.outcome === "ok" || /^(?:400|404|405|insufficient_scope)$/.test(record.error ?? "");
}

/** The call to the API by which the app broke: it was refused, and the page did not come out well; null: none. */
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
