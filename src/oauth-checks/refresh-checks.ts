import type { Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { redirectTarget } from "../journal/redirect-target.ts";
import { apiRequests, isGoodPage, type PlatformRequest, tokenRequests } from "../oauth-login/checks/login-facts.ts";
import { NO_SESSION_SEEN, type OAuthCheck, oauthCheck, plainLanding, STRANGE_TOKEN } from "./check.ts";
import {
  callsApi,
  hasSession,
  isLoggedIn,
  isLogin,
  type OAuthEvidence,
  receivedToken,
  refreshesIn,
  sentToToken,
  usesStrangeToken,
  visitOfRole,
} from "./evidence.ts";
import { judgeKeptSession } from "./kept-session.ts";
import {
  endedGrantJourney,
  FAILING_API,
  failingApiJourney,
  ownRefreshJourney,
  pagesAtOnceJourney,
  refreshJourney,
  usersAtOnceJourney,
} from "./refresh-journeys.ts";
import { judgeOwn, judgeUsersAtOnce } from "./session-refreshes.ts";
import type { OAuthVisit } from "./visits.ts";

/** More refreshes for one page, or more calls to one address, are a loop. */
export const LOOP_CALLS = 4;

/** The visits of the browser whose refreshes count. */
function refreshVisits({ visits }: OAuthEvidence): OAuthVisit[] {
  const waited = visits.filter(({ browser }) => browser === "W");
  return waited.length > 0 ? waited : visits.filter(({ browser }) => browser === "A");
}

function ofUse(judge: OAuthCheck["judge"]): OAuthCheck["judge"] {
  return (evidence, check) => (callsApi(evidence) ? judge(evidence, check) : NO_SESSION_SEEN);
}

/** A refresh that cannot be read as one, such as one with another grant_type: only an exchange has a code. */
function isRefusedWithoutCode(request: PlatformRequest): boolean {
  return receivedToken(request, "access_token") === null && sentToToken(request, "code") === null;
}

function judgeRefresh(evidence: OAuthEvidence, check: OAuthCheck): Verdict {
  const visits = refreshVisits(evidence);
  const turns = visits.filter(({ what }) => what.startsWith("expired"));
  const [first] = turns;
  if (first === undefined) return skipVerdict("no login got that far");
  const all = visits.flatMap(refreshesIn);
  const refused = all.find((request) => receivedToken(request, "access_token") === null);
  if (all.length > 0 && all.every((request) => receivedToken(request, "access_token") === null)) {
    return faulty(check, `the platform refused the refresh: ${refused?.record.reason ?? "no reason"}`);
  }
  if (all.length === 0) {
    const other = visits.flatMap(({ requests }) => tokenRequests(requests)).find(isRefusedWithoutCode);
    if (other !== undefined)
      return faulty(check, `the platform refused the refresh: ${other.record.reason ?? "no reason"}`);
    // A new login yields new tokens, too, but 5.3 spares the user that.
    if (first.landing.kind === "platform") {
      return { result: "warn", reason: "the app makes its user log in again, and never uses its refresh token" };
    }
    return faulty(
      check,
      `the access token was no longer valid (expired, and revoked by app-sim), but the app did not refresh it: the app ${plainLanding(first)}`,
    );
  }
  const looping = turns.find((turn) => refreshesIn(turn).length > LOOP_CALLS);
  if (looping !== undefined)
    return faulty(check, `the app requested new tokens ${refreshesIn(looping).length} times for one page`);
  const last = apiRequests(first.requests).at(-1);
  const isServed = last === undefined || last.exchange.response?.status === 200;
  if (isServed && isGoodPage(first.landing)) return PASSED;
  return faulty(
    check,
    `the app got new tokens, but ${isServed ? `it ${plainLanding(first)}` : "its last call to the API was refused"}`,
  );
}

function sentRefreshTokens({ requests }: OAuthVisit): string[] {
  return tokenRequests(requests).flatMap((request) => sentToToken(request, "refresh_token") ?? []);
}

/** The visits at which a token that came with a refresh has expired. */
const times = [
  { what: "expired-again", ordinal: "second" },
  { what: "expired-third", ordinal: "third" },
] as const;

/** Each refresh token is valid once: only the last one may be sent. */
function judgeRotation(evidence: OAuthEvidence, check: OAuthCheck): Verdict {
  const visits = refreshVisits(evidence);
  const refreshes = visits.flatMap(refreshesIn);
  if (refreshes.length === 0) return skipVerdict("the app did not refresh its token");
  const replaced = refreshes.filter((request) => receivedToken(request, "refresh_token") !== null);
  if (replaced.length === 0) return skipVerdict("the platform refused every refresh: see oauth.refresh");
  const tokenIn = (request: PlatformRequest) => sentToToken(request, "refresh_token");
  const isUsed = (request: PlatformRequest, before: readonly PlatformRequest[]) =>
    before.some((earlier) => replaced.includes(earlier) && tokenIn(earlier) === tokenIn(request));
  if (refreshes.some((request, index) => isUsed(request, refreshes.slice(0, index)))) {
    return faulty(check, "the app sent a used refresh token, although it had received a new one");
  }
  const later = times.map(({ what }) => visitOfRole(evidence, visits[0]?.browser ?? "", what));
  if (later[0] === undefined) return skipVerdict("the token did not expire twice");
  const first = visits.findIndex(({ what }) => what === "expired");
  for (const [index, { ordinal }] of times.entries()) {
    const visit = later[index];
    if (visit === undefined) continue;
    const stale = apiRequests(visit.requests).at(-1);
    if (first >= 0 && stale !== undefined && stale.exchange.response?.status !== 200) {
      return faulty(check, `after the ${ordinal} refresh the app's last call to the API was refused`);
    }
    if (!isGoodPage(visit.landing) && visit.landing.kind !== "platform") {
      return faulty(check, `when the token had expired a ${ordinal} time, the app ${plainLanding(visit)}`);
    }
  }
  return PASSED;
}

/** Of several calls with one refresh token only the first succeeds: the app's pages must not suffer from that. */
function judgeAtOnce(evidence: OAuthEvidence, check: OAuthCheck): Verdict {
  const visits = refreshVisits(evidence);
  const pages = visits.find(({ what }) => what === "pages");
  const after = visits.find(({ what }) => what === "after");
  if (pages === undefined || after === undefined) return skipVerdict("no login got that far");
  const tried = visits.flatMap(refreshesIn);
  if (tried.length > 0 && tried.every((request) => receivedToken(request, "access_token") === null))
    return skipVerdict("the platform refused every refresh of the app");
  if ([...refreshesIn(pages), ...refreshesIn(after)].length === 0)
    return skipVerdict("the app did not refresh its token");
  // If the cookies from before a refresh lead to its token, too, they hold only a session id.
  const stale = evidence.visits.find(({ browser }) => browser === `${pages.browser}-stale`);
  const spent = new Set(visits.filter(({ what }) => what === "alone").flatMap(sentRefreshTokens));
  const isServed = stale !== undefined && hasSession(evidence, stale) === true && isGoodPage(stale.landing);
  if (!isServed || sentRefreshTokens(stale).some((token) => spent.has(token))) {
    return skipVerdict(
      "the app keeps the session in the browser's cookie, where pages opened at the same time cannot share a refresh",
    );
  }
  const answers = pages.own.flatMap(({ response }) => (response === null ? [] : [response.status]));
  const bad = answers.find((status) => status >= 400);
  if (bad !== undefined)
    return faulty(check, `three pages were opened after the token had expired, and the app answered one with ${bad}`);
  const isSentAway = pages.own.some((exchange) => redirectTarget(exchange)?.url.pathname === "/oauth/authorize");
  if (!isSentAway && hasSession(evidence, after) !== false && isGoodPage(after.landing)) return PASSED;
  return faulty(
    check,
    `three pages were opened after the token had expired, and the session was lost: the app ${plainLanding(after)}`,
  );
}

function judgeEnded(evidence: OAuthEvidence, check: OAuthCheck): Verdict {
  const [first, second] = ["ended", "ended-again"].map((what) => visitOfRole(evidence, "A", what));
  if (first === undefined || second === undefined) return skipVerdict("the app has no refresh token");
  const looping = [first, second].find((visit) => refreshesIn(visit).length > LOOP_CALLS);
  if (looping !== undefined) {
    return faulty(check, `the app tried the refused refresh token ${refreshesIn(looping).length} times for one page`);
  }
  const trouble = [first, second].find(({ landing }) => landing.kind === "trouble");
  if (trouble !== undefined) return faulty(check, `the platform had ended the grant: ${plainLanding(trouble)}`);
  if ([first, second].every(({ landing }) => landing.kind === "page" && landing.status >= 500)) {
    const reason = "the platform had ended the grant, and each page of the app is a server error from then on";
    // An app that goes by its own clock has not tried the refresh token yet, and ends the session when it does.
    const isTried = [first, second].some((visit) => refreshesIn(visit).length > 0);
    return isTried
      ? faulty(check, reason)
      : { result: "warn", reason: `${reason}: it does not react to the API's 401` };
  }
  const [before, after] = ["before", "after"].map((what) => isLoggedIn(evidence, visitOfRole(evidence, "B", what)));
  if (before === true && after === false)
    return faulty(check, "the platform had ended the grant of one user, and the app ended the session of another, too");
  return isLogin(evidence, "A") && visitOfRole(evidence, "A", "start-again") !== undefined
    ? PASSED
    : faulty(check, "the platform had ended the grant, and a new login does not help");
}

/** Checks of how the app refreshes tokens, and handles an API that refuses (interface 5.3, 5.4; hardening C8, C9). */
export const oauthRefreshChecks: readonly OAuthCheck[] = [
  oauthCheck(
    {
      id: "oauth.refresh",
      title: "When the access token has expired, the app gets a new one and continues",
      section: "5.3",
      why: "An access token is valid for expires_in seconds. An app that does not refresh it stops working two hours after each login.",
      fix: "When the API answers 401, or the token has expired, POST grant_type=refresh_token with client_id, client_secret and the last refresh_token, and repeat the call.",
    },
    { journey: refreshJourney, judge: ofUse(judgeRefresh) },
  ),
  oauthCheck(
    {
      id: "oauth.refresh.rotation",
      title: "The app keeps the new refresh token of each refresh",
      section: "5.3",
      why: "Each answer has a new refresh token, and only that one is valid from then on. An app that sends the old one again loses the whole grant.",
      fix: "Store access_token and refresh_token of each answer together, before doing anything else.",
    },
    { journey: refreshJourney, judge: ofUse(judgeRotation) },
  ),
  oauthCheck(
    {
      id: "oauth.refresh.at-once",
      title: "Several pages opened at the same time after the token has expired do not end the session",
      section: "5.3",
      why: "A browser opens several pages of an app at the same time. If each of them refreshes with the same token, the platform refuses all except one, and a moment later it would treat the token as stolen and revoke the grant.",
      fix: "Let all requests of a session wait for a single refresh, and use its result.",
    },
    { journey: pagesAtOnceJourney, judge: ofUse(judgeAtOnce) },
  ),
  oauthCheck(
    {
      id: "oauth.refresh.own",
      title: "Each session is refreshed with its own refresh token",
      section: "5.3",
      why: "A refresh token stands for the user who granted it. A session refreshed with another user's token acts on behalf of that user from then on.",
      fix: "Keep the refresh token with the session's access token, and read both from there.",
    },
    { journey: ownRefreshJourney, judge: ofUse(judgeOwn) },
  ),
  oauthCheck(
    {
      id: "oauth.refresh.users-at-once",
      title: "Two users whose tokens expire at the same time each get their own new one",
      section: "5.3",
      why: "Tokens of users who logged in at nine o'clock all expire at eleven. A token that ends up in another session acts for the wrong user.",
      fix: "Keep the data of one refresh in local variables: while one waits for the platform, another runs.",
    },
    { journey: usersAtOnceJourney, judge: ofUse(judgeUsersAtOnce) },
  ),
  oauthCheck(
    {
      id: "oauth.refresh.ended",
      title: "When the platform refuses the refresh token, the user can log in again, and nobody else has to",
      section: "5.3",
      why: "Users withdraw their permission, and tokens are revoked. An app that keeps trying, or keeps failing, locks these users out.",
      fix: "On invalid_grant, end the session and redirect to the login; do not try the same refresh token again.",
    },
    { journey: endedGrantJourney, judge: ofUse(judgeEnded) },
  ),
  oauthCheck(
    {
      id: "oauth.api.failing",
      title: "A temporary fault of the API does not end the session",
      section: "5.4",
      severity: "should",
      why: "A 500, 503 or 429 from the API says nothing about the token. A user who reloads the page expects to continue.",
      fix: "Show an error page, and keep session and tokens: only 401 is about the token.",
    },
    {
      journey: failingApiJourney,
      judge: ofUse((evidence, check) => {
        const visits = [...FAILING_API.map(([what]) => what), "garbled", "after"].map((what) =>
          visitOfRole(evidence, "A", what),
        );
        const trouble = visits.find((visit) => visit?.landing.kind === "trouble");
        if (trouble !== undefined) return faulty(check, `the API failed: ${plainLanding(trouble)}`);
        return judgeKeptSession(evidence, check, "A", "the API failed temporarily");
      }),
    },
  ),
  oauthCheck(
    {
      id: "oauth.api.own-token",
      title: "Every call to the API has the newest access token of its session",
      section: "5.4",
      why: "A call with an old token fails, and one with another session's token acts for another user. Only the access token from the last token response is right.",
      fix: "Read the token from the session for each call, not once.",
    },
    {
      journey: refreshJourney,
      judge: ofUse((evidence, check) => {
        const calls = evidence.visits.flatMap(({ requests }) => apiRequests(requests));
        if (calls.length === 0) return skipVerdict("the app did not call the API");
        return usesStrangeToken(evidence, evidence.visits) ? faulty(check, STRANGE_TOKEN) : PASSED;
      }),
    },
  ),
];
