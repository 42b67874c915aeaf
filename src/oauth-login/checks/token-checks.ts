import { NO_SECRET } from "../../oauth/rules/client-credentials.ts";
import {
  type AppVisit,
  apiRequests,
  approvedCallback,
  breakingCall,
  emptyPage,
  type Found,
  fail,
  firstUse,
  hasTokens,
  inconclusive,
  isAccepted,
  isGoodPage,
  landingText,
  type OAuthLoginCheck,
  type OAuthLoginFacts,
  type PlatformRequest,
  pass,
  refreshVisit,
  refusalText,
  SEND_CLIENT,
  SHORT_SECONDS,
  sentParameter,
  skip,
  tokenRequests,
  warn,
} from "./login-facts.ts";

/** How the app uses and refreshes its tokens (interface 5.3, 5.4). */
export const tokenChecks: readonly OAuthLoginCheck[] = [
  { id: "oauth.api.bearer", section: "5.4", step: "api", path: "Authorization", find: findBearer },
  { id: "oauth.api", section: "5.4", step: "api", path: "api", find: findUse },
  { id: "oauth.refresh", section: "5.3", step: "refresh", path: "refresh_token", find: findFirstRefresh },
  { id: "oauth.refresh.rotation", section: "5.3", step: "refresh-again", path: "refresh_token", find: findRotation },
];

function findFirstRefresh(facts: OAuthLoginFacts): Found {
  const { notTurned, ownClock } = facts;
  if (notTurned !== null) return skip(notTurned.reason, notTurned.hint);
  const turn = refreshVisit(facts);
  return turn === undefined ? null : findRefresh(turn, ownClock === null ? NO_REFRESH : `${NO_REFRESH}. ${BOTH_TRIED}`);
}

function findRotation({ turns: [, second] }: OAuthLoginFacts): Found {
  return second === undefined ? null : findRefresh(second, NOT_KEPT);
}

const NO_REFRESH =
  "when the API answers 401, or after expires_in seconds, POST grant_type=refresh_token to the token endpoint once, and repeat the call";
/** Neither notices a refresh at another time. */
const BOTH_TRIED = `app-sim tried both: it answered 401, and it issued a token valid for ${SHORT_SECONDS} s. If the app refreshes in the background, on its own schedule, skip this with --no-refresh`;
const NOT_KEPT = "each answer has a new refresh_token, and only that one is valid from then on: store it";

function findBearer(facts: OAuthLoginFacts): Found {
  const calls = firstUse(facts);
  if (calls.length === 0) return null;
  if (calls.some(({ exchange }) => /[?&]access_token=/.test(exchange.request.url))) {
    return fail(
      "an access token is in the URL of an API call",
      "send it in the header Authorization: Bearer, which is not logged",
    );
  }
  const bare = calls.find(({ record }) => record.error === "401");
  if (bare === undefined) return pass("each call has the header Authorization: Bearer");
  return fail(
    bare.record.reason ?? "a call to the API had no access token",
    "send the header Authorization: Bearer <access_token>",
  );
}

function findUse(facts: OAuthLoginFacts): Found {
  if (!hasTokens(facts)) return null;
  const calls = firstUse(facts);
  const unscoped = calls.find(({ record }) => record.error === "insufficient_scope");
  const cause = unscoped ?? breakingUse(facts);
  if (cause !== null) {
    // Reported by another check.
    if (cause.record.error === "401") return null;
    return fail(`the API answered: ${refusalText(cause)}`, cause === unscoped ? scopeHint(facts) : null);
  }
  const landing = facts.use?.landing;
  const isByFlag = facts.useSetting === "--use";
  if (landing !== undefined && !isGoodPage(landing)) {
    const page = isByFlag ? "--use" : "the page that uses the token";
    const elsewhere = `${facts.useSetting} is a page of the app for a logged-in user`;
    return fail(`on ${page} the app ${landingText(landing)}`, landing.kind === "trouble" ? landing.hint : elsewhere);
  }
  const empty = emptyPage(landing);
  // If the login ended there, oauth.callback reports it.
  if (empty !== null) return emptyPage(approvedCallback(facts)?.landing) === null ? warn(...empty) : null;
  if (calls.some(isAccepted)) return pass("the API accepted the access token");
  const refused = calls.at(-1);
  if (refused === undefined) {
    if (!isGoodPage(approvedCallback(facts)?.landing)) return skip("the app's callback failed", null);
    const where = facts.use !== null && isByFlag ? "at --use either" : "after the login";
    const hint = `name a page of the app that makes it call the API: ${isByFlag ? "--use URL" : facts.useSetting}`;
    return skip(`the app did not call the API ${where}`, hint);
  }
  if (refused.record.error === "401") return null;
  return (isTokenAccepted(refused) ? warn : fail)(`the API answered: ${refusalText(refused)}`);
}

/** Whether the platform accepted the token of an API call, even if it refused the call for another reason. */
function isTokenAccepted({ record }: PlatformRequest): boolean {
  return record.outcome === "ok" || /^(?:400|404|405|insufficient_scope)$/.test(record.error ?? "");
}

/** The refused call that broke the callback, or the page that uses the token. */
function breakingUse(facts: OAuthLoginFacts): PlatformRequest | null {
  const callback = approvedCallback(facts);
  return (callback && breakingCall(callback)) ?? (facts.use && breakingCall(facts.use));
}

function scopeHint({ authorization, choices }: OAuthLoginFacts): string {
  const asked = sentParameter(authorization, "scope");
  const needed = choices["api.projects.scope"];
  const names = asked?.split(/[\s,;+|]+/) ?? [];
  if (names.includes(needed))
    return `scopes are separated by spaces: scope=${names.join("%20")} (the app sent ${asked})`;
  return `ask for the scope ${needed} in the authorization request (the app asked for ${asked ?? "none"})`;
}

/** Whether the API refused the first access token, so that a refresh would prove nothing. */
export function isUseRefused(facts: OAuthLoginFacts): boolean {
  return findBearer(facts)?.result === "fail" || findUse(facts)?.result === "fail";
}

/** Whether the app got new tokens and continues, so that advancing the clock again shows more. */
export function isRefreshed(turn: AppVisit): boolean {
  const result = findRefresh(turn, NO_REFRESH)?.result;
  return tokenRequests(turn.requests).some(isAccepted) && (result === "pass" || result === "warn");
}

/** More refreshes in a row are a loop (hardening C8). */
const MAX_REFRESHES = 3;

/** Interface 5.2 needs no secret with a code_verifier, so its absence shows first at the refresh (5.3). */
function clientFix({ record: { reason } }: PlatformRequest): string {
  return reason === NO_SECRET
    ? `a refresh needs the secret, even if the exchange did not: ${SEND_CLIENT}`
    : SEND_CLIENT;
}

function findRefresh({ landing, requests }: AppVisit, hint: string): Found {
  if (landing.kind === "trouble") return fail(landing.reason, landing.hint);
  const refreshes = tokenRequests(requests);
  if (refreshes.length > MAX_REFRESHES) {
    return fail(`the app requested new tokens ${refreshes.length} times in a row`, hint);
  }
  const calls = apiRequests(requests);
  const done = refreshes.filter(isAccepted);
  const refused = refreshes.at(-1);
  if (done.length === 0 && refused !== undefined) {
    const fix = { invalid_client: clientFix(refused), invalid_grant: NOT_KEPT }[refused.record.error ?? ""];
    return fail(`the refresh was refused: ${refusalText(refused)}`, fix ?? hint);
  }
  const end = `the app ${landingText(landing)}`;
  // A new login yields new tokens, too, but 5.3 spares the user that.
  if (done.length === 0 && landing.kind === "platform") {
    return warn("the app makes its user log in again, and never uses its refresh token", hint);
  }
  if (done.length === 0 && calls.length > 0) {
    return fail(`the access token had expired, but the app did not refresh it: ${end}`, hint);
  }
  if (done.length === 0 && !isGoodPage(landing)) return fail(`the access token had expired: ${end}`, hint);
  if (done.length === 0) {
    return inconclusive(
      "the app neither called the API nor refreshed its token",
      "name a page of the app that makes it call the API each time: --use URL",
    );
  }
  const last = calls.at(-1);
  if (last !== undefined && !isTokenAccepted(last)) {
    return fail(
      `the app got new tokens, but its last call to the API was refused: ${refusalText(last)}`,
      "call the API again with the new access token",
    );
  }
  if (!isGoodPage(landing)) return fail(`the app got new tokens, but ${landingText(landing)}`);
  if (done.length > 1) {
    return warn(
      `the app refreshed ${done.length} times for one page`,
      "let all requests of a session wait for a single refresh: two with the same refresh token revoke the grant",
    );
  }
  return pass("the app got new tokens and continues");
}
